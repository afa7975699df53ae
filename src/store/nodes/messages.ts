// How nodes hear of each other's changes: LISTEN/NOTIFY on a connection of its own, with a heartbeat. Notifications
// arrive in the order of their commits, so a beat that came back proves that everything committed before it was sent
// has been heard. `asOf` is that moment; while nothing is heard it stands still, and caches stop being trusted.

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Reader } from '../database/handles.ts';
import { endClient, Servers } from '../database/servers.ts';
import type { Statement } from '../database/statements.ts';

const CHANNEL = 'cartulary';
const BEAT_MS = 250;
/** Older than this a connection that answers no beat is given up and made anew. */
const DEAF_MS = 3_000;
const RECONNECT_MS = 200;
/** So long, at the most, a node that lives is missing: it notices, waits, and connects. */
export const RECONNECTION_MS = DEAF_MS + BEAT_MS + RECONNECT_MS + DEAF_MS;

const LISTENER = 'cartulary listener';

/** Of an application, of one of its sessions, of a shared user in whichever applications, or of whatever there is. */
export type Invalidation =
  | { readonly application: string; readonly session?: string }
  | { readonly sharedUser: string }
  | 'everything';

/** A server has found nothing left of a quota, and asks the others for what they have unused (gate/quotas/quota-counter). */
export interface QuotaRecall {
  readonly recalled: string;
  readonly group: string;
}

/** Sent inside the transaction that changes what nodes cache; a statement of its own (docs/architecture/nodes.md). */
export function announcement(invalidation: Invalidation): Statement {
  return { text: 'select pg_notify($1, $2)', params: [CHANNEL, payloadOf(invalidation)] };
}

function payloadOf(invalidation: Invalidation): string {
  if (invalidation === 'everything') return invalidation;
  if ('sharedUser' in invalidation) return `sharedUser ${invalidation.sharedUser}`;
  const { application, session } = invalidation;
  return session === undefined ? `application ${application}` : `session ${application} ${session}`;
}

export async function announce(handle: Reader, invalidation: Invalidation): Promise<void> {
  const { text, params } = announcement(invalidation);
  await handle.rows(text, params);
}

export async function announceRecall(system: Reader, applicationId: string, group: string): Promise<void> {
  await system.rows('select pg_notify($1, $2)', [CHANNEL, `quota ${applicationId} ${group}`]);
}

export interface Looks {
  /** How long after the first look the second is; tests have less patience. */
  readonly apartMs?: number;
  /** Found to be gone before: one look says whether they still are. */
  readonly known?: ReadonlySet<string>;
  /** Given when nobody waits for the answer any more, which is then that none is known to be gone. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Those of the nodes that are gone: missing in two looks that are so far apart that one which had only lost its
 * connection would have another. Ask after seeing what they left: a node that has just started is there by then.
 */
export async function goneNodes(
  reader: Reader,
  nodes: Iterable<string>,
  { apartMs = RECONNECTION_MS, known = new Set(), signal }: Looks = {},
): Promise<Set<string>> {
  const missing = await missingAmong(reader, new Set(nodes));
  if ([...missing].every((node) => known.has(node))) return missing;
  await pause(apartMs, undefined, signal && { signal }).catch(() => undefined);
  return signal?.aborted === true ? new Set() : missingAmong(reader, missing);
}

async function missingAmong(reader: Reader, nodes: ReadonlySet<string>): Promise<Set<string>> {
  if (nodes.size === 0) return new Set();
  const listening = await listeningNodes(reader);
  return new Set([...nodes].filter((node) => !listening.has(node)));
}

/** The nodes that listen now. One that has just lost its connection is missing until it has another. */
async function listeningNodes(reader: Reader): Promise<Set<string>> {
  const rows = await reader.rows(
    `select application_name from pg_stat_activity where datname = current_database() and application_name like $1`,
    [`${LISTENER} %`],
  );
  return new Set(rows.map(([name]) => (name as string).slice(LISTENER.length + 1)));
}

export class NodeListener {
  /** `performance.now()` of the sending of the latest beat that was heard. */
  receivedAsOf = Number.NEGATIVE_INFINITY;
  readonly #servers: Servers;
  readonly #onMessage: (message: Invalidation | QuotaRecall) => void;
  readonly #onDeaf: () => void;
  readonly #sent = new Map<string, number>();
  /** By which the nodes know each other; the database shows it for as long as the connection lives. */
  readonly node = randomBytes(8).toString('hex');
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #beats = 0;
  #stopped = false;

  /** `onDeaf`: called when the connection has said nothing for so long that nobody may be at its other end. */
  constructor(
    connection: pg.ClientConfig,
    onMessage: (message: Invalidation | QuotaRecall) => void,
    onDeaf: () => void = () => undefined,
  ) {
    this.#servers = new Servers(connection);
    this.#onMessage = onMessage;
    this.#onDeaf = onDeaf;
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
    // What was said while nobody listened is unknown.
    this.#onMessage('everything');
    this.#beat(client, lose, performance.now());
  }

  #beat(client: pg.Client, lose: () => void, connectedAt: number): void {
    if (this.#client !== client) return;
    const now = performance.now();
    if (now - Math.max(this.receivedAsOf, connectedAt) > DEAF_MS) {
      lose();
      this.#onDeaf();
      return;
    }
    this.#beats += 1;
    const beat = `beat ${this.node} ${this.#beats}`;
    this.#sent.set(beat, now);
    client.query('select pg_notify($1, $2)', [CHANNEL, beat]).catch(lose);
    this.#timer = setTimeout(() => this.#beat(client, lose, connectedAt), BEAT_MS);
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
