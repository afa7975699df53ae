// Connections on which the reads of many requests travel together. What is asked within one turn of the event loop goes
// out in one write, and the database answers a lane in order: under load that is a fraction of the system calls of a
// connection per statement (a get at 32 connections: 40 % of the server's time was spent in them). Nothing that can
// wait for a lock, or takes long, belongs here: it would keep back what stands behind it. So the database ends what does,
// and it is asked again on a connection of its own (store/database/connections).

import type pg from 'pg';
import { ConnectionsClosed } from './connection-failure.ts';
import { cutClient, streamOf } from './driver.ts';
import type { PoolOptions } from './pool.ts';
import { endClient, Silence } from './servers.ts';
import { isBroken } from './sqlstate.ts';

/** A read waits for a lock only while a table is being changed; beyond this it gives way to those behind it. */
const LOCK_MS = 100;
/** And whatever else it does, beyond this it gives way as well. A get or a page takes a few milliseconds. */
const STATEMENT_MS = 200;
/**
 * A lane that has said nothing for so long is cut off: there is nobody at the other end, or nobody who answers. Much longer
 * than a statement takes, because a database that stands still for a moment answers all of them afterwards.
 */
const SILENT_MS = 5_000;
const GRACE_MS = 500;
const LOOK_MS = 250;
/** Lanes that one application may use: enough for two cores, and one that is stuck does not stop all others. */
const LANES_EACH = 2;

interface Lane {
  client: pg.Client | undefined;
  silence: Silence | undefined;
  connecting: Promise<pg.Client> | undefined;
  /** Statements that were not yet answered. */
  under: number;
  /** Whether what is asked is held back until the end of this turn. */
  held: boolean;
}

/** Sends statements on the connection, and calls `answered` once. */
export type SendOnLane = (client: pg.Client, answered: (error?: unknown) => void) => void;

export interface LanesOptions extends PoolOptions {
  readonly count: number;
  /** By then a request is answered: nobody waits longer for a read. */
  readonly requestMs: number;
}

export class Lanes {
  readonly #options: LanesOptions;
  readonly #silentMs: number;
  readonly #lanes: Lane[];
  readonly #timer: NodeJS.Timeout;
  #closed = false;

  constructor(options: LanesOptions) {
    this.#options = options;
    this.#silentMs = Math.min(SILENT_MS, options.requestMs) + GRACE_MS;
    this.#lanes = Array.from({ length: options.count }, () => ({
      client: undefined,
      silence: undefined,
      connecting: undefined,
      under: 0,
      held: false,
    }));
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  get counts() {
    return {
      lanes: this.#lanes.filter(({ client }) => client !== undefined).length,
      laneStatements: this.#lanes.reduce((sum, { under }) => sum + under, 0),
    };
  }

  /**
   * Runs `ask` on the one of the application's lanes that has the least to do. An error that says that the connection is
   * going arrives ahead of its end: nothing more is sent there.
   */
  run(home: number | undefined, ask: SendOnLane, refuse: (error: unknown) => void): void {
    const lane = this.#lanesOf(home).reduce((least, other) => (other.under < least.under ? other : least));
    if (lane.client !== undefined) {
      this.#go(lane, lane.client, ask);
      return;
    }
    // Counted while it waits, so that the next takes another lane.
    lane.under += 1;
    lane.connecting ??= this.#connect(lane);
    lane.connecting.then(
      (client) => {
        lane.under -= 1;
        this.#go(lane, client, ask);
      },
      (error) => {
        lane.under -= 1;
        // The database may allow fewer connections than there are lanes: those that there are carry on.
        const other = this.#lanes.find(({ client }) => client !== undefined);
        if (other?.client === undefined) refuse(error);
        else this.#go(other, other.client, ask);
      },
    );
  }

  /** The database may be out of reach without our having been told: lanes on which nothing is asked are made anew. */
  suspect(): void {
    for (const lane of this.#lanes) {
      if (lane.client === undefined || lane.under > 0) continue;
      void endClient(lane.client);
      lane.client = undefined;
    }
  }

  #lanesOf(home: number | undefined): Lane[] {
    if (home === undefined || this.#lanes.length <= LANES_EACH) return this.#lanes;
    return Array.from({ length: LANES_EACH }, (_, n) => this.#lanes[(home + n) % this.#lanes.length]!);
  }

  #go(lane: Lane, client: pg.Client, ask: SendOnLane): void {
    lane.under += 1;
    this.#hold(lane, client);
    ask(client, (error) => {
      lane.under -= 1;
      if (!isBroken(error) || lane.client !== client) return;
      lane.client = undefined;
      void endClient(client);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await Promise.allSettled(this.#lanes.map(({ connecting }) => connecting));
    await Promise.all(this.#lanes.map(({ client }) => client && endClient(client)));
  }

  #hold(lane: Lane, client: pg.Client): void {
    if (lane.held) return;
    const stream = streamOf(client);
    lane.held = true;
    stream.cork();
    setImmediate(() => {
      lane.held = false;
      stream.uncork();
    });
  }

  #look(): void {
    const now = performance.now();
    for (const { client, silence } of this.#lanes) {
      if (client === undefined || silence === undefined) continue;
      if (silence.check(now) > this.#silentMs) cutClient(client);
    }
  }

  async #connect(lane: Lane): Promise<pg.Client> {
    try {
      const client = await this.#options.servers.connect({
        lock_timeout: LOCK_MS,
        statement_timeout: STATEMENT_MS,
      });
      const lose = () => {
        if (lane.client === client) lane.client = undefined;
      };
      client.on('error', (error) => {
        if (lane.client === client && !this.#closed) this.#options.onConnectionError(error);
        lose();
      });
      client.on('end', lose);
      if (this.#closed) {
        await endClient(client);
        throw new ConnectionsClosed();
      }
      lane.client = client;
      lane.silence = new Silence(client);
      return client;
    } finally {
      lane.connecting = undefined;
    }
  }
}
