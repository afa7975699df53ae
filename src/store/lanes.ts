// Connections on which the reads of many requests travel together. What is asked within one turn of the event loop goes
// out in one write, and the database answers a lane in order: under load that is a fraction of the system calls of a
// connection per statement (a get at 32 connections: 40 % of the server's time was spent in them). Nothing that can
// wait for a lock, or takes long, belongs here: it would keep back what stands behind it.

import type pg from 'pg';
import { endClient, newClient, type PoolOptions } from './pool.ts';
import { isBroken } from './sqlstate.ts';

/**
 * A read waits for a lock only while a table is being changed; beyond this it gives way to those behind it. A database that
 * says nothing for so long is given up, and the lane with it.
 */
const BOUNDS = { lock_timeout: 300, query_timeout: 10_000 };
/** Lanes that one application may use: enough for two cores, and one that is stuck does not stop all others. */
const LANES_EACH = 2;

interface Lane {
  client: pg.Client | undefined;
  connecting: Promise<pg.Client> | undefined;
  /** Statements that were not yet answered. */
  under: number;
  /** Whether what is asked is held back until the end of this turn. */
  held: boolean;
}

/** Sends statements on the connection, and calls `answered` once. */
export type Ask = (client: pg.Client, answered: (error?: unknown) => void) => void;

export class Lanes {
  readonly #options: PoolOptions;
  readonly #lanes: Lane[];
  #closed = false;

  constructor(options: PoolOptions, count: number) {
    this.#options = options;
    this.#lanes = Array.from({ length: count }, () => ({
      client: undefined,
      connecting: undefined,
      under: 0,
      held: false,
    }));
  }

  /**
   * Runs `ask` on the one of the application's lanes that has the least to do. An error that says that the connection is
   * going arrives ahead of its end: nothing more is sent there.
   */
  travel(home: number | undefined, ask: Ask, refuse: (error: unknown) => void): void {
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

  #lanesOf(home: number | undefined): Lane[] {
    if (home === undefined || this.#lanes.length <= LANES_EACH) return this.#lanes;
    return Array.from({ length: LANES_EACH }, (_, n) => this.#lanes[(home + n) % this.#lanes.length]!);
  }

  #go(lane: Lane, client: pg.Client, ask: Ask): void {
    lane.under += 1;
    this.#hold(lane, client);
    ask(client, (error) => {
      lane.under -= 1;
      if (isBroken(error) && lane.client === client) lane.client = undefined;
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#lanes.map(({ connecting }) => connecting));
    await Promise.all(this.#lanes.map(({ client }) => client && endClient(client)));
  }

  #hold(lane: Lane, client: pg.Client): void {
    if (lane.held) return;
    const { stream } = (client as pg.Client & { connection: { stream: NodeJS.WritableStream & Corkable } }).connection;
    lane.held = true;
    stream.cork();
    setImmediate(() => {
      lane.held = false;
      stream.uncork();
    });
  }

  async #connect(lane: Lane): Promise<pg.Client> {
    const client = newClient(this.#options, BOUNDS);
    const lose = () => {
      if (lane.client === client) lane.client = undefined;
    };
    client.on('error', (error) => {
      if (lane.client === client && !this.#closed) this.#options.onConnectionError(error);
      lose();
    });
    client.on('end', lose);
    try {
      await client.connect();
      if (this.#closed) {
        await client.end().catch(() => undefined);
        throw new Error('Client was closed');
      }
      lane.client = client;
      return client;
    } finally {
      lane.connecting = undefined;
    }
  }
}

interface Corkable {
  cork(): void;
  uncork(): void;
}
