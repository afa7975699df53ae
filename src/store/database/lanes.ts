// Lanes: connections that the reads of many requests share. Statements sent within one turn of the event loop go out in one
// write, and their results come back in order. Under load this takes a fraction of the system calls of a connection per
// statement (a get at 32 connections: they took 40 % of the server's time). A statement that waits for a lock or takes long
// would delay all statements after it on its lane. So the database ends it, and it runs again on a connection of its own
// (store/database/connections).

import type pg from 'pg';
import { ConnectionsClosed, isBroken } from './database-errors.ts';
import { endClient, Silence } from './database-servers.ts';
import { cutClient } from './driver.ts';
import { KnownSchemas } from './known-schemas.ts';
import type { PoolOptions } from './pool.ts';
import type { SchemaLocation } from './schemas.ts';
import { sendTogether } from './sent-statement.ts';

/** A read waits for a lock only while its table is being altered. */
const LOCK_MS = 100;
/** A get or a page takes a few milliseconds. */
const STATEMENT_MS = 200;
/**
 * A lane that is silent for this long is cut off: the database is gone or hangs. Much longer than a statement takes, because
 * a database that stalls for a moment completes all of them afterwards.
 */
const SILENT_MS = 5_000;
const GRACE_MS = 500;
const CHECK_MS = 250;
/** After a connection that was to replace another could not be made. */
const REPLACE_PAUSE_MS = 2_000;
/** Lanes that one application may use: enough for two cores, and a stuck application does not stop all others. */
const LANES_EACH = 2;

/** Four lanes know 12,000 applications together, of which each uses two, in about 1.5 GB. */
const SCHEMAS_MAX = 6_000;

interface Lane {
  client: pg.Client | undefined;
  silence: Silence | undefined;
  connecting: Promise<pg.Client> | undefined;
  /** Statements without a result yet. */
  pending: number;
  /** Whether a connection is made that takes the place of this one. */
  replacing: boolean;
}

/** Sends statements on the connection, and calls `done` once when their results or an error have arrived. */
export type SendOnLane = (client: pg.Client, done: (error?: unknown) => void) => void;

export interface LanesOptions extends PoolOptions {
  readonly count: number;
  /** The time limit of a request: no read is waited for any longer. */
  readonly requestMs: number;
}

export class Lanes {
  readonly #options: LanesOptions;
  readonly #silentMs: number;
  readonly #lanes: Lane[];
  /** Those of an application, by its home. */
  readonly #lanesByHome: Lane[][];
  readonly #known: KnownSchemas;
  /** Statements without a result, by connection. */
  readonly #pendingOn = new Map<pg.Client, number>();
  /** Replaced connections that have statements under way. */
  readonly #retired = new Set<pg.Client>();
  readonly #timer: NodeJS.Timeout;
  #closed = false;

  constructor(options: LanesOptions) {
    this.#options = options;
    this.#silentMs = Math.min(SILENT_MS, options.requestMs) + GRACE_MS;
    this.#lanes = Array.from({ length: options.count }, () => ({
      client: undefined,
      silence: undefined,
      connecting: undefined,
      pending: 0,
      replacing: false,
    }));
    this.#known = new KnownSchemas(options.schemasMax ?? SCHEMAS_MAX, { apart: false });
    // Each lane with those that follow it.
    this.#lanesByHome = this.#lanes.map((_, home, all) => [...all.slice(home), ...all].slice(0, LANES_EACH));
    this.#timer = setInterval(() => this.#checkSilence(), CHECK_MS);
    this.#timer.unref();
  }

  get counts() {
    return {
      lanes: this.#lanes.filter(({ client }) => client !== undefined).length,
      laneStatements: this.#lanes.reduce((sum, { pending }) => sum + pending, 0),
    };
  }

  /**
   * Runs `send` on the application's lane with the fewest pending statements. The error that announces the end of a connection
   * arrives before the end itself; nothing more is sent on that lane from then on.
   */
  run({ schema, home }: SchemaLocation, send: SendOnLane, refuse: (error: unknown) => void): void {
    const lane = this.#lanesOf(home).reduce((least, other) => (other.pending < least.pending ? other : least));
    if (lane.client !== undefined) {
      this.#known.add(lane.client, schema);
      this.#go(lane, lane.client, send);
      return;
    }
    // Counted while it waits for the connection, so that the next read takes another lane.
    lane.pending += 1;
    lane.connecting ??= this.#connect(lane);
    lane.connecting.then(
      (client) => {
        lane.pending -= 1;
        this.#known.add(client, schema);
        this.#go(lane, client, send);
      },
      (error) => {
        lane.pending -= 1;
        // The database may allow fewer connections than there are lanes: the connected lanes carry all reads.
        const other = this.#lanes.find(({ client }) => client !== undefined);
        if (other?.client === undefined) refuse(error);
        else this.#go(other, other.client, send);
      },
    );
  }

  /** The database may be unreachable without any connection having reported it: lanes without pending statements reconnect. */
  suspect(): void {
    for (const lane of this.#lanes) {
      if (lane.client === undefined || lane.pending > 0) continue;
      void endClient(lane.client);
      lane.client = undefined;
    }
  }

  cut(): void {
    for (const { client } of this.#lanes) if (client !== undefined) cutClient(client);
  }

  #lanesOf(home: number | undefined): Lane[] {
    return home === undefined ? this.#lanes : this.#lanesByHome[home % this.#lanes.length]!;
  }

  #go(lane: Lane, client: pg.Client, send: SendOnLane): void {
    lane.pending += 1;
    this.#pendingOn.set(client, (this.#pendingOn.get(client) ?? 0) + 1);
    if (this.#known.isFull(client) && lane.client === client && !lane.replacing) void this.#replace(lane, client);
    send(client, (error) => {
      lane.pending -= 1;
      this.#done(client);
      if (!isBroken(error) || lane.client !== client) return;
      lane.client = undefined;
      void endClient(client);
    });
  }

  #done(client: pg.Client): void {
    const left = (this.#pendingOn.get(client) ?? 1) - 1;
    if (left > 0) {
      this.#pendingOn.set(client, left);
      return;
    }
    this.#pendingOn.delete(client);
    if (this.#retired.delete(client)) void endClient(client);
  }

  /** Reads go on with the connection that knows too many applications until the next one is there, and those under way end. */
  async #replace(lane: Lane, client: pg.Client): Promise<void> {
    lane.replacing = true;
    try {
      lane.connecting ??= this.#connect(lane);
      await lane.connecting;
    } catch {
      setTimeout(() => {
        lane.replacing = false;
      }, REPLACE_PAUSE_MS).unref();
      return;
    }
    lane.replacing = false;
    if (!this.#pendingOn.has(client)) {
      void endClient(client);
      return;
    }
    this.#retired.add(client);
    setTimeout(() => {
      if (this.#retired.delete(client)) cutClient(client);
    }, this.#silentMs).unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await Promise.allSettled(this.#lanes.map(({ connecting }) => connecting));
    const clients = this.#lanes.flatMap(({ client }) => client ?? []);
    await Promise.all([...clients, ...this.#retired].map(endClient));
  }

  #checkSilence(): void {
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
      sendTogether(client);
      lane.client = client;
      lane.silence = new Silence(client);
      return client;
    } finally {
      lane.connecting = undefined;
    }
  }
}
