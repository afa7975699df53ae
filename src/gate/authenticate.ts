// Who is asking: credentials → caller. Everything that fails here answers the same 401, whichever part was wrong.

import type { Caller } from '../domain/access.ts';
import type { PreparedApplication } from '../domain/application.ts';
import { secretMatches } from '../domain/tokens.ts';
import { fault } from '../faults.ts';
import { type Account, accountOf, getAccount } from '../store/accounts.ts';
import type { Database } from '../store/db.ts';
import type { Definitions } from '../store/definitions.ts';
import { FreshCache } from '../store/fresh-cache.ts';
import type { News } from '../store/hearing.ts';
import { getTokenOwner, type TokenOwner } from '../store/tokens.ts';
import { isIdentifier } from '../wire/identifiers.ts';
import { type Presented, readCredentials } from './credentials.ts';
import type { PasswordCheck } from './password-check.ts';
import type { Throttle } from './throttle.ts';

const CACHED_MAX = 20_000;

export interface Authenticated {
  readonly application: PreparedApplication;
  readonly caller: Caller;
}

export class Authenticator {
  readonly #database: Database;
  readonly #definitions: Definitions;
  readonly #throttle: Throttle;
  readonly #passwords: PasswordCheck;
  readonly #tokens: FreshCache<(TokenOwner & { account: Account }) | undefined>;
  readonly #accounts: FreshCache<Account | undefined>;

  constructor(parts: {
    database: Database;
    definitions: Definitions;
    throttle: Throttle;
    passwords: PasswordCheck;
    heardAsOf: () => number;
  }) {
    this.#database = parts.database;
    this.#definitions = parts.definitions;
    this.#throttle = parts.throttle;
    this.#passwords = parts.passwords;
    this.#tokens = new FreshCache(CACHED_MAX, parts.heardAsOf);
    this.#accounts = new FreshCache(CACHED_MAX, parts.heardAsOf);
  }

  hear(news: News): void {
    this.#tokens.hear(news);
    this.#accounts.hear(news);
  }

  async authenticate(applicationId: string, header: string | undefined, address: string): Promise<Authenticated> {
    const presented = readCredentials(header);
    if (presented.scheme === 'none') throw unauthorized();
    const application = await this.#definitions.get(applicationId);
    return presented.scheme === 'basic'
      ? this.#byPassword(application, applicationId, presented, address)
      : this.#byToken(application, applicationId, presented, address);
  }

  /**
   * The usual case without a wait: everything is at hand, fresh, and right. Undefined means nothing but that
   * `authenticate` has to look closer.
   */
  recognize(applicationId: string, header: string | undefined, address: string): Authenticated | undefined {
    const presented = readCredentials(header);
    const application = this.#definitions.peek(applicationId);
    if (application === undefined) return undefined;
    if (presented.scheme === 'bearer') {
      const owner = this.#tokens.peek(`${applicationId}/${presented.token.id}`);
      const right = owner && !owner.account.disabled && secretMatches(presented.token.secret, owner.secretHash);
      return right ? { application, caller: owner.account.caller } : undefined;
    }
    if (presented.scheme === 'basic' && !application.singleSignOn) {
      const known = this.#accounts.peek(`${applicationId}/${presented.userId}`);
      if (known?.passwordHash === undefined || known.disabled) return undefined;
      const name = accountName(applicationId, presented.userId);
      if (this.#throttle.blocks(address, name)) return undefined;
      if (!this.#passwords.remembers(name, known.passwordHash, presented.password)) return undefined;
      this.#throttle.succeed(address, name);
      return { application, caller: known.caller };
    }
    return undefined;
  }

  async #byToken(
    application: PreparedApplication | undefined,
    applicationId: string,
    presented: Exclude<Presented, { scheme: 'none' | 'basic' }>,
    address: string,
  ): Promise<Authenticated> {
    const id = presented.scheme === 'bearer' ? presented.token.id : '';
    if (application !== undefined && presented.scheme === 'bearer') {
      const owner = await this.#tokens.get(`${applicationId}/${id}`, () => this.#loadToken(applicationId, id));
      if (owner !== undefined && secretMatches(presented.token.secret, owner.secretHash) && !owner.account.disabled) {
        return { application, caller: owner.account.caller };
      }
    }
    throw this.#refuse(address, `${applicationId} ${id}`);
  }

  async #byPassword(
    application: PreparedApplication | undefined,
    applicationId: string,
    { userId, password }: { userId: string; password: string },
    address: string,
  ): Promise<Authenticated> {
    const name = accountName(applicationId, userId);
    this.#throttle.check(address, name);
    const known = application !== undefined && !application.singleSignOn && isIdentifier('userId', userId);
    const account = known
      ? await this.#accounts.get(`${applicationId}/${userId}`, () => getAccount(this.#database, applicationId, userId))
      : undefined;
    const matches = await this.#passwords.matches(name, account?.passwordHash, password);
    // Again, because others may have failed meanwhile: many guesses at once are no way around the wait.
    this.#throttle.check(address, name);
    if (application === undefined || account === undefined || !matches || account.disabled)
      throw this.#refuse(address, name);
    this.#throttle.succeed(address, name);
    return { application, caller: account.caller };
  }

  /** Counts the failure; while the account or address is being slowed the answer is 429 instead of 401. */
  #refuse(address: string, account: string): Error {
    this.#throttle.check(address, account);
    this.#throttle.fail(address, account);
    return unauthorized();
  }

  async #loadToken(applicationId: string, tokenId: string): Promise<(TokenOwner & { account: Account }) | undefined> {
    const owner = await getTokenOwner(this.#database.application(applicationId), tokenId);
    return owner && { ...owner, account: await accountOf(this.#database.system, owner.user) };
  }
}

/** Whatever is presented as one: bounded, and without what separates it from others. */
const accountName = (applicationId: string, userId: string): string =>
  `${applicationId} ${userId.slice(0, 64).replaceAll('\0', '')}`;

export function unauthorized() {
  return fault('UNAUTHORIZED', undefined, {
    'www-authenticate': 'Bearer realm="cartulary", Basic realm="cartulary", charset="UTF-8"',
  });
}
