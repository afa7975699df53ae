// Authentication: credentials → caller. Every failure gets the same 401, whichever part was wrong. A reason tells only what the
// header's form shows.

import type { LoginFailure, PasswordProof, WithoutSlot } from '../../context.ts';
import type { PreparedApplication } from '../../domain/definition/application.ts';
import type { Caller } from '../../domain/people/access.ts';
import { accountKey } from '../../domain/people/passwords.ts';
import { secretMatches } from '../../domain/people/tokens.ts';
import { fault } from '../../faults.ts';
import type { Definitions } from '../../store/applications/definitions.ts';
import type { Database } from '../../store/database/database.ts';
import { FreshCache } from '../../store/nodes/fresh-cache.ts';
import type { Invalidation } from '../../store/nodes/messages.ts';
import { type Account, accountOf, getAccount, presentHash } from '../../store/people/accounts.ts';
import { type TokenUses, USE_RECORDED_MS } from '../../store/people/token-uses.ts';
import { getToken, type StoredToken } from '../../store/people/tokens.ts';
import { isIdentifier, PATTERNS } from '../../wire/identifiers.ts';
import type { Throttle } from '../throttling/throttle.ts';
import { type PresentedCredentials, readCredentials } from './credentials.ts';
import type { PasswordCheck } from './password-check.ts';

const CACHED_MAX = 20_000;

export interface Authenticated {
  readonly application: PreparedApplication;
  readonly caller: Caller;
  readonly signedInBy: 'token' | 'password' | 'session';
  /** Set for a request with a token. */
  readonly tokenId?: string;
}

export interface AuthenticateOptions {
  readonly address: string;
  readonly withoutSlot: WithoutSlot;
}

interface KnownToken extends StoredToken {
  readonly account: Account;
  /** When its use was last recorded, by this node or another. */
  useRecordedAt: number;
}

interface Dependencies {
  readonly database: Database;
  readonly definitions: Definitions;
  readonly throttle: Throttle;
  readonly passwords: Pick<PasswordCheck, 'remembers'>;
  readonly provesPassword: PasswordProof;
  readonly loginFailed: (failure: LoginFailure) => void;
  readonly tokenUses: Pick<TokenUses, 'record'>;
  readonly now: () => number;
  readonly receivedAsOf: () => number;
}

export class Authenticator {
  readonly #dependencies: Dependencies;
  readonly #tokens: FreshCache<KnownToken | undefined>;
  readonly #accounts: FreshCache<Account | undefined>;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#tokens = new FreshCache(CACHED_MAX, dependencies.receivedAsOf, (owner) => owner?.user.sharedUserId);
    this.#accounts = new FreshCache(CACHED_MAX, dependencies.receivedAsOf, (account) => account?.user.sharedUserId);
  }

  get lookups() {
    return { tokens: this.#tokens, accounts: this.#accounts } as const;
  }

  invalidate(invalidation: Invalidation): void {
    this.#tokens.invalidate(invalidation);
    this.#accounts.invalidate(invalidation);
  }

  async authenticate(
    applicationId: string,
    header: string | undefined,
    options: AuthenticateOptions,
  ): Promise<Authenticated> {
    const presented = readCredentials(header);
    if (presented.scheme === 'none') throw unauthorized();
    const application = await this.#dependencies.definitions.get(applicationId);
    return presented.scheme === 'basic'
      ? this.#byPassword(application, applicationId, presented, options)
      : this.#byToken(application, applicationId, presented, options.address);
  }

  /**
   * The usual case, without waiting: everything needed is cached, fresh, and right. Undefined says nothing about the
   * credentials; `authenticate` decides.
   */
  recognize(applicationId: string, header: string | undefined, address: string): Authenticated | undefined {
    const presented = readCredentials(header);
    const { definitions, throttle, passwords } = this.#dependencies;
    const application = definitions.peek(applicationId);
    if (application === undefined) return undefined;
    if (presented.scheme === 'bearer') {
      const { id, secret } = presented.token;
      const owner = this.#tokens.peek(`${applicationId}/${id}`);
      return owner && this.#passes(owner, secret) ? this.#used(application, id, owner) : undefined;
    }
    if (presented.scheme === 'basic' && !application.singleSignOn) {
      const known = this.#accounts.peek(`${applicationId}/${presented.userId}`);
      if (known?.passwordHash === undefined || known.disabled) return undefined;
      const name = accountKey(applicationId, presented.userId);
      if (throttle.blocks(address, name)) return undefined;
      if (!passwords.remembers(name, known.passwordHash, presented.password)) return undefined;
      throttle.succeed(address, name);
      return { application, caller: known.caller, signedInBy: 'password' };
    }
    return undefined;
  }

  #passes(owner: KnownToken, secret: string): boolean {
    return (
      !owner.account.disabled && secretMatches(secret, owner.secretHash) && owner.expiresAt > this.#dependencies.now()
    );
  }

  #used(application: PreparedApplication, tokenId: string, owner: KnownToken): Authenticated {
    const { now, tokenUses } = this.#dependencies;
    const at = now();
    if (at - owner.useRecordedAt >= USE_RECORDED_MS) {
      owner.useRecordedAt = at;
      tokenUses.record(application.id, tokenId, at);
    }
    return { application, caller: owner.account.caller, signedInBy: 'token', tokenId };
  }

  async #byToken(
    application: PreparedApplication | undefined,
    applicationId: string,
    presented: Exclude<PresentedCredentials, { scheme: 'none' | 'basic' }>,
    address: string,
  ): Promise<Authenticated> {
    const id = presented.scheme === 'bearer' ? presented.token.id : '';
    if (application !== undefined && presented.scheme === 'bearer') {
      const owner = await this.#tokens.get(`${applicationId}/${id}`, () => this.#loadToken(applicationId, id));
      if (owner !== undefined) {
        if (this.#passes(owner, presented.token.secret)) return this.#used(application, id, owner);
        const expired = !owner.account.disabled && secretMatches(presented.token.secret, owner.secretHash);
        if (!expired) this.#reportFailure(application, owner.account, address);
      }
    }
    const { throttle } = this.#dependencies;
    const name = `${applicationId} ${id}`;
    // While the token or the address is slowed down the reply is 429.
    throttle.check(address, name);
    throttle.fail(address, name);
    throw unauthorized(presented.scheme === 'unknown' ? { reason: UNKNOWN_SCHEME } : undefined);
  }

  async #byPassword(
    application: PreparedApplication | undefined,
    applicationId: string,
    { userId, password }: { userId: string; password: string },
    { address, withoutSlot }: AuthenticateOptions,
  ): Promise<Authenticated> {
    const { database, throttle, provesPassword } = this.#dependencies;
    const name = accountKey(applicationId, userId);
    throttle.check(address, name);
    const known = application !== undefined && !application.singleSignOn && isIdentifier('userId', userId);
    const account = known
      ? await this.#accounts.get(`${applicationId}/${userId}`, () => getAccount(database, applicationId, userId))
      : undefined;
    const tenant = application?.id ?? '';
    const said = { address, tenant, account: name, hash: presentHash(account), password };
    const proved = await withoutSlot((signal) => provesPassword({ ...said, signal }));
    if (application === undefined || account === undefined || !proved) {
      if (application !== undefined && account !== undefined) this.#reportFailure(application, account, address);
      throw unauthorized(isIdentifier('userId', userId) ? undefined : { reason: NO_USER_ID });
    }
    return { application, caller: account.caller, signedInBy: 'password' };
  }

  #reportFailure(application: PreparedApplication, { caller: { id, name } }: Account, address: string): void {
    this.#dependencies.loginFailed({ application, user: { id, name }, source: { context: 'api', ip: address } });
  }

  async #loadToken(applicationId: string, tokenId: string): Promise<KnownToken | undefined> {
    const { database } = this.#dependencies;
    const owner = await getToken(database.application(applicationId), tokenId);
    return (
      owner && { ...owner, account: await accountOf(database.system, owner.user), useRecordedAt: owner.lastUsedAt }
    );
  }
}

/** Said by the form alone, after the same checks and the same time as every other refusal. */
const NO_USER_ID = `the user name of Basic is a user ID of the form ${PATTERNS.userId}, not a name or an e-mail address`;
const UNKNOWN_SCHEME = 'Authorization must begin with Bearer or Basic';

export function unauthorized(params?: { reason: string }) {
  return fault('UNAUTHORIZED', params, {
    'www-authenticate': 'Bearer realm="cartulary", Basic realm="cartulary", charset="UTF-8"',
  });
}
