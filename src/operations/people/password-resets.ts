// Forgotten passwords: a link is mailed to the address of the account. Neither the reply nor its time reveals whether there
// is such an account: all of the work happens in the background.

import { randomBytes } from 'node:crypto';
import type { BackgroundRetry, VisitorContext } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import type { PreparedApplication } from '../../domain/definition/application.ts';
import { accountKey } from '../../domain/people/passwords.ts';
import { SECRET_BYTES, secretHash, secretMatches } from '../../domain/people/tokens.ts';
import { foldText } from '../../domain/search/fold.ts';
import { fault } from '../../faults.ts';
import { isRefusedForGood, type Mail, type Mailer } from '../../mail/mailer.ts';
import { resetMail } from '../../mail/reset-mail.ts';
import { type Account, accountOf, findAccount, type Named } from '../../store/people/accounts.ts';
import { getReset, insertReset, removeResets, resetsSince } from '../../store/people/password-resets.ts';
import type { PasswordReset, PasswordResetRequest } from '../../wire/sessions.ts';
import { hashForPeople, refuseWeak, replacePassword } from './passwords.ts';
import { readNamed } from './sessions.ts';

export const RESET_MINUTES = 60;
const MINUTE_MS = 60_000;
const APART_MS = MINUTE_MS;
export const MAILS_PER_HOUR = 5;
/** Before each further attempt to hand the mail over. */
const RETRY_MS = [500, 3_000];

const reset = { feature: 'passwordReset' };

export function ask(context: VisitorContext, body: PasswordResetRequest): void {
  const named = readNamed(body);
  const { applicationId, application, people, source, throttle } = context;
  const { mailer } = people;
  if (mailer === undefined || application?.singleSignOn === true) throw fault('FEATURE_DISABLED', reset);
  const presented = 'userId' in named ? named.userId : foldText(named.email);
  // Every request counts, since it proves nothing; but not as a failure of the account, whose owner may still sign in.
  const name = `reset ${accountKey(applicationId, presented)}`;
  throttle.check(source.ip, name);
  throttle.fail(source.ip, name);
  const work = async () => {
    if (application === undefined || presented.includes('\0')) return undefined;
    return mailReset({ ...context, application, mailer }, named);
  };
  people.inBackground('passwordReset', work);
}

async function mailReset(
  context: VisitorContext & { readonly application: PreparedApplication; readonly mailer: Mailer },
  named: Named,
): Promise<BackgroundRetry | undefined> {
  const { application, people, database, mailer } = context;
  const account = await findAccount(database, application.definition, named);
  if (account === undefined || account.disabled) return undefined;
  const address = addressOf(account);
  if (address === '') return undefined;
  const token = await storeReset(context, account);
  if (token === undefined) return undefined;
  const link = linkTo(people.publicUrl(), { applicationId: application.id, token, address });
  const name = application.definition.name;
  const mail = resetMail({ to: address, application: name, link, minutes: RESET_MINUTES });
  return handOver(mailer, mail);
}

interface LinkContent {
  readonly applicationId: string;
  readonly token: string;
  /** The account's e-mail address, with which the person then signs in. */
  readonly address: string;
}

/** The token follows the #, which browsers never send to a server. */
export const linkTo = (publicUrl: string, { applicationId, token, address }: LinkContent): string =>
  `${publicUrl}/console/resetPassword#application=${applicationId}&token=${token}&user=${encodeURIComponent(address)}`;

export async function handOver(
  mailer: Mailer,
  mail: Mail,
  [pauseMs, ...pauses]: readonly number[] = RETRY_MS,
): Promise<BackgroundRetry | undefined> {
  try {
    await mailer.send(mail);
    return undefined;
  } catch (error) {
    if (pauseMs === undefined || isRefusedForGood(error)) throw error;
    return { pauseMs, work: () => handOver(mailer, mail, pauses) };
  }
}

/** The account's e-mail address; empty when it has none. */
export const addressOf = ({ shared, user }: Account): string => shared?.email ?? user.email ?? '';

/** Stores a reset and returns its token; undefined when the user has been sent too many mails. */
async function storeReset({ store, now }: VisitorContext, account: Account): Promise<string | undefined> {
  const token = randomBytes(SECRET_BYTES).toString('base64url');
  return store.transaction(async (tx) => {
    const at = now();
    const userId = account.user.id;
    const sent = await resetsSince(tx, userId, isoTime(at - RESET_MINUTES * MINUTE_MS));
    if (sent.length >= MAILS_PER_HOUR || sent.some((time) => time > at - APART_MS)) return undefined;
    const { text, params } = insertReset(tx.schema, {
      tokenHash: secretHash(token),
      userId,
      epoch: account.epoch,
      addressHash: secretHash(addressOf(account)),
      createdAt: isoTime(at),
      expiresAt: isoTime(at + RESET_MINUTES * MINUTE_MS),
    });
    await tx.rows(text, params);
    return token;
  });
}

/** The token is used up only by a password that is accepted. */
export async function use(context: VisitorContext, { token, password }: PasswordReset): Promise<void> {
  const { applicationId, application, source, throttle } = context;
  if (application?.singleSignOn === true) throw fault('FEATURE_DISABLED', reset);
  const name = `reset token ${applicationId}`;
  throttle.check(source.ip, name);
  const tokenHash = secretHash(token);
  const account = application && (await accountOfReset(context, tokenHash));
  if (application === undefined || account === undefined) {
    throttle.fail(source.ip, name);
    throw wrongToken();
  }
  refuseWeak(password, 'password');
  const passwordHash = await hashForPeople({ ...context, application }, password);
  const changed = await replacePassword(
    { ...context, application },
    { account, passwordHash, also: (tx) => removeResets(tx, account.user.id, tokenHash) },
  );
  if (!changed) throw wrongToken();
  throttle.succeed(source.ip, accountKey(applicationId, account.user.id));
}

async function accountOfReset(
  { store, database, now }: VisitorContext,
  tokenHash: Uint8Array,
): Promise<Account | undefined> {
  const found = await getReset(store, tokenHash, isoTime(now()));
  const account = found && (await accountOf(database.system, found.user));
  if (found === undefined || account === undefined || account.disabled || account.epoch !== found.epoch)
    return undefined;
  // The owner of an address that is no longer the user's must not get the account.
  return secretMatches(addressOf(account), found.addressHash) ? account : undefined;
}

const wrongToken = () => fault('INVALID_PROPERTY', { property: 'token', reason: 'is wrong, was used, or has expired' });
