// Starts a server from its options and stops it, both in the order in which its parts depend on each other.

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BACKGROUND_TASKS } from '../context.ts';
import type { Observe } from '../events/events.ts';
import { Fault } from '../faults.ts';
import { UnusedConnections } from '../http/clients/shutdown.ts';
import { closeHttpServer, createHttpServer, listen } from '../http/server.ts';
import { jobsOf } from '../jobs/jobs.ts';
import { JobRunner } from '../jobs/runner.ts';
import { Metrics } from '../monitoring/metrics.ts';
import { type MetricsPort, openMetricsPort } from '../monitoring/metrics-port.ts';
import { openTraces, type Traces } from '../monitoring/traces.ts';
import { makeVapidKeys, type VapidKeys } from '../push/web-push.ts';
import { withTimeout } from '../request/timeout.ts';
import { CountedRequests } from '../store/applications/counted-requests.ts';
import { migrate, migrationsApplied } from '../store/applications/migrate.ts';
import { type Blobs, StoreUnavailable } from '../store/blobs/blobs.ts';
import { registerSystemTables } from '../store/cluster/system-tables.ts';
import { separateWorkers } from '../store/cluster/worker-connections.ts';
import { WorkerSizes } from '../store/cluster/worker-sizes.ts';
import type { WorkerWatch } from '../store/cluster/worker-watch.ts';
import type { Database } from '../store/database/database.ts';
import { DatabaseFigures } from '../store/database/database-figures.ts';
import { detectEngine, UnsupportedDatabase } from '../store/database/engine.ts';
import { isWorkerLost } from '../store/database/worker-errors.ts';
import type { Invalidation } from '../store/nodes/messages.ts';
import { keepServerKey } from '../store/nodes/server-keys.ts';
import { QUOTA_GROUPS } from '../wire/publish-document.ts';
import { assemble, type Parts } from './assemble.ts';
import { orCannotListen } from './cannot-listen.ts';
import { readParts } from './readings.ts';
import type { ServerOptions } from './server-options.ts';
import { VERSION } from './version.ts';

/** Time for active requests to finish when the server stops; then their connections are closed. */
const DRAIN_MS = 10_000;
/** Time for requests whose connections were closed to clean up. */
const FINISH_MS = 5_000;
/** Bound for stopping as a whole: containers are usually killed after 30 s. */
const CLOSE_MS = 25_000;
const IDLE_CHECK_MS = 50;

export interface RunningServer {
  /** `http://HOST:PORT`, without a slash at the end. */
  readonly address: string;
  /** Address of the metrics port, in the same form. */
  readonly metricsAddress: string | undefined;
  readonly database: Database;
  /** Clears the caches that a message makes stale, as if another node had sent the message. */
  readonly invalidate: (invalidation: Invalidation) => void;
  /** Reports at /readyz that the server is stopping and closes connections after their reply; still serves requests. */
  leave(): void;
  /** Accepts no more requests, lets active requests finish, and closes the connections to the database. */
  close(): Promise<void>;
}

interface Listeners {
  readonly server: Server;
  readonly unused: UnusedConnections;
  metricsPort: MetricsPort | undefined;
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const metrics = new Metrics();
  const countedRequests = new CountedRequests();
  const observe: Observe = (observation) => {
    metrics.observe(observation);
    countedRequests.observe(observation);
    options.observe(observation);
  };
  const traces = await tracesOf(options, observe);
  const state = { address: '', closing: false };
  const parts = assemble(options, { observe, metrics, countedRequests, traces, state });
  const { services } = parts;
  const { database, invalidate } = services;
  const jobs = new JobRunner(jobsOf(services, options), observe);
  const { trustedProxies, clientConnectionsMax: connectionsMax, migrations } = options;
  const health = {
    ready: () => migrationsApplied(database.system, migrations),
    stopping: () => state.closing,
    workers: () => parts.workers.states,
    replicas: () => database.replicas?.states,
  };
  const home = async () => {
    const application = await options.home?.();
    return application !== undefined && services.definitions.knows(application) ? application : undefined;
  };
  const server = createHttpServer(services, health, { trustedProxies, connectionsMax, home });
  const listeners: Listeners = { server, unused: new UnusedConnections(server), metricsPort: undefined };
  readMetrics(metrics, { parts, server, jobs, options });
  const leave = () => {
    state.closing = true;
  };
  // Whatever has not finished by then ends with the process.
  const close = () => {
    leave();
    return withTimeout(CLOSE_MS, closeAll(parts, jobs, listeners));
  };
  try {
    await open(parts, options);
    jobs.start();
    const { host, port, metricsEndpoint } = options;
    await orCannotListen('interface', options, listen(server, { host, port }));
    if (metricsEndpoint !== undefined) {
      const opening = openMetricsPort(metricsEndpoint, () => metrics.text());
      listeners.metricsPort = await orCannotListen('metrics', metricsEndpoint, opening);
    }
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
  const address = addressOf(options.host, server.address() as AddressInfo);
  state.address = address;
  const { metricsPort } = listeners;
  const metricsAddress = metricsPort && addressOf(options.metricsEndpoint?.host ?? '', metricsPort.address);
  observe({ event: 'server.started', address, version: VERSION, pid: process.pid });
  return { address, metricsAddress, database, invalidate, leave, close };
}

async function tracesOf({ traces, trustedProxies = [] }: ServerOptions, observe: Observe): Promise<Traces | undefined> {
  return traces && openTraces({ ...traces, trustedProxies }, VERSION, observe);
}

interface MetricsSources {
  readonly parts: Parts;
  readonly server: Server;
  readonly jobs: JobRunner;
  readonly options: ServerOptions;
}

function readMetrics(metrics: Metrics, { parts, server, jobs, options }: MetricsSources): void {
  const { services, listener, background, workers } = parts;
  const { peers, embedded = false } = options;
  const { system } = services.database;
  const workerSizes = new WorkerSizes(system, workers);
  const databaseFigures = new DatabaseFigures(system, () => workerSizes.total());
  metrics.readFrom({
    read: () => readParts({ services, server, listener, background, workers, embedded }),
    readDatabase: () => databaseFigures.read(),
    peers,
    names: { groups: QUOTA_GROUPS, jobs: jobs.names, tasks: BACKGROUND_TASKS },
  });
}

/** Everything that has to be open before the first request. */
async function open({ services, blobs, clock, listener, push, workers }: Parts, options: ServerOptions): Promise<void> {
  const { database, definitions, observe } = services;
  await openBlobs(blobs, observe);
  const found = await detectEngine(database.system);
  database.engine = found.engine;
  observe({ event: 'database.engine', ...found });
  await migrate(database, {
    folder: options.migrations,
    onWaiting: options.onWaiting,
    onSkipped: (applicationId) => observe({ event: 'cluster.unmigrated', applicationId }),
  });
  if (found.engine === 'citus') await openCluster(database, workers, { ...options, observe });
  await openReplicas(database);
  await definitions.rememberAll();
  await clock.follow(database.system);
  push.useKeys(await keepVapidKeys(database, clock.now()));
  await listener.start();
}

async function openReplicas({ replicas, engine }: Database): Promise<void> {
  if (replicas === undefined) return;
  if (engine === 'citus') {
    throw new UnsupportedDatabase(
      'CARTULARY_REPLICA_URLS works with plain PostgreSQL, and DATABASE_URL names a Citus cluster.',
    );
  }
  await replicas.start();
}

/** The server starts while a worker is away, and serves the applications of the others. */
async function openCluster(
  database: Database,
  workers: WorkerWatch,
  { connectionsMax, citusDirect: direct = false, observe }: ServerOptions,
): Promise<void> {
  await workers.start();
  await separateWorkers(database, { connectionsMax, direct, isAway: (worker) => workers.isAway(worker) });
  const { system } = database;
  try {
    const tables = await registerSystemTables(system);
    if (tables.length > 0) observe({ event: 'cluster.registered', tables });
  } catch (error) {
    // It is told to every worker. The next start tries again.
    if (!(error instanceof Fault && isWorkerLost(error.cause))) throw error;
    observe({ event: 'cluster.unregistered', error });
  }
}

async function closeAll(parts: Parts, jobs: JobRunner, { server, unused, metricsPort }: Listeners): Promise<void> {
  const { services, clock, listener, blobs, thumbnails, push, mailer, workers } = parts;
  const { database, activeWork, tokenUses, countedRequests, quotas, deadlines, traces } = services;
  // Stopped first, so that long jobs end while requests finish.
  const jobsEnded = jobs.stop();
  const drained = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  // Replies that began before the stop promised keep-alive, so their connections stay open after the reply.
  const idle = setInterval(() => {
    server.closeIdleConnections();
    unused.close();
  }, IDLE_CHECK_MS);
  await closeHttpServer(server);
  clearTimeout(drained);
  await activeWork.finished(FINISH_MS);
  clearInterval(idle);
  await database.stopPublishing();
  await jobsEnded;
  await tokenUses.write(database).catch(() => undefined);
  await countedRequests.write(database.system, services.now()).catch(() => undefined);
  await quotas.close();
  mailer?.close();
  metricsPort?.close();
  await traces?.close();
  clock.stop();
  await workers.stop();
  deadlines.close();
  await push.close();
  await listener.stop();
  await thumbnails.close();
  await blobs.close();
  await database.close();
}

const addressOf = (host: string, { port }: AddressInfo): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Browsers subscribe with this key: it is made once for all nodes and never changes. */
async function keepVapidKeys({ system }: Database, at: number): Promise<VapidKeys> {
  const make = () => JSON.stringify(makeVapidKeys());
  const kept = await keepServerKey(system, 'vapid', { make, madeAt: new Date(at).toISOString() });
  return JSON.parse(kept) as VapidKeys;
}

/** The server starts without an unavailable blob store: only attachments fail, until the store is back. */
async function openBlobs(blobs: Blobs, observe: Observe): Promise<void> {
  try {
    await blobs.open();
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    observe({ event: 'attachments.away', error });
  }
}
