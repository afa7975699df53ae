// Where the database is, and how a connection to it is made: to the one of its servers that takes writes. Which one that
// is changes when a standby is promoted; whoever lost a connection finds it by making another.

import pg from 'pg';
import { withTimeout } from '../../request/timeout.ts';
import { cutClient, isBusy, streamOf } from './driver.ts';
import { unavailable } from './sqlstate.ts';

/** Short, so that what was begun while packets went nowhere does not keep anybody long once they arrive again. */
const CONNECT_MS = 1_500;
/** And all of them together: a node that takes longer to connect counts as gone (store/nodes/messages). */
const CONNECT_ALL_MS = 3_000;
const GOODBYE_MS = 1_000;
/** Where nothing is asked, the system notices after some minutes that the other end is gone. */
const KEEP_ALIVE_MS = 10_000;

/** `lock_timeout`, `statement_timeout`: without them, as long as it takes. */
export type Session = Pick<pg.ClientConfig, 'application_name' | 'lock_timeout' | 'statement_timeout'>;

/** By which other connections know a session. Behind a pooler it is not the one that the driver was told. */
interface Identity {
  readonly pid: number;
  /** When its server was started: another server may have a session of the same number. */
  readonly server: string;
}

/**
 * What a statement computes, it computes on one processor: how many are at it is decided here, by application. With the two
 * helpers that the database gives to a search of a whole collection, two searches of one application were six processes.
 */
const ALONE_AT_IT = `set_config('max_parallel_workers_per_gather', '0', false)`;
const HELLO = `select pg_backend_pid(), extract(epoch from pg_postmaster_start_time())::text,
  current_setting('transaction_read_only') = 'on', ${ALONE_AT_IT}`;
const identities = new WeakMap<pg.Client, Identity>();

/** None of them can be used now. Its message has what each of them said. */
class NoServer extends Error {
  readonly code = '08001';
}

export class Servers {
  readonly #addresses: readonly pg.ClientConfig[];
  readonly #onConnected: (server: string) => void;
  /** The one that took writes when it was last asked. */
  #latest = 0;
  /** The one that was told of last, unless it may have been lost since. */
  #told: number | undefined;

  /** `onConnected`: told which server it is, for the first connection, when it is another, and behind a loss. */
  constructor(connection: pg.ClientConfig, onConnected: (server: string) => void = () => undefined) {
    this.#addresses = addressesOf(connection);
    this.#onConnected = onConnected;
  }

  /** A connection broke: whether the next leads to the same server is worth telling. */
  lost(): void {
    this.#told = undefined;
  }

  async connect(session: Session): Promise<pg.Client> {
    const first = this.#latest;
    const count = this.#addresses.length;
    const failures: unknown[] = [];
    for (let n = 0; n < count; n++) {
      const index = (first + n) % count;
      try {
        const client = await open(
          { ...this.#addresses[index], ...session },
          Math.min(CONNECT_MS, CONNECT_ALL_MS / count),
        );
        this.#latest = index;
        if (this.#told !== index) this.#onConnected(placeOf(client));
        this.#told = index;
        return client;
      } catch (error) {
        failures.push(error);
      }
    }
    this.lost();
    // One that is away may be the right one.
    const away = failures.find((error) => unavailable(error) !== undefined);
    if (away === undefined) throw failures[0];
    const said = failures.map((error, n) => `${this.#placeOf((first + n) % count)} ${complaintOf(error)}`);
    throw new NoServer(said.join('; '), { cause: away });
  }

  #placeOf(index: number): string {
    try {
      return placeOf(new pg.Client(this.#addresses[index]));
    } catch {
      // An address whose certificates cannot be read, of which the complaint tells.
      return 'the server';
    }
  }
}

/** Without who comes and by which password. */
const placeOf = ({ host, port }: pg.Client): string =>
  host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : `${host.includes(':') ? `[${host}]` : host}:${port}`;

const COMPLAINTS: Readonly<Record<string, string>> = {
  '25006': 'answers but takes no writes',
  ECONNREFUSED: 'refuses connections',
  ENOTFOUND: 'is not known by that name',
  EAI_AGAIN: 'cannot be looked up by its name',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
};

function complaintOf(error: unknown): string {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  return COMPLAINTS[code] ?? `cannot be used: ${message || code}`;
}

async function open(config: pg.ClientConfig, milliseconds: number): Promise<pg.Client> {
  const client = new pg.Client({
    application_name: 'cartulary',
    ...config,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    pipeline: true,
  } as pg.ClientConfig);
  // Statements are told as well; without a listener Node would end.
  client.on('error', () => undefined);
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    cutClient(client);
  }, milliseconds);
  try {
    await client.connect();
    const { rows } = await client.query({ text: HELLO, rowMode: 'array' });
    const [pid, server, readOnly] = rows[0] as [number, string, boolean];
    if (readOnly) throw Object.assign(new Error('the server takes no writes'), { code: '25006' });
    identities.set(client, { pid, server });
    return client;
  } catch (error) {
    void endClient(client);
    if (!isLate) throw error;
    throw Object.assign(new Error(`no answer within ${milliseconds} ms`, { cause: error }), { code: 'ETIMEDOUT' });
  } finally {
    clearTimeout(late);
  }
}

export function identityOf(client: pg.Client): Identity {
  const identity = identities.get(client);
  if (identity === undefined) throw new Error('a connection that was not made here');
  return identity;
}

/** An orderly goodbye, and the end of the connection when a statement that does not end keeps it from being said. */
export async function endClient(client: pg.Client): Promise<void> {
  const ended = client.end().then(
    () => true,
    () => true,
  );
  if ((await withTimeout(GOODBYE_MS, ended)) === undefined) cutClient(client);
}

/** Since when a connection has said nothing to what it was asked. Looked at from time to time, which costs statements nothing. */
export class Silence {
  readonly #client: pg.Client;
  #bytes = -1;
  #since = 0;

  constructor(client: pg.Client) {
    this.#client = client;
  }

  /** So many milliseconds, as far as the looks tell. */
  check(now: number): number {
    const { bytesRead } = streamOf(this.#client);
    if (bytesRead !== this.#bytes || !isBusy(this.#client)) this.#since = now;
    this.#bytes = bytesRead;
    return now - this.#since;
  }
}

/** Of an address with several hosts, as libpq writes them, one for each: `//a:1,b:2/…`, or `?host=/a,/b&port=1,2`. */
export function addressesOf(connection: pg.ClientConfig): pg.ClientConfig[] {
  const parts = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)([^?#]*)\??(.*)$/s.exec(connection.connectionString ?? '');
  if (parts === null) return [connection];
  const [, start = '', places = '', path = '', query = ''] = parts;
  const parameters = new URLSearchParams(query);
  const hosts = parameters.get('host')?.split(',') ?? [];
  const ports = parameters.get('port')?.split(',') ?? [];
  const count = Math.max(places.split(',').length, hosts.length);
  if (count === 1) return [connection];
  return Array.from({ length: count }, (_, n) => {
    const own = new URLSearchParams(parameters);
    if (hosts.length > 0) own.set('host', hosts[n] ?? '');
    if (ports.length > 0) own.set('port', ports[n] ?? ports[0] ?? '');
    const place = places.includes(',') ? places.split(',')[n] : places;
    return { ...connection, connectionString: `${start}${place}${path}?${own}` };
  });
}
