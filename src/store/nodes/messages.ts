// Messages between nodes: LISTEN/NOTIFY on a connection of its own, with a heartbeat. Notifications arrive in the order of
// their commits, so a heartbeat that comes back proves that every message committed before it was sent has been received.
// `receivedAsOf` is that moment. It stands still while no heartbeat comes back, and caches are then no longer trusted.

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { DatabaseServers, endClient } from '../database/database-servers.ts';
import type { Reader } from '../database/handles.ts';
import type { Statement } from '../database/statements.ts';

const CHANNEL = 'cartulary';
const HEARTBEAT_MS = 250;
/** A connection on which no heartbeat has come back for this long is replaced. */
const SILENT_MS = 3_000;
const RECONNECT_MS = 200;
/** The longest that a running node can be without its connection: it notices the loss, pauses and connects. */
export const RECONNECTION_MS = SILENT_MS + HEARTBEAT_MS + RECONNECT_MS + SILENT_MS;

const LISTENER = 'cartulary listener';

/** Which cached entries are stale: those of an application, of one session, of a shared user in any application, or all. */
export type Invalidation =
  | { readonly application: string; readonly session?: string }
  | { readonly sharedUser: string }
  | 'everything';

/** A node that finds a quota used up asks the other nodes to return their unused leases (gate/quotas/quota-counter). */
export interface QuotaRecall {
  readonly recalled: string;
  readonly group: string;
}

/** Sent inside the transaction that changes cached data, as a separate statement (docs/architecture/nodes.md). */
export function announcement(invalidation: Invalidation): Statement {
  return { text: 'select pg_notify($1, $2)', params: [CHANNEL, payloadOf(invalidation)] };
}

function payloadOf(invalidation: Invalidation): string {
  if (invalidation === 'everything') return invalidation;
  if ('sharedUser' in invalidation) return `sharedUser ${invalidation.sharedUser}`;
  const { application, session } = invalidation;
  return session === undefined ? `application ${application}` : `session ${application} ${session}`;
}

export async function announceToNodes(handle: Reader, invalidation: Invalidation): Promise<void> {
  const { text, params } = announcement(invalidation);
  await handle.rows(text, params);
}

export async function announceRecall(system: Reader, applicationId: string, group: string): Promise<void> {
  await system.rows('select pg_notify($1, $2)', [CHANNEL, `quota ${applicationId} ${group}`]);
}

export interface GoneNodesOptions {
  /** Between the two checks; tests use a shorter pause. */
  readonly pauseMs?: number;
  /** Nodes found to be gone earlier: one check is enough for them. */
  readonly known?: ReadonlySet<string>;
  /** Once aborted, no node is reported as gone. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Which of the nodes are gone: those missing in two checks, far enough apart that a node which had only lost its connection
 * would have another. Call this after reading what a node left: a node that has just started is listed by then.
 */
export async function goneNodes(
  reader: Reader,
  nodes: Iterable<string>,
  { pauseMs = RECONNECTION_MS, known = new Set(), signal }: GoneNodesOptions = {},
): Promise<Set<string>> {
  const missing = await missingAmong(reader, new Set(nodes));
  if ([...missing].every((node) => known.has(node))) return missing;
  await pause(pauseMs, undefined, signal && { signal }).catch(() => undefined);
  return signal?.aborted === true ? new Set() : missingAmong(reader, missing);
}

async function missingAmong(reader: Reader, nodes: ReadonlySet<string>): Promise<Set<string>> {
  if (nodes.size === 0) return new Set();
  const listening = await listeningNodes(reader);
  return new Set([...nodes].filter((node) => !listening.has(node)));
}

/** The nodes with a listening connection. A node that has just lost its connection is missing until it has another. */
async function listeningNodes(reader: Reader): Promise<Set<string>> {
  const rows = await reader.rows(
    `select application_name from pg_stat_activity where datname = current_database() and application_name like $1`,
    [`${LISTENER} %`],
  );
  return new Set(rows.map(([name]) => (name as string).slice(LISTENER.length + 1)));
}

export class NodeListener {
  /** `performance.now()` when the latest heartbeat that came back was sent. */
  receivedAsOf = Number.NEGATIVE_INFINITY;
  readonly #servers: DatabaseServers;
  readonly #onMessage: (message: Invalidation | QuotaRecall) => void;
  readonly #onSilent: () => void;
  readonly #sent = new Map<string, number>();
  /** Identifies this node to the others; the database lists it as long as the connection lives. */
  readonly node = randomBytes(8).toString('hex');
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #heartbeats = 0;
  #stopped = false;

  /** `onSilent`: called when the connection has been silent for so long that the database may be unreachable. */
  constructor(
    connection: pg.ClientConfig,
    onMessage: (message: Invalidation | QuotaRecall) => void,
    onSilent: () => void = () => undefined,
  ) {
    this.#servers = new DatabaseServers(connection);
    this.#onMessage = onMessage;
    this.#onSilent = onSilent;
  }

  async start(): Promise<void> {
    await this.#connect();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) await endClient(client);
  }

  async #connect(): Promise<void> {
    if (this.#stopped) return;
    const retry = () => {
      clearTimeout(this.#timer);
      if (!this.#stopped) this.#timer = setTimeout(() => void this.#connect(), RECONNECT_MS);
    };
    let client: pg.Client;
    try {
      client = await this.#servers.connect({ application_name: `${LISTENER} ${this.node}` });
    } catch {
      retry();
      return;
    }
    let lost = false;
    const lose = () => {
      if (lost) return;
      lost = true;
      if (this.#client === client) this.#client = undefined;
      void endClient(client);
      retry();
    };
    client.on('error', lose);
    client.on('end', lose);
    client.on('notification', (message) => this.#receive(message.payload ?? ''));
    try {
      await client.query(`listen ${CHANNEL}`);
    } catch {
      lose();
      return;
    }
    if (this.#stopped) {
      lose();
      return;
    }
    this.#client = client;
    this.#sent.clear();
    // Messages sent while this node was not listening are lost.
    this.#onMessage('everything');
    this.#sendHeartbeat(client, lose, performance.now());
  }

  #sendHeartbeat(client: pg.Client, lose: () => void, connectedAt: number): void {
    if (this.#client !== client) return;
    const now = performance.now();
    if (now - Math.max(this.receivedAsOf, connectedAt) > SILENT_MS) {
      lose();
      this.#onSilent();
      return;
    }
    this.#heartbeats += 1;
    const heartbeat = `beat ${this.node} ${this.#heartbeats}`;
    this.#sent.set(heartbeat, now);
    client.query('select pg_notify($1, $2)', [CHANNEL, heartbeat]).catch(lose);
    this.#timer = setTimeout(() => this.#sendHeartbeat(client, lose, connectedAt), HEARTBEAT_MS);
  }

  #receive(payload: string): void {
    const sentAt = this.#sent.get(payload);
    if (sentAt !== undefined) {
      this.#sent.delete(payload);
      this.receivedAsOf = sentAt;
    } else if (payload === 'everything') {
      this.#onMessage('everything');
    } else if (payload.startsWith('application ')) {
      this.#onMessage({ application: payload.slice('application '.length) });
    } else if (payload.startsWith('sharedUser ')) {
      this.#onMessage({ sharedUser: payload.slice('sharedUser '.length) });
    } else if (payload.startsWith('session ')) {
      const [, application = '', session = ''] = payload.split(' ');
      this.#onMessage({ application, session });
    } else if (payload.startsWith('quota ')) {
      const [, recalled = '', group = ''] = payload.split(' ');
      this.#onMessage({ recalled, group });
    }
  }
}
