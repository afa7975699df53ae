// Connects to the database: to the one of its servers that accepts writes. That server changes when a standby is promoted;
// reconnecting finds it. Connections for replicas are made here too, to a standby and nothing else.

import pg from 'pg';
import { lowerSessionPriority } from '../../load/priority.ts';
import { withTimeout } from '../../request/timeout.ts';
import { unavailable } from './database-errors.ts';
import { cutClient, isBusy, newClient, streamOf } from './driver.ts';
import { markPooled, newPooledName } from './pooler.ts';

/** Short, so that an attempt begun while packets were lost delays requests only briefly once the network is back. */
const CONNECT_MS = 1_500;
/** Over all servers: a node that takes longer to connect counts as gone (store/nodes/messages). */
const CONNECT_ALL_MS = 3_000;
const CLOSE_MS = 1_000;
/** With TCP keep-alive the system notices within minutes that the other end of an idle connection is gone. */
const KEEP_ALIVE_MS = 10_000;

/** Without `lock_timeout` and `statement_timeout` there is no limit. */
export interface Session extends Pick<pg.ClientConfig, 'application_name' | 'lock_timeout' | 'statement_timeout'> {
  /** Whether its process gets the processors that others leave, where `hasPriorities`. */
  readonly low?: boolean;
}

/** Identifies a session to other connections. Behind a pooler in session mode the pid differs from the one that `pg` was given. */
interface Identity {
  readonly pid: number;
  /** Start time of the server: another server may have a session with the same pid. */
  readonly server: string;
}

/**
 * A statement uses one processor: connection limits per application decide how many run at once. With the two parallel workers
 * that PostgreSQL gives to a search of a whole collection, two searches of one application were six processes. The index of a
 * publish has as many.
 */
const NO_PARALLEL_WORKERS = ['max_parallel_workers_per_gather', 'max_parallel_maintenance_workers']
  .map((setting) => `set_config('${setting}', '0', false)`)
  .join(', ');
const IDENTITY = `pg_backend_pid(), extract(epoch from pg_postmaster_start_time())::text`;
const HELLO = `select ${IDENTITY}, current_setting('transaction_read_only') = 'on', ${NO_PARALLEL_WORKERS}`;
/** What is set for one session would be met by others that the pooler gives it to. */
const HELLO_POOLED = `select null, null, current_setting('transaction_read_only') = 'on'`;
export const SYSTEM_IDENTIFIER = '(select system_identifier::text from pg_control_system())';
const HELLO_STANDBY = `select ${IDENTITY}, pg_is_in_recovery(), ${SYSTEM_IDENTIFIER}, ${NO_PARALLEL_WORKERS}`;
const identities = new WeakMap<pg.Client, Identity>();

/** What the first row of a connection tells, and the error that refuses the connection for it. */
interface Hello {
  readonly text: string;
  readonly refusal: (row: readonly unknown[]) => Error | undefined;
}

const refuseReadOnly = ([, , readOnly]: readonly unknown[]): Error | undefined =>
  readOnly ? Object.assign(new Error('the server takes no writes'), { code: '25006' }) : undefined;

/** The server is not what a replica has to be. */
export class NotAStandby extends Error {
  /** It accepts writes: it is the primary, or was promoted. */
  readonly isPrimary: boolean;

  constructor(message: string, { isPrimary }: { readonly isPrimary: boolean }) {
    super(message);
    this.isPrimary = isPrimary;
  }
}

/** `systemIdentifier`: of the primary, if it is known. */
const refuseOthers =
  (systemIdentifier: () => string | undefined) =>
  ([, , inRecovery, identifier]: readonly unknown[]): Error | undefined => {
    if (identifier !== (systemIdentifier() ?? identifier)) {
      return new NotAStandby('belongs to another database system than DATABASE_URL', { isPrimary: false });
    }
    return inRecovery ? undefined : new NotAStandby('accepts writes, so it is not a standby', { isPrimary: true });
  };

/** No server can be used now. The message has the reason of each. */
class NoServer extends Error {
  readonly code = '08001';
}

interface ServersOptions {
  readonly arePoolers?: boolean;
  readonly areOurs?: boolean | undefined;
  readonly standbyOf?: (() => string | undefined) | undefined;
}

export class DatabaseServers {
  readonly #addresses: readonly pg.ClientConfig[];
  readonly #onConnected: (server: string) => void;
  readonly #arePoolers: boolean;
  /** Whether the priority of a session's process can be lowered. */
  readonly hasPriorities: boolean;
  readonly #hello: Hello;
  /** Index of the server that last accepted a connection. */
  #latest = 0;
  /** Index of the server last reported to `onConnected`; undefined after a loss. */
  #reported: number | undefined;

  /**
   * `onConnected`: called with the server on the first connection, when the server changes, and after a loss. `arePoolers`: the
   * addresses are those of poolers in transaction mode (store/database/pooler), where no session can be set up. `areOurs`: the
   * processes of the sessions were started by this server. Those of others may have the same pids on another machine.
   * `standbyOf`: the addresses are those of standbys of the system with this identifier.
   */
  constructor(
    connection: pg.ClientConfig,
    onConnected: (server: string) => void = () => undefined,
    { arePoolers = false, areOurs = false, standbyOf }: ServersOptions = {},
  ) {
    this.#addresses = addressesOf(connection);
    this.#onConnected = onConnected;
    this.#arePoolers = arePoolers;
    this.hasPriorities = areOurs;
    if (standbyOf !== undefined) this.#hello = { text: HELLO_STANDBY, refusal: refuseOthers(standbyOf) };
    else this.#hello = { text: arePoolers ? HELLO_POOLED : HELLO, refusal: refuseReadOnly };
  }

  /** A connection broke: the next server is reported even if it is the same. */
  lost(): void {
    this.#reported = undefined;
  }

  async connect(session: Session): Promise<pg.Client> {
    const first = this.#latest;
    const count = this.#addresses.length;
    const failures: unknown[] = [];
    for (let n = 0; n < count; n++) {
      const index = (first + n) % count;
      try {
        const client = await this.#open(index, session, Math.min(CONNECT_MS, CONNECT_ALL_MS / count));
        this.#latest = index;
        if (this.#reported !== index) this.#onConnected(addressOf(client));
        this.#reported = index;
        return client;
      } catch (error) {
        failures.push(error);
      }
    }
    this.lost();
    // An unavailable server may be the primary.
    const away = failures.find((error) => unavailable(error) !== undefined);
    if (away === undefined) throw failures[0];
    const reasons = failures.map(
      (error, n) => `${serverName(this.#addresses[(first + n) % count])} ${reasonOf(error)}`,
    );
    throw new NoServer(reasons.join('; '), { cause: away });
  }

  async #open(index: number, { low = false, ...session }: Session, milliseconds: number): Promise<pg.Client> {
    const address = this.#addresses[index];
    if (!this.#arePoolers) {
      const client = await open({ ...address, ...session }, this.#hello, milliseconds);
      if (low && this.hasPriorities) lowerSessionPriority(identityOf(client).pid);
      return client;
    }
    const name = newPooledName();
    const client = await open({ ...address, application_name: name }, this.#hello, milliseconds);
    markPooled(client, name);
    return client;
  }
}

/** Without user and password. */
export function serverName(connection: pg.ClientConfig | undefined): string {
  try {
    return addressOf(new pg.Client(connection));
  } catch {
    // The certificates of the address cannot be read; connecting tells the reason.
    return 'the server';
  }
}

/** Without user and password. */
const addressOf = ({ host, port }: pg.Client): string =>
  host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : `${host.includes(':') ? `[${host}]` : host}:${port}`;

const REASONS: Readonly<Record<string, string>> = {
  '25006': 'answers but takes no writes',
  ECONNREFUSED: 'refuses connections',
  ENOTFOUND: 'is not known by that name',
  EAI_AGAIN: 'cannot be looked up by its name',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
};

export function reasonOf(error: unknown): string {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? `cannot be used: ${message || code}`;
}

async function open(config: pg.ClientConfig, hello: Hello, milliseconds: number): Promise<pg.Client> {
  const client = newClient({
    application_name: 'cartulary',
    ...config,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    pipeline: true,
  } as pg.ClientConfig);
  // Statements fail with the same error; without a listener Node would exit.
  client.on('error', () => undefined);
  let timedOut = false;
  const timeout = setTimeout(() => {
    timedOut = true;
    cutClient(client);
  }, milliseconds);
  try {
    await client.connect();
    const { rows } = await client.query({ text: hello.text, rowMode: 'array' });
    const refusal = hello.refusal(rows[0] ?? []);
    if (refusal !== undefined) throw refusal;
    const [pid, server] = rows[0] as [number | null, string | null];
    if (pid !== null && server !== null) identities.set(client, { pid, server });
    return client;
  } catch (error) {
    void endClient(client);
    if (!timedOut) throw error;
    throw Object.assign(new Error(`no answer within ${milliseconds} ms`, { cause: error }), { code: 'ETIMEDOUT' });
  } finally {
    clearTimeout(timeout);
  }
}

export function identityOf(client: pg.Client): Identity {
  const identity = identities.get(client);
  if (identity === undefined) throw new Error('the connection was not opened by DatabaseServers');
  return identity;
}

/** Closes the connection in order, or cuts it if a statement that does not end prevents that. */
export async function endClient(client: pg.Client): Promise<void> {
  const ended = client.end().then(
    () => true,
    () => true,
  );
  if ((await withTimeout(CLOSE_MS, ended)) === undefined) cutClient(client);
}

/** How long a connection with a pending statement has been silent. Polled, so that statements pay nothing for it. */
export class Silence {
  readonly #client: pg.Client;
  #bytes = -1;
  #since = 0;

  constructor(client: pg.Client) {
    this.#client = client;
  }

  /** Milliseconds of silence, as precise as the calls are frequent. */
  check(now: number): number {
    const { bytesRead } = streamOf(this.#client);
    if (bytesRead !== this.#bytes || !isBusy(this.#client)) this.#since = now;
    this.#bytes = bytesRead;
    return now - this.#since;
  }
}

const ADDRESS = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)([^?#]*)\??(.*)$/s;

/** The same account and database on another server. */
export function connectionTo(
  connection: pg.ClientConfig,
  { host, port }: { readonly host: string; readonly port: number },
): pg.ClientConfig {
  const parts = ADDRESS.exec(connection.connectionString ?? '');
  if (parts === null) return { ...connection, host, port };
  const [, start = '', , path = '', query = ''] = parts;
  const parameters = new URLSearchParams(query);
  parameters.delete('host');
  parameters.delete('port');
  const name = host.includes(':') ? `[${host}]` : host;
  return { ...connection, connectionString: `${start}${name}:${port}${path}?${parameters}` };
}

/** Splits an address with several hosts as in libpq: `//a:1,b:2/…`, or `?host=/a,/b&port=1,2`. */
export function addressesOf(connection: pg.ClientConfig): pg.ClientConfig[] {
  const parts = ADDRESS.exec(connection.connectionString ?? '');
  if (parts === null) return [connection];
  const [, start = '', authorities = '', path = '', query = ''] = parts;
  const parameters = new URLSearchParams(query);
  const hosts = parameters.get('host')?.split(',') ?? [];
  const ports = parameters.get('port')?.split(',') ?? [];
  const count = Math.max(authorities.split(',').length, hosts.length);
  if (count === 1) return [connection];
  return Array.from({ length: count }, (_, n) => {
    const own = new URLSearchParams(parameters);
    if (hosts.length > 0) own.set('host', hosts[n] ?? '');
    if (ports.length > 0) own.set('port', ports[n] ?? ports[0] ?? '');
    const authority = authorities.includes(',') ? authorities.split(',')[n] : authorities;
    return { ...connection, connectionString: `${start}${authority}${path}?${own}` };
  });
}
