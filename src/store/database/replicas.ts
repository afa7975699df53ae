// The standbys that serve reads for callers who allow it: which of them may serve one now. A caller must not see the
// application as it was before a write through this node. So the node remembers when it last wrote for each application, and a
// standby serves it only when it has replayed the log up to a sample that was taken later (wal-samples).

import type pg from 'pg';
import type { RequestScope } from '../../request/request-scope.ts';
import { withTimeout } from '../../request/timeout.ts';
import type { Connections } from './connections.ts';
import { addressesOf, NotAStandby, reasonOf, SYSTEM_IDENTIFIER } from './database-servers.ts';
import { UnsupportedDatabase } from './engine.ts';
import { type Fallback, Replica, type ReplicaRead } from './replica.ts';
import { SYSTEM } from './schemas.ts';
import { type Row, run } from './statements.ts';
import { WalSamples } from './wal-samples.ts';

/** How often positions are asked for: an application that has just written reads from the primary about as long. */
const PERIOD_MS = 200;
const SAMPLE_MS = 1_000;

const POSITION = `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8`;

export interface ReplicaSettings {
  readonly connections: readonly pg.ClientConfig[];
  /** A replica that lags further is not used. */
  readonly lagMs: number;
  /** Called with the reason when a replica is away, and without one when it is found. */
  readonly onChange: (replica: string, reason: string | undefined) => void;
}

interface ReplicasOptions extends ReplicaSettings {
  readonly primary: Connections;
  /** How the primary is reached. */
  readonly connection: pg.ClientConfig;
  readonly connectionsMax: number;
  readonly requestMs: number;
}

export interface ReplicaState {
  readonly replica: string;
  readonly isUp: boolean;
  /** Undefined while they are not known. */
  readonly lagSeconds: number | undefined;
  readonly lagBytes: number | undefined;
}

export type ReplicaOutcome = 'served' | Fallback;

export class Replicas {
  readonly outcomes: Record<ReplicaOutcome, number> = {
    ...{ served: 0, away: 0, lagging: 0, definition: 0, conflict: 0, busy: 0, failed: 0, refused: 0 },
  };
  readonly #options: ReplicasOptions;
  readonly #replicas: readonly Replica[];
  readonly #samples: WalSamples;
  /** By schema, when this node last wrote to it. Entries older than any lag that is allowed are dropped. */
  readonly #writtenAt = new Map<string, number>();
  #systemIdentifier: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sampling = false;

  constructor(options: ReplicasOptions) {
    const { connections, lagMs, connectionsMax, requestMs, onChange } = options;
    this.#options = options;
    this.#samples = new WalSamples(lagMs);
    const shared = { systemIdentifier: () => this.#systemIdentifier, connectionsMax, requestMs, onChange };
    this.#replicas = connections.map((connection) => new Replica({ connection, ...shared }));
  }

  /** Throws if an address is not that of a standby of the primary. One that does not respond is used when it is back. */
  async start(): Promise<void> {
    const [row] = await this.#onPrimary(`select ${SYSTEM_IDENTIFIER}`);
    this.#systemIdentifier = row?.[0] as string;
    await this.#sample();
    await Promise.all(this.#replicas.map((replica) => this.#check(replica)));
    this.#timer = setInterval(() => this.#poll(), PERIOD_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }

  get states(): ReplicaState[] {
    const now = performance.now();
    const latest = this.#samples.latestPosition;
    return this.#replicas.map(({ name, isUp, position, showsUntil }) => ({
      replica: name,
      isUp,
      lagSeconds: Number.isFinite(showsUntil) ? (now - showsUntil) / 1_000 : undefined,
      lagBytes: isUp && latest !== undefined ? Math.max(0, latest - position) : undefined,
    }));
  }

  /** Something was written to the schema through this node, or may have been. */
  wrote(schema: string): void {
    this.#writtenAt.set(schema, performance.now());
  }

  /** A replica that may serve the schema now; of several the same one for each reader, so that readers seldom go back in time. */
  choose(schema: string, reader: string): Replica | undefined {
    const now = performance.now();
    const moment = Math.max(now - this.#options.lagMs, this.#writtenAt.get(schema) ?? Number.NEGATIVE_INFINITY);
    const count = this.#replicas.length;
    const first = reader.charCodeAt(reader.length - 1) || 0;
    for (let n = 0; n < count; n++) {
      const replica = this.#replicas[(first + n) % count];
      if (replica?.mayServe(schema, moment, now)) return replica;
    }
    this.outcomes[this.#replicas.some(({ isUp }) => isUp) ? 'lagging' : 'away'] += 1;
    return undefined;
  }

  async read<T>(
    replica: Replica,
    from: { schema: string; scope: RequestScope | undefined },
    work: (read: ReplicaRead) => Promise<T>,
  ): Promise<T> {
    const result = await replica.serve(from, work, (reason) => {
      this.outcomes[reason] += 1;
    });
    this.outcomes.served += 1;
    return result;
  }

  #poll(): void {
    if (this.#sampling) return;
    this.#sampling = true;
    // A replica that has been promoted, or refuses the account now, is away until it is a replica again.
    const ask = () => this.#replicas.map((replica) => replica.poll(this.#samples).catch(() => undefined));
    void this.#sample()
      .then(() => Promise.all(ask()))
      .finally(() => {
        this.#sampling = false;
      });
  }

  /** While the primary is away no replica is known to be current, and soon none serves. */
  async #sample(): Promise<void> {
    const moment = performance.now();
    this.#forgetWrites(moment - this.#options.lagMs);
    const [row] =
      (await withTimeout(
        SAMPLE_MS,
        this.#onPrimary(POSITION).catch(() => undefined),
      )) ?? [];
    if (row !== undefined) this.#samples.add(moment, row[0] as number);
  }

  #onPrimary(text: string): Promise<Row[]> {
    return this.#options.primary.read(SYSTEM, undefined, (lane) => run(lane, { text, params: [], prepare: true }));
  }

  #forgetWrites(before: number): void {
    for (const [schema, moment] of this.#writtenAt) if (moment < before) this.#writtenAt.delete(schema);
  }

  async #check(replica: Replica): Promise<void> {
    try {
      await replica.poll(this.#samples);
    } catch (error) {
      // After a failover an address of the list is that of the new primary. Where only one server is named, it is a mistake.
      const mayBePromoted = addressesOf(this.#options.connection).length > 1;
      if (error instanceof NotAStandby && error.isPrimary && mayBePromoted) return;
      const reason = error instanceof NotAStandby ? error.message : reasonOf(error);
      throw new UnsupportedDatabase(
        `CARTULARY_REPLICA_URLS names a server that cannot be a replica: ${replica.name} ${reason}.`,
      );
    }
  }
}
