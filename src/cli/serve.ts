// `cartulary serve`: settings, database, server, and an orderly end.

import cluster from 'node:cluster';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config, SettingName } from '../config.ts';
import { type EmbeddedPostgres, startEmbedded } from '../embedded/start.ts';
import { Fault } from '../faults.ts';
import { type Observe, observeToLog } from '../observe.ts';
import { KeyFileError, readApnsAccount, readFcmAccount } from '../push/key-files.ts';
import type { PushSettings } from '../push/push.ts';
import { UnusableStore } from '../store/blobs.ts';
import type { AttachmentsPlace } from '../store/blobs-open.ts';
import { UnsupportedDatabase } from '../store/engine.ts';
import type { RunningServer, ServerOptions } from './assemble.ts';
import { demonstrate } from './demonstration.ts';
import { CommandFailure } from './failure.ts';
import { ensureOperatorKey } from './operator-key.ts';
import { WorkerChannel } from './worker.ts';
import { type Orders, Workers } from './workers.ts';

const DATABASE_WAIT_MS = 1_000;
const IMPATIENCE_MS = 2_000;
const LEFTOVERS_MS = 1_000;
/** Of each process besides those for requests: to publish, and to listen. */
const OTHER_CONNECTIONS = 5;
/** For whoever looks into the database beside the server. */
const SPARE_CONNECTIONS = 13;
/** What the making of the demonstration consists of, of which people are told otherwise. */
const ORDINARY: ReadonlySet<string> = new Set(['application.publishing', 'application.published', 'request']);

/** What serves: this process, or its workers. */
interface Serving {
  readonly address: string;
  /** Called when what was to be done before is done, and people are told that it is ready. */
  ready(): void;
  leave(): void;
  close(): Promise<void>;
}

export async function serve(config: Config, options: { demo: boolean }): Promise<void> {
  if (cluster.isWorker) {
    await serveAsWorker(config);
    return;
  }
  const note = (line: string) => console.error(line);
  const { observe, ready } = observeWhenReady(config);
  const ending = whenAskedToEnd();
  const operatorKey = await ensureOperatorKey(config.CARTULARY_OPERATOR_KEY, config.CARTULARY_DATA);
  const embedded = config.DATABASE_URL === undefined ? await startDatabase(config, observe, note) : undefined;
  const connection = embedded?.connection ?? { connectionString: config.DATABASE_URL ?? '' };
  const orders = { connection, operatorKey };
  const onWaiting = () => note('The database does not answer; waiting for it …');
  let server: Serving | undefined;
  try {
    server =
      config.CARTULARY_WORKERS > 1
        ? await startWorkers(config, { orders, ending, observe, onWaiting })
        : await startHere(config, { orders, ending, observe, onWaiting });
    if (server === undefined) return;
    if (options.demo) await demonstrate(server.address, { operatorKey, dataFolder: config.CARTULARY_DATA, note });
    ready();
    server.ready();
    console.log(`Cartulary is ready at ${server.address}/v1`);
    observe({ event: 'server.stopping', signal: await ending.signal });
    server.leave();
    await pause(config.CARTULARY_DRAIN_SECONDS * 1000);
  } finally {
    await server?.close();
    await embedded?.stop();
    // What could not be closed in time does not keep the process; what can be leaves nothing that this waits for.
    setTimeout(() => process.exit(), LEFTOVERS_MS).unref();
  }
}

/** Until it is ready, notes for people tell what happens. */
function observeWhenReady(config: Config): { observe: Observe; ready: () => void } {
  const log = observeToLog(config.CARTULARY_LOG_LEVEL);
  let isReady = false;
  return {
    observe: (observation) => {
      if (isReady || !ORDINARY.has(observation.event)) log(observation);
    },
    ready: () => {
      isReady = true;
    },
  };
}

interface Starting {
  readonly orders: Orders;
  readonly ending: Ending;
  readonly observe: Observe;
  readonly onWaiting: () => void;
}

async function startHere(config: Config, starting: Starting): Promise<Serving | undefined> {
  const server = await startPatiently(serverOptions(config, starting.orders, starting.observe), starting);
  return server && { address: server.address, ready: () => undefined, leave: server.leave, close: server.close };
}

async function startWorkers(config: Config, { orders, ending, ...rest }: Starting): Promise<Serving | undefined> {
  const workers = new Workers({ count: config.CARTULARY_WORKERS, orders, ...rest });
  const serving = {
    ready: () => workers.ready(),
    leave: () => workers.leave(),
    close: () => workers.close(),
  };
  try {
    const address = await Promise.race([workers.address, ending.signal.then(() => undefined)]);
    if (address !== undefined) return { address, ...serving };
  } catch (error) {
    await workers.close();
    throw error;
  }
  await workers.close();
  return undefined;
}

/** One of the workers: signals, the embedded database and notes for people are the first process's. */
async function serveAsWorker(config: Config): Promise<void> {
  const channel = new WorkerChannel();
  const { observe, ready } = observeWhenReady(config);
  channel.onReady = ready;
  const ending = endingBy((end) => {
    channel.onClose = () => end('close');
  });
  const onWaiting = () => channel.tell({ kind: 'waiting' });
  let server: RunningServer | undefined;
  try {
    const options = { ...serverOptions(config, await channel.orders, observe), peers: channel };
    server = await startPatiently(options, { ending, onWaiting });
    if (server !== undefined) {
      channel.onLeave = server.leave;
      channel.tell({ kind: 'listening', address: server.address });
      await ending.signal;
    }
  } catch (error) {
    const { message, stack = message } = error as Error;
    channel.tell({ kind: 'failed', message: error instanceof CommandFailure ? message : stack });
  } finally {
    await server?.close();
    process.disconnect();
    setTimeout(() => process.exit(), LEFTOVERS_MS).unref();
  }
}

function serverOptions(config: Config, { connection, operatorKey }: Orders, observe: Observe): ServerOptions {
  return {
    connection,
    connectionsMax: config.CARTULARY_DATABASE_CONNECTIONS,
    requestMs: config.CARTULARY_REQUEST_SECONDS * 1_000,
    host: config.CARTULARY_HOST,
    port: config.CARTULARY_PORT,
    publicUrl: config.CARTULARY_PUBLIC_URL,
    operatorKey,
    authFailures: { account: config.CARTULARY_AUTH_FAILURES_ACCOUNT, address: config.CARTULARY_AUTH_FAILURES_ADDRESS },
    mail: mailSettings(config),
    trustedProxies: config.CARTULARY_TRUSTED_PROXIES,
    clientConnectionsMax: config.CARTULARY_CONNECTIONS,
    requestsAtOnce: config.CARTULARY_REQUESTS_AT_ONCE,
    attachments: attachmentsPlace(config),
    spoolFolder: resolve(config.CARTULARY_DATA),
    unheldDays: config.CARTULARY_UNHELD_ATTACHMENT_DAYS,
    announcedDays: config.CARTULARY_ANNOUNCED_UPLOAD_DAYS,
    activityLogDays: config.CARTULARY_ACTIVITY_LOG_DAYS,
    push: pushSettings(config),
    metricsPlace: metricsPlace(config),
    traces: traceSettings(config),
    embedded: config.DATABASE_URL === undefined,
    observe,
  };
}

const metricsPlace = ({ CARTULARY_METRICS_HOST: host, CARTULARY_METRICS_PORT: port }: Config) =>
  port === undefined ? undefined : { host, port };

function traceSettings(config: Config): ServerOptions['traces'] {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesEndpoint } = config;
  const url = tracesEndpoint ?? (endpoint && `${endpoint}/v1/traces`);
  if (url === undefined) return undefined;
  const { OTEL_SERVICE_NAME: serviceName, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio } = config;
  return { url, serviceName, sampler, ratio };
}

/** Who has said nothing is reached by nobody; services look at its form alone (RFC 8292 section 2.1). */
const NO_SUBJECT = 'mailto:nobody@example.com';

function pushSettings(config: Config): PushSettings {
  const { CARTULARY_PUBLIC_URL: publicUrl, CARTULARY_PUSH_SUBJECT: subject } = config;
  const { CARTULARY_FCM: fcm, CARTULARY_APNS: apns } = config;
  return {
    services: config.CARTULARY_PUSH_SERVICES,
    subject: subject ?? (publicUrl?.startsWith('https:') ? publicUrl : NO_SUBJECT),
    ...(fcm === undefined ? {} : { fcm: keyFile('CARTULARY_FCM', () => readFcmAccount(fcm)) }),
    ...(apns === undefined ? {} : { apns: keyFile('CARTULARY_APNS', () => readApnsAccount(apns)) }),
  };
}

function keyFile<T>(setting: SettingName, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    throw new CommandFailure(`The file of ${setting} ${error.message}.`, { cause: error });
  }
}

const mailSettings = ({ CARTULARY_SMTP_URL: url, CARTULARY_MAIL_FROM: from }: Config): ServerOptions['mail'] =>
  url === undefined || from === undefined ? undefined : { url, from };

export const attachmentsPlace = ({ CARTULARY_ATTACHMENTS: place, CARTULARY_DATA: data }: Config): AttachmentsPlace =>
  place ?? { kind: 'disk', folder: resolve(data, 'attachments') };

async function startDatabase(
  config: Config,
  observe: Observe,
  note: (line: string) => void,
): Promise<EmbeddedPostgres> {
  try {
    return await startEmbedded({
      folder: resolve(config.CARTULARY_DATA),
      connectionsMax:
        config.CARTULARY_WORKERS * (config.CARTULARY_DATABASE_CONNECTIONS + OTHER_CONNECTIONS) + SPARE_CONNECTIONS,
      note,
      onRestart: (reason) => observe({ event: 'database.restarted', reason }),
    });
  } catch (error) {
    throw new CommandFailure((error as Error).message, { cause: error });
  }
}

interface Ending {
  readonly signal: Promise<string>;
  asked: boolean;
}

function endingBy(listen: (end: (signal: string) => void) => void): Ending {
  const ending = { asked: false, signal: Promise.resolve('') };
  ending.signal = new Promise((done) => {
    listen((signal) => {
      ending.asked = true;
      done(signal);
    });
  });
  return ending;
}

function whenAskedToEnd(): Ending {
  return endingBy((end) => {
    let askedAt: number | undefined;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      // A terminal tells the whole group, and npm passes it on: the same wish arrives twice. Later it means impatience.
      process.on(signal, () => {
        askedAt ??= performance.now();
        if (performance.now() - askedAt > IMPATIENCE_MS) process.exit(130);
        end(signal);
      });
    }
  });
}

/** The order in which servers start does not matter: one that is ahead of its database waits for it. */
async function startPatiently(
  options: ServerOptions,
  { ending, onWaiting }: Pick<Starting, 'ending' | 'onWaiting'>,
): Promise<RunningServer | undefined> {
  // Not before: a process that leaves serving to its workers does without it.
  const { startServer } = await import('./assemble.ts');
  for (let told = false; !ending.asked; told = true) {
    try {
      return await startServer(options);
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'UNAVAILABLE')) throw plainly(error, options);
      if (!told) onWaiting();
      await Promise.race([ending.signal, new Promise((done) => setTimeout(done, DATABASE_WAIT_MS))]);
    }
  }
  return undefined;
}

function plainly(error: unknown, options: ServerOptions): unknown {
  if (error instanceof UnusableStore) return new CommandFailure(error.message, { cause: error });
  const { code, port: failed } = error as NodeJS.ErrnoException & { port?: number };
  const isMetrics = failed !== options.port && failed === options.metricsPlace?.port;
  const { host, port } = (isMetrics ? options.metricsPlace : undefined) ?? options;
  const setting = isMetrics ? 'CARTULARY_METRICS' : 'CARTULARY';
  const place = `${host}:${port}`;
  if (code === 'EADDRINUSE') {
    return new CommandFailure(
      `Port ${port} is in use: another server listens on ${place}. Set ${setting}_PORT to use another port.`,
    );
  }
  if (code !== undefined && ['EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code)) {
    return new CommandFailure(
      `Cannot listen on ${place} (${code}). Set ${setting}_HOST and ${setting}_PORT to what this machine allows.`,
    );
  }
  if (code === '42501') {
    return new CommandFailure(
      `The database refused: ${(error as Error).message}. The role needs the right to create schemas: grant create on database … to …`,
    );
  }
  // The database answered and refused: wrong password, unknown database, too old.
  if (code?.startsWith('28') || code === '3D000' || error instanceof UnsupportedDatabase) {
    return new CommandFailure(`The database refused: ${(error as Error).message}`);
  }
  return error;
}
