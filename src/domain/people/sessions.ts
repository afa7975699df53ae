// Sessions of the console: how long one lives, how often its secret changes, and the epoch it must match.

const MINUTE_MS = 60_000;

/** However much the session is used. */
export const SESSION_DAYS_MAX = 30;

/** Since the session was last seen in use, which is stored with every change of its secret. */
export const SESSION_IDLE_MS = 24 * 60 * MINUTE_MS;
export const ROTATION_MS = 15 * MINUTE_MS;
/** How long the former secret is still accepted after the client has shown the new one. */
export const FORMER_MS = MINUTE_MS;

/**
 * A session counts only while its epoch equals this one: the epoch of the account (store/people/accounts) together with
 * the epoch of the organization's way to sign in.
 */
export const sessionEpoch = ({ signOnEpoch }: { readonly signOnEpoch: number }, accountEpoch: string): string =>
  `${accountEpoch} ${signOnEpoch}`;

interface DatedSession {
  readonly method: 'password' | 'singleSignOn';
  readonly epoch: string;
  readonly rotatedAt: number;
  readonly expiresAt: number;
}

/** Sessions that have ended by age or by epoch stay stored for a while. The account must also be enabled. */
export const isOpen = (
  application: { readonly singleSignOn: boolean; readonly signOnEpoch: number },
  accountEpoch: string,
  { method, epoch, rotatedAt, expiresAt }: DatedSession,
  now: number,
): boolean =>
  epoch === sessionEpoch(application, accountEpoch) &&
  method === (application.singleSignOn ? 'singleSignOn' : 'password') &&
  expiresAt > now &&
  rotatedAt + SESSION_IDLE_MS > now;
