// Authenticates by the console's cookie. Its secret changes every quarter of an hour, so that a stolen copy works no longer
// than that. The former secret is accepted until the client has shown the new one (the reply that brought it may have been
// lost), and for a minute more, for requests under way. A former secret that is shown later proves that two clients have
// the cookie: the session ends for both.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { StolenSession } from '../../context.ts';
import type { PreparedApplication } from '../../domain/definition/application.ts';
import { FORMER_MS, isOpen, ROTATION_MS } from '../../domain/people/sessions.ts';
import { readToken, SECRET_BYTES, secretHash } from '../../domain/people/tokens.ts';
import type { Definitions } from '../../store/applications/definitions.ts';
import type { Database } from '../../store/database/database.ts';
import { FreshCache } from '../../store/nodes/fresh-cache.ts';
import type { Invalidation } from '../../store/nodes/messages.ts';
import { type Account, accountOf } from '../../store/people/accounts.ts';
import { confirmSession, getSession, rotateSession, type StoredSession } from '../../store/people/sessions.ts';
import type { Authenticated } from './authenticate.ts';

const CACHED_MAX = 20_000;
/** Rotations are not announced, so for this long another node may still accept the previous secret as the current one. */
const TRUST_MS = 10_000;

export interface LiveSession {
  readonly id: string;
  readonly applicationId: string;
  /** Set when the client is due a new secret: the hashes of the current secret and of the one that the client showed. */
  readonly due: { readonly secretHash: Uint8Array; readonly shownHash: Uint8Array } | undefined;
}

export interface AuthenticatedBySession extends Authenticated {
  readonly session: LiveSession;
}

interface Known {
  readonly stored: StoredSession;
  readonly account: Account;
  readonly readAt: number;
}

interface Dependencies {
  readonly database: Database;
  readonly definitions: Definitions;
  readonly now: () => number;
  readonly receivedAsOf: () => number;
  readonly endStolen: (stolen: StolenSession) => Promise<void>;
}

const same = (one: Uint8Array, other: Uint8Array | undefined): boolean =>
  other !== undefined && timingSafeEqual(one, other);

const authenticatedIn = (application: PreparedApplication, { caller }: Account): Authenticated => ({
  application,
  caller,
  signedInBy: 'session',
});

export class Sessions {
  readonly #dependencies: Dependencies;
  readonly #known: FreshCache<Known | undefined>;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#known = new FreshCache(CACHED_MAX, dependencies.receivedAsOf, (known) => known?.account.user.sharedUserId);
  }

  get lookups(): { readonly hits: number; readonly misses: number } {
    return this.#known;
  }

  invalidate(invalidation: Invalidation): void {
    this.#known.invalidate(invalidation);
  }

  /** Undefined for every session that is not valid, whatever the reason. */
  async authenticate(
    applicationId: string,
    credentials: string,
    address: string,
  ): Promise<AuthenticatedBySession | undefined> {
    const presented = readToken(credentials);
    const application = await this.#dependencies.definitions.get(applicationId);
    if (presented === undefined || application === undefined) return undefined;
    const shown = secretHash(presented.secret);
    const known = await this.#lookUp(application.id, presented.id, shown);
    if (known === undefined || !this.#isValid(application, known)) return undefined;
    const { stored, account } = known;
    const passed = (due: boolean): AuthenticatedBySession => ({
      ...authenticatedIn(application, account),
      session: {
        id: stored.id,
        applicationId: application.id,
        due: due ? { secretHash: stored.secretHash, shownHash: shown } : undefined,
      },
    });
    const age = this.#dependencies.now() - stored.rotatedAt;
    if (same(shown, stored.secretHash)) {
      if (!stored.confirmed) await this.#confirm(application.id, stored);
      return passed(stored.confirmed && age >= ROTATION_MS);
    }
    if (!same(shown, stored.formerHash)) return undefined;
    // Not at once: the reply with the new secret may still be under way to a browser with several requests open.
    if (!stored.confirmed) return passed(age >= FORMER_MS);
    if (age <= FORMER_MS) return passed(false);
    const source = { context: 'console' as const, ip: address };
    await this.#dependencies.endStolen({ application, sessionId: stored.id, caller: account.caller, source });
    return undefined;
  }

  /**
   * For a request that starts over: checks everything again except the secret, which was right when the request began and
   * may have been rotated by another request since.
   */
  async recheck(session: LiveSession): Promise<AuthenticatedBySession | undefined> {
    const { id, applicationId } = session;
    const application = await this.#dependencies.definitions.get(applicationId);
    const known = await this.#known.get(`${applicationId}/${id}`, () => this.#load(applicationId, id));
    if (application === undefined || known === undefined || !this.#isValid(application, known)) return undefined;
    return { ...authenticatedIn(application, known.account), session };
  }

  /** New credentials for a client that is due some. Of several concurrent requests only one gets them. */
  async renew({ id, applicationId, due }: LiveSession): Promise<string | undefined> {
    if (due === undefined) return undefined;
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const rotated = await rotateSession(this.#dependencies.database.application(applicationId), {
      sessionId: id,
      secretHash: due.secretHash,
      newHash: secretHash(secret),
      formerHash: due.shownHash,
      at: this.#time(),
    });
    this.#known.forget(`${applicationId}/${id}`);
    return rotated ? `${id}.${secret}` : undefined;
  }

  /** The cached session suffices for a client that shows the current secret; otherwise it is read again. */
  async #lookUp(applicationId: string, sessionId: string, shown: Uint8Array): Promise<Known | undefined> {
    const key = `${applicationId}/${sessionId}`;
    const load = () => this.#load(applicationId, sessionId);
    const askedAt = performance.now();
    const known = await this.#known.get(key, load);
    if (known === undefined || known.readAt >= askedAt) return known;
    const { stored, readAt } = known;
    const plain = stored.confirmed && same(shown, stored.secretHash) && askedAt - readAt < TRUST_MS;
    if (plain) return known;
    this.#known.forget(key);
    return this.#known.get(key, load);
  }

  async #load(applicationId: string, sessionId: string): Promise<Known | undefined> {
    const { database } = this.#dependencies;
    const readAt = performance.now();
    const stored = await getSession(database.application(applicationId), sessionId);
    return stored && { stored, account: await accountOf(database.system, stored.user), readAt };
  }

  #isValid(application: PreparedApplication, { stored, account }: Known): boolean {
    return !account.disabled && isOpen(application, account.epoch, stored, this.#dependencies.now());
  }

  async #confirm(applicationId: string, { id, secretHash }: StoredSession): Promise<void> {
    await confirmSession(this.#dependencies.database.application(applicationId), id, { secretHash, at: this.#time() });
    this.#known.forget(`${applicationId}/${id}`);
  }

  #time(): string {
    return new Date(this.#dependencies.now()).toISOString();
  }
}
