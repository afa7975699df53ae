// Single sign-on for the console: to the organization's provider and back (docs/signing-in.md). Every refusal has the same
// reply; the log has the reason.

import { randomBytes } from 'node:crypto';
import type { VisitorContext } from '../../context.ts';
import type { PreparedApplication } from '../../domain/definition/application.ts';
import { SECRET_BYTES, secretHash, secretMatches } from '../../domain/people/tokens.ts';
import { fault, notSignedIn } from '../../faults.ts';
import { ProviderAway } from '../../single-sign-on/bounded-fetch.ts';
import { NotProved } from '../../single-sign-on/providers.ts';
import { getOrganization, type SingleSignOn } from '../../store/applications/organizations.ts';
import { getSession } from '../../store/people/sessions.ts';
import { insertSignOn, type SignOn, takeSignOn } from '../../store/people/single-sign-ons.ts';
import { isIdentifier } from '../../wire/identifiers.ts';
import { endFormer, formerSessionOf, type OpenedSession, openSession } from './sessions.ts';
import { accountOfIdentity } from './single-sign-on-accounts.ts';

/** For the whole stay at the provider. */
export const SIGN_ON_SECONDS_MAX = 10 * 60;
export const CALLBACK_PATH = '/signOn/callback';
const RETURN_TO_LENGTH_MAX = 2_000;
const AWAY_SECONDS = 5;
/** `<applicationId>.<random>`: the provider returns all browsers of an organization to one address. */
const STATE = /^(p[a-z0-9]{26})\.([A-Za-z0-9_-]{43})$/;
const MARK_CHARACTERS = 12;

const secret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** The application of the state; empty when the state has the wrong form. */
export function applicationOfState(state: string | undefined): string {
  const applicationId = STATE.exec(state ?? '')?.[1];
  return isIdentifier('applicationId', applicationId) ? applicationId : '';
}

/** Names the cookie of an attempt, since a browser may have several at once; undefined for a wrong form. */
export const markOfState = (state: string | undefined): string | undefined =>
  STATE.exec(state ?? '')?.[2]?.slice(0, MARK_CHARACTERS);

/**
 * Each organization has its own, so that no provider's code can come back as another's (RFC 9700 section 4.4). To some
 * providers a `*` in what is registered stands for anything.
 */
export const redirectAddress = (publicUrl: string, organization: string): string =>
  `${publicUrl}${CALLBACK_PATH}/${encodeURIComponent(organization).replaceAll('*', '%2A')}`;

export interface Begun {
  /** The provider's address for the browser. */
  readonly location: string;
  readonly state: string;
  /** For the browser to keep and to show when it comes back. */
  readonly browserSecret: string;
}

/** `former`: the cookie of a session that the browser still has; the new session replaces it. */
export async function begin(
  context: VisitorContext,
  { returnTo, former }: { returnTo: string | undefined; former: string | undefined },
): Promise<Begun> {
  const { applicationId, store, source, people, providers, paceSignOns, now, withoutSlot } = context;
  const path = readReturnTo(returnTo ?? `/console/${applicationId}`, people.publicUrl());
  paceSignOns(source.ip);
  const { application, settings } = await signOnOf(context);
  const state = `${application.id}.${secret()}`;
  const browserSecret = secret();
  const redirectUri = redirectAddress(people.publicUrl(), application.definition.organization);
  const attempt = { redirectUri, state, nonce: secret(), verifier: secret() };
  const location = await orRefused(context, () => withoutSlot(() => providers.authorizationAddress(settings, attempt)));
  const signOn = {
    stateHash: hashOfState(state, settings),
    browserHash: secretHash(browserSecret),
    nonce: attempt.nonce,
    verifier: attempt.verifier,
    returnTo: path,
    formerSession: (await formerSessionOf(store, former))?.id,
    expiresAt: now() + SIGN_ON_SECONDS_MAX * 1_000,
  };
  await insertSignOn(store, signOn, now());
  return { location, state, browserSecret };
}

export interface Comeback {
  /** The organization in the address that the browser came back to. */
  readonly organization: string;
  /** The query with which the provider sent the browser back. */
  readonly answer: Readonly<Record<string, string>>;
  readonly browserSecret: string | undefined;
  readonly agent: string;
}

/**
 * An attempt is used up whatever happens, except when the browser returns to another organization's address: that cannot
 * come from our provider.
 */
export async function complete(
  context: VisitorContext,
  { organization, answer, browserSecret, agent }: Comeback,
): Promise<{ session: OpenedSession; returnTo: string }> {
  const { people, database, providers } = context;
  const { state } = answer;
  if (state === undefined || applicationOfState(state) === '') throw refused(context, 'the state is none of ours');
  const { application, settings } = await signOnOf(context);
  if (organization !== application.definition.organization)
    throw refused(context, 'the address is that of another organization');
  return orRefused(context, async () => {
    const taken = await takeAttempt(context, hashOfState(state, settings), browserSecret);
    const { nonce, verifier, returnTo, formerSession } = taken;
    const attempt = { redirectUri: redirectAddress(people.publicUrl(), organization), state, nonce, verifier };
    const identity = await providers.identify(settings, attempt, answer);
    const account = await accountOfIdentity({ database, application }, identity, settings);
    const session = await openSession({ ...context, application }, account, { method: 'singleSignOn', agent });
    const former = formerSession && (await getSession(context.store, formerSession));
    if (former) await endFormer({ ...context, application }, former);
    return { session, returnTo };
  });
}

/** Includes the provider: a code is never shown to another provider than the one that issued it. */
const hashOfState = (state: string, { issuer, clientId }: SingleSignOn): Uint8Array =>
  secretHash(`${state} ${issuer} ${clientId}`);

async function signOnOf({
  application,
  database,
}: VisitorContext): Promise<{ application: PreparedApplication; settings: SingleSignOn }> {
  const organization = application && (await getOrganization(database.system, application.definition.organization));
  if (application === undefined || organization === undefined || organization.singleSignOn === null) {
    throw fault('FEATURE_DISABLED', { feature: 'singleSignOn' });
  }
  return { application, settings: organization.singleSignOn };
}

async function takeAttempt(
  { store, now }: VisitorContext,
  stateHash: Uint8Array,
  browserSecret: string | undefined,
): Promise<SignOn> {
  const signOn = await takeSignOn(store, stateHash);
  if (signOn === undefined) throw new NotProved('the state is not known, or was used before');
  if (browserSecret === undefined || !secretMatches(browserSecret, signOn.browserHash))
    throw new NotProved('another browser began');
  if (signOn.expiresAt <= now()) throw new NotProved('it took too long');
  return signOn;
}

async function orRefused<T>(context: VisitorContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotProved) throw refused(context, error.message);
    if (!(error instanceof ProviderAway)) throw error;
    report(context, `the provider ${error.message}`);
    throw fault('UNAVAILABLE', { reason: 'provider' }, { 'retry-after': `${AWAY_SECONDS}` });
  }
}

function refused(context: VisitorContext, reason: string): Error {
  report(context, reason);
  return notSignedIn();
}

const report = ({ observe, applicationId, source }: VisitorContext, reason: string): void =>
  observe({ event: 'signOn.refused', applicationId, address: source.ip, reason });

/** Only a path on this server: everything that a browser could read as another server's address is refused. */
function readReturnTo(text: string, publicUrl: string): string {
  const address = URL.canParse(text, publicUrl) ? new URL(text, publicUrl) : undefined;
  const isPath = /^\/(?![/\\])/.test(text) && !/[\p{Cc}\p{Cs}\\]/u.test(text) && text.length <= RETURN_TO_LENGTH_MAX;
  // `/.//elsewhere` passes the first test and becomes `//elsewhere`.
  if (!isPath || address?.origin !== new URL(publicUrl).origin || address.pathname.startsWith('//')) {
    throw fault('INVALID_PARAMETER', { parameter: 'returnTo', reason: 'must be a path on this server' });
  }
  return address.pathname + address.search + address.hash;
}
