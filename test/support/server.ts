// A real server on a real database, in this process, spoken to over real HTTP.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, type RequestOptions, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { hash, verify } from '@node-rs/argon2';
import type pg from 'pg';
import type { ServerOptions } from '../../src/cli/server-options.ts';
import { startServer } from '../../src/cli/start-server.ts';
import type { Observation, Observe } from '../../src/events/events.ts';
import type { Argon2 } from '../../src/gate/credentials/password-check.ts';
import type { PushSettings } from '../../src/push/push.ts';
import type { BlobLocation } from '../../src/store/blobs/open.ts';
import type { Engine } from '../../src/store/database/handles.ts';
import type { Invalidation } from '../../src/store/nodes/messages.ts';
import { createDatabase, createMigratedDatabase, type TestDatabase } from './database.ts';
import { closeAll, closedAtLast } from './left-open.ts';
import { checkReply } from './reply-shapes.ts';

export const OPERATOR_KEY = 'test-operator-key-0123456789-abcdef';

/** The same hash with a thousandth of the work: every person of every test has a password. */
export const QUICK: Argon2 = { hash: (password) => hash(password, { memoryCost: 64, timeCost: 1 }), verify };

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, or undefined when there was no body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly body: any;
  readonly text: string;
}

export interface TestServer {
  readonly address: string;
  readonly metricsAddress: string | undefined;
  readonly database: TestDatabase;
  /** The INTERNAL_ERRORs that the test provoked since the last call: closing reports only those that were not taken. */
  takeFailures(): Observation[];
  send(method: string, path: string, options?: SendOptions): Promise<Reply>;
  operator(method: string, path: string, body?: unknown): Promise<Reply>;
  /** For what a test has changed behind the server's back. */
  invalidate(invalidation: Invalidation): void;
  close(): Promise<void>;
}

export interface SendOptions {
  readonly token?: string;
  readonly headers?: Record<string, string>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly raw?: string | Uint8Array;
  /** The reply may be of another server, or of any shape. */
  readonly unchecked?: true;
}

export interface ServerSettings {
  /** Where the server itself listens unless another address is given. */
  readonly publicUrl?: string;
  readonly connection?: pg.ClientConfig;
  readonly authFailures?: { account: number; address: number };
  readonly database?: TestDatabase;
  readonly replicas?: ServerOptions['replicas'];
  readonly connectionsMax?: number;
  readonly citusDirect?: boolean;
  readonly requestMs?: number;
  /** Which form of statements to use, whatever the database is. */
  readonly engine?: Engine;
  /** A folder that goes with the server unless another place is given. */
  readonly attachments?: BlobLocation;
  readonly unheldDays?: number;
  readonly announcedDays?: number;
  readonly activityLogDays?: number;
  readonly mail?: { url: string; from: string };
  readonly trustedProxies?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  readonly push?: Partial<PushSettings>;
  readonly clientConnectionsMax?: number;
  readonly requestsAtOnce?: number;
  readonly clientTimeouts?: ServerOptions['clientTimeouts'];
  readonly unread?: ServerOptions['unread'];
  readonly bodies?: ServerOptions['bodies'];
  readonly longRecords?: ServerOptions['longRecords'];
  readonly waiting?: ServerOptions['waiting'];
  readonly transfers?: ServerOptions['transfers'];
  readonly metricsEndpoint?: ServerOptions['metricsEndpoint'];
  readonly traces?: ServerOptions['traces'];
  /** By how much the server's clock is ahead of the database's. */
  readonly aheadMs?: () => number;
  /** Where its time counts. */
  readonly argon2?: Argon2;
  /** Those of a version to come. */
  readonly migrations?: URL;
  readonly home?: ServerOptions['home'];
  readonly observe?: Observe;
  /** The test provokes INTERNAL_ERRORs without counting them; closing any other server fails on one. */
  readonly expectFailures?: true;
}

export async function startTestServer(settings: ServerSettings = {}): Promise<TestServer> {
  const create = settings.migrations === undefined ? createMigratedDatabase : createDatabase;
  const database = settings.database ?? (await create());
  const failures: Observation[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'ct-files-'));
  const server = await startServer({
    connection: settings.connection ?? database.connection,
    replicas: settings.replicas,
    // A cluster's are divided among its workers.
    connectionsMax: settings.connectionsMax ?? (database.nodes.length > 1 ? 16 : 8),
    // A connection of the test's own is watched or cut, and statements sent to the workers would pass it by.
    citusDirect:
      settings.citusDirect ?? (settings.connection === undefined && process.env.CARTULARY_TEST_CITUS_DIRECT === 'true'),
    requestMs: settings.requestMs ?? 30_000,
    host: '127.0.0.1',
    port: 0,
    publicUrl: settings.publicUrl,
    operatorKey: OPERATOR_KEY,
    authFailures: settings.authFailures ?? { account: 1_000_000, address: 1_000_000 },
    mail: settings.mail,
    trustedProxies: settings.trustedProxies,
    allowedOrigins: settings.allowedOrigins ?? [],
    attachments: settings.attachments ?? { kind: 'disk', folder: join(folder, 'attachments') },
    spoolFolder: folder,
    unheldDays: settings.unheldDays ?? 7,
    announcedDays: settings.announcedDays ?? 7,
    activityLogDays: settings.activityLogDays ?? 400,
    push: { services: [], subject: 'mailto:test@example.com', ...settings.push },
    clientConnectionsMax: settings.clientConnectionsMax ?? 1_000,
    requestsAtOnce: settings.requestsAtOnce ?? 48,
    metricsEndpoint: settings.metricsEndpoint,
    traces: settings.traces,
    goneCheckPauseMs: 500,
    argon2: settings.argon2 ?? QUICK,
    migrations: settings.migrations,
    ...(settings.home === undefined ? {} : { home: settings.home }),
    ...(settings.aheadMs === undefined ? {} : { aheadMs: settings.aheadMs }),
    ...(settings.clientTimeouts === undefined ? {} : { clientTimeouts: settings.clientTimeouts }),
    ...(settings.unread === undefined ? {} : { unread: settings.unread }),
    ...(settings.bodies === undefined ? {} : { bodies: settings.bodies }),
    ...(settings.longRecords === undefined ? {} : { longRecords: settings.longRecords }),
    ...(settings.waiting === undefined ? {} : { waiting: settings.waiting }),
    ...(settings.transfers === undefined ? {} : { transfers: settings.transfers }),
    observe: (observation) => {
      settings.observe?.(observation);
      if (observation.event === 'request.failed') failures.push(observation);
    },
  });
  if (settings.engine !== undefined) server.database.engine = settings.engine;
  const send = (method: string, path: string, options: SendOptions = {}) =>
    sendTo(server.address, method, path, options);
  return {
    address: server.address,
    metricsAddress: server.metricsAddress,
    database,
    takeFailures: () => failures.splice(0),
    send,
    operator: (method, path, body) =>
      send(method, `/operator/v1${path}`, { token: OPERATOR_KEY, ...(body === undefined ? {} : { json: body }) }),
    invalidate: (invalidation) => server.invalidate(invalidation),
    close: closedAtLast(() =>
      closeAll(
        () => server.close(),
        () => rm(folder, { recursive: true, force: true }),
        async () => settings.database === undefined && database.drop(),
        async () => settings.expectFailures || assertNoFailures(failures),
      ),
    ),
  };
}

function assertNoFailures(failures: readonly Observation[]): void {
  const causes = failures.map((failure) => inspect('error' in failure ? failure.error : failure, { depth: 3 }));
  assert.equal(failures.length, 0, `requests ended with INTERNAL_ERROR:\n${causes.join('\n')}`);
}

export async function sendTo(address: string, method: string, path: string, options: SendOptions = {}): Promise<Reply> {
  const headers: Record<string, string> = { ...options.headers };
  if (options.token !== undefined) headers.authorization = `Bearer ${options.token}`;
  if (options.json !== undefined) headers['content-type'] ??= 'application/json';
  const body = options.json !== undefined ? JSON.stringify(options.json) : options.raw;
  const { text, ...reply } = await exchange(address + path, { method, headers, agent: AGENT }, body);
  if (!options.unchecked) {
    const contentType = reply.headers.get('content-type') ?? undefined;
    checkReply(method, path, { status: reply.status, contentType, text });
  }
  return { ...reply, text, body: text === '' ? undefined : JSON.parse(text) };
}

// Tests send a hundred thousand requests, and below Node's test runner `fetch` takes three times the work of these.
const AGENT = new Agent({ keepAlive: true });

function exchange(url: string, options: RequestOptions, body?: string | Uint8Array): Promise<Omit<Reply, 'body'>> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const headers = new Headers();
        for (const [name, values = []] of Object.entries(response.headersDistinct)) {
          for (const value of values) headers.append(name, value);
        }
        resolve({ status: response.statusCode ?? 0, headers, text: Buffer.concat(chunks).toString() });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
