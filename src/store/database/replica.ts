// A standby that serves reads, with connections of its own: what is known of it, and the reads that run on it now. Whatever
// goes wrong here is no error to a client, because the primary then serves the request.

import type pg from 'pg';
import { Fault, tooBusy } from '../../faults.ts';
import { BoundedMap } from '../../load/bounded-map.ts';
import type { RequestScope } from '../../request/request-scope.ts';
import { onAbort, RequestSignal } from '../../request/signal.ts';
import { withTimeout } from '../../request/timeout.ts';
import { Connections } from './connections.ts';
import { isBroken, isLocked, isRefusedAccount, isRetriable, StaleDefinition } from './database-errors.ts';
import { NotAStandby, reasonOf, serverName } from './database-servers.ts';
import { SYSTEM } from './schemas.ts';
import { run } from './statements.ts';
import type { WalSamples } from './wal-samples.ts';

/** Why the primary served what a replica might have. */
export type Fallback = 'away' | 'lagging' | 'definition' | 'conflict' | 'busy' | 'failed' | 'refused';

/** One request that is served by the replica. */
export interface ReplicaRead {
  readonly signal: RequestSignal;
  /** The replica since it was last back: what was learned about it before is forgotten. */
  readonly replica: object;
  readonly since: number;
}

/** Few: a replica serves reads alone, and the primary serves what finds no connection. */
const CONNECTIONS_MAX = 8;
/** A replica that does not say its position within this time is away, and its reads go to the primary. */
const POLL_MS = 1_000;
/** For how long nothing is read from a replica that was lost, or for an application whose read failed there. */
const REST_MS = 2_000;
/** At most: the primary has to have time left for a read that takes too long here. */
const READ_MS = 10_000;
const READ_PART = 1 / 3;
const RESTING_MAX = 1_000;

const POSITION = `select pg_is_in_recovery(), pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8`;

export interface ReplicaOptions {
  readonly connection: pg.ClientConfig;
  /** Of the primary, once it is known. */
  readonly systemIdentifier: () => string | undefined;
  readonly connectionsMax: number;
  readonly requestMs: number;
  /** Called with the reason when it is away, and without one when it is back. */
  readonly onChange: (replica: string, reason: string | undefined) => void;
}

export class Replica {
  /** Its address, without user and password. */
  readonly name: string;
  readonly connections: Connections;
  readonly #onChange: ReplicaOptions['onChange'];
  readonly #readMs: number;
  readonly #reads = new Set<ReplicaRead>();
  /** By schema, until when nothing of it is read here. */
  readonly #resting = new BoundedMap<string, number>(RESTING_MAX);
  #restsUntil = 0;
  /** Undefined while it is away. */
  #current: object | undefined;
  #position = 0;
  #showsUntil = Number.NEGATIVE_INFINITY;
  #awayReason: string | undefined = '';
  #polling: Promise<void> | undefined;

  constructor({ connection, systemIdentifier, connectionsMax, requestMs, onChange }: ReplicaOptions) {
    this.name = serverName(connection);
    this.#onChange = onChange;
    this.#readMs = Math.min(READ_MS, requestMs * READ_PART);
    this.connections = new Connections({
      connection,
      standbyOf: systemIdentifier,
      connectionsMax: Math.min(CONNECTIONS_MAX, connectionsMax),
      requestMs,
      // Even if it is back at once, it may be back with less than it had shown.
      onConnectionError: (error) => this.#lose(error.message),
    });
  }

  get isUp(): boolean {
    return this.#current !== undefined;
  }

  /** Up to which it has replayed the log of the primary, when it was last asked. */
  get position(): number {
    return this.#position;
  }

  /** It shows everything that was committed before this moment (wal-samples). */
  get showsUntil(): number {
    return this.#showsUntil;
  }

  /** Whether it may serve a read of the schema that has to show everything up to the moment. */
  mayServe(schema: string, moment: number, now: number): boolean {
    if (this.#current === undefined || now < this.#restsUntil || this.#showsUntil < moment) return false;
    return this.#resting.size === 0 || now >= (this.#resting.get(schema) ?? 0);
  }

  /** The caller runs again on the primary what this rejects. `onFallback` is not called for a request that has ended. */
  async serve<T>(
    { schema, scope }: { schema: string; scope: RequestScope | undefined },
    work: (read: ReplicaRead) => Promise<T>,
    onFallback: (reason: Fallback) => void,
  ): Promise<T> {
    const signal = new RequestSignal();
    const read = { signal, replica: this.#current ?? this, since: performance.now() };
    const unsubscribe = onAbort(scope?.signal, () => signal.abort(scope?.signal.reason ?? tooBusy()));
    this.#reads.add(read);
    try {
      return await work(read);
    } catch (error) {
      if (!scope?.signal.aborted) onFallback(this.#failed(schema, error));
      throw error;
    } finally {
      this.#reads.delete(read);
      unsubscribe();
    }
  }

  #failed(schema: string, error: unknown): Fallback {
    const reason = fallbackOf(error);
    const until = performance.now() + REST_MS;
    if (reason === 'away') this.#lose(reasonOf(causeOf(error)));
    else if (reason !== 'refused') this.#resting.set(schema, until);
    return reason;
  }

  /** Asks for its position. Rejects only with NotAStandby, or if it refuses the account. */
  poll(samples: WalSamples): Promise<void> {
    this.#polling ??= this.#poll(samples).finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #poll(samples: WalSamples): Promise<void> {
    this.#endLongReads();
    if (performance.now() < this.#restsUntil) return;
    const asking = this.connections.readOnLane(SYSTEM, (lane) =>
      run(lane, { text: POSITION, params: [], prepare: true }),
    );
    asking.catch(() => undefined);
    try {
      const rows = await withTimeout(POLL_MS, asking);
      if (rows === undefined) throw Object.assign(new Error(`no answer within ${POLL_MS} ms`), { code: 'ETIMEDOUT' });
      const [inRecovery, position] = rows[0] as [boolean, number | null];
      // Its connections have survived that it was promoted.
      if (!inRecovery) throw new NotAStandby('accepts writes, so it is not a standby', { isPrimary: true });
      this.#position = position ?? 0;
      this.#showsUntil = samples.reachedBy(this.#position) ?? Number.NEGATIVE_INFINITY;
      this.#current ??= {};
      this.#report(undefined);
    } catch (error) {
      this.#lose(error instanceof NotAStandby ? error.message : reasonOf(error));
      if (error instanceof NotAStandby || isRefusedAccount(error)) throw error;
    }
  }

  /** Reads that run on it go to the primary. */
  #lose(reason: string): void {
    this.#restsUntil = performance.now() + REST_MS;
    this.#current = undefined;
    this.#showsUntil = Number.NEGATIVE_INFINITY;
    this.#resting.clear();
    for (const { signal } of this.#reads) signal.abort(tooBusy());
    this.connections.cutLanes();
    this.#report(reason);
  }

  #report(reason: string | undefined): void {
    if ((reason === undefined) !== (this.#awayReason === undefined) || this.#awayReason === '') {
      this.#onChange(this.name, reason);
    }
    this.#awayReason = reason;
  }

  #endLongReads(): void {
    const before = performance.now() - this.#readMs;
    for (const { signal, since } of this.#reads) if (since < before) signal.abort(tooBusy());
  }

  close(): Promise<void> {
    return this.connections.close();
  }
}

const causeOf = (error: unknown): unknown => (error instanceof Fault ? (error.cause ?? error) : error);

function fallbackOf(error: unknown): Fallback {
  if (error instanceof StaleDefinition) return 'definition';
  const cause = causeOf(error);
  // While the standby replays a change of a table or a clean-up, it waits for reads or ends them.
  if (isRetriable(cause) || isLocked(cause)) return 'conflict';
  if (isBroken(cause) || cause instanceof NotAStandby) return 'away';
  if (!(error instanceof Fault)) return 'failed';
  return error.code === 'UNAVAILABLE' ? 'busy' : 'refused';
}
