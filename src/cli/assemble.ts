// The one place where the parts are put together into a running server.

import { getRandomValues } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { BACKGROUND_TASKS } from '../context.ts';
import { createIdSource } from '../domain/ids.ts';
import { Admission } from '../gate/admission.ts';
import { Authenticator } from '../gate/credentials/authenticate.ts';
import { OperatorGate } from '../gate/credentials/operator.ts';
import { ARGON2, PasswordCheck } from '../gate/credentials/password-check.ts';
import { passwordProof } from '../gate/credentials/password-proof.ts';
import { Sessions } from '../gate/credentials/sessions.ts';
import { Quotas } from '../gate/quotas/quota.ts';
import { Pace } from '../gate/throttling/pace.ts';
import { Throttle } from '../gate/throttling/throttle.ts';
import { Transfers } from '../gate/transfers.ts';
import { Deadlines } from '../http/clients/deadlines.ts';
import { Pipelines } from '../http/clients/pipelines.ts';
import { ActiveWork, UnusedConnections } from '../http/clients/shutdown.ts';
import { CLIENT_TIMEOUTS } from '../http/clients/timeouts.ts';
import { UnreadReplies, unreadBounds } from '../http/clients/unread-replies.ts';
import { BodyMemory, bodyMemoryBounds } from '../http/requests/body-memory.ts';
import { closeHttpServer, createHttpServer, listen } from '../http/server.ts';
import { Thumbnails } from '../images/thumbnails.ts';
import { Background } from '../jobs/background.ts';
import { jobsOf } from '../jobs/jobs.ts';
import { JobRunner } from '../jobs/runner.ts';
import { openMailer } from '../mail/mailer.ts';
import { CONTENT_TYPE } from '../monitoring/exposition.ts';
import { Metrics } from '../monitoring/metrics.ts';
import { type MetricsPort, openMetricsPort } from '../monitoring/metrics-port.ts';
import { openTraces } from '../monitoring/traces.ts';
import type { Observe } from '../observe/events.ts';
import { LoginFailures } from '../operations/people/login-failures.ts';
import { endStolen } from '../operations/people/sessions.ts';
import { Push } from '../push/push.ts';
import { makeVapidKeys, type VapidKeys } from '../push/web-push.ts';
import { ByteBudget, byteBounds } from '../request/byte-budget.ts';
import { LoopLoad, LoopTime } from '../request/loop-time.ts';
import { Slices } from '../request/slices.ts';
import { withTimeout } from '../request/timeout.ts';
import { Providers } from '../single-sign-on/providers.ts';
import { Definitions } from '../store/applications/definitions.ts';
import { migrate, migrationsApplied } from '../store/applications/migrate.ts';
import { ActiveUploads } from '../store/attachments/active-uploads.ts';
import { type Blobs, StoreUnavailable } from '../store/blobs/blobs.ts';
import { createBlobs } from '../store/blobs/open.ts';
import { Clock } from '../store/database/clock.ts';
import { Database } from '../store/database/database.ts';
import { DatabaseFigures } from '../store/database/database-figures.ts';
import { detectEngine } from '../store/database/engine.ts';
import { type Invalidation, NodeListener, type QuotaRecall, RECONNECTION_MS } from '../store/nodes/messages.ts';
import { keepServerKey } from '../store/nodes/server-keys.ts';
import { TokenUses } from '../store/people/token-uses.ts';
import { KnownRecords } from '../store/records/known-records.ts';
import { SearchIndexes } from '../store/records/search-indexes.ts';
import { QUOTA_GROUPS } from '../wire/publish-document.ts';
import { orCannotListen } from './cannot-listen.ts';
import { readParts } from './readings.ts';
import type { ServerOptions } from './server-options.ts';
import { VERSION } from './version.ts';

/** How long requests under way may take to finish when the server is stopped. */
const DRAIN_MS = 10_000;
/** And how long those that were cut off then may take to put away what they have. */
const FINISH_MS = 5_000;
/** And all of stopping: containers are usually killed after thirty seconds. */
const CLOSE_MS = 25_000;
const IDLE_LOOK_MS = 50;
/** Behind those that are worked on: some seconds' worth. */
const WAITING = { waitingEachMax: 1_000, waitingMax: 4_000, waitMs: 5_000 };
/** Files on their way to us take up to 2 MB of memory each, those from us little but a connection. */
const UPLOADS = { eachMax: 64, allMax: 192 };
const DOWNLOADS = { eachMax: 256, allMax: 1_024 };
/** From one address, behind which a whole office may be. */
const SIGN_ONS_PER_MINUTE = 60;
/** Each command asks for one, and scripts run many of them. */
const PROOFS_PER_MINUTE = 600;
/** Writing entries and handing over mails: little at once, and a while's worth of waiting. */
const BACKGROUND_BOUNDS = { atOnceMax: 2, waitingMax: 200 };

export interface RunningServer {
  /** `http://HOST:PORT`, without a slash at the end. */
  readonly address: string;
  /** Where figures are served without a key, in the same form. */
  readonly metricsAddress: string | undefined;
  readonly database: Database;
  /** Makes it forget what the invalidation makes stale, as if it had heard of it. */
  readonly invalidate: (invalidation: Invalidation) => void;
  /** Says at /readyz that it is stopping and keeps no connection for another request; all else is served as before. */
  leave(): void;
  /** Takes no new requests, lets those under way finish, and closes the connections to the database. */
  close(): Promise<void>;
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { connection } = options;
  const metrics = new Metrics();
  const observe: Observe = (observation) => {
    metrics.observe(observation);
    options.observe(observation);
  };
  const tracing = options.traces && { ...options.traces, trustedProxies: options.trustedProxies ?? [] };
  const traces = tracing && (await openTraces(tracing, VERSION, observe));
  const database = Database.open({
    connection,
    connectionsMax: options.connectionsMax,
    requestMs: options.requestMs,
    onConnectionError: (error) => observe({ event: 'database.connectionLost', error }),
    onConnected: (server) => observe({ event: 'database.connected', server }),
  });
  const clock = new Clock();
  const onMessage = (message: Invalidation | QuotaRecall) => {
    if (typeof message === 'object' && 'recalled' in message) quotas.recall(message.recalled, message.group);
    else invalidate(message);
  };
  const listener = new NodeListener(connection, onMessage, () => database.suspect());
  const receivedAsOf = () => listener.receivedAsOf;
  const definitions = new Definitions(database, receivedAsOf, options.migrations);
  const throttle = new Throttle(options.authFailures);
  const passwords = new PasswordCheck(options.argon2 ?? ARGON2);
  const hashPassword = passwords.hash.bind(passwords);
  const { aheadMs } = options;
  const now = aheadMs === undefined ? () => clock.now() : () => clock.now() + aheadMs();
  const ids = createIdSource(now, (bytes) => getRandomValues(bytes));
  const activeWork = new ActiveWork();
  const loopTime = new LoopTime();
  const loopLoad = new LoopLoad();
  const admission = new Admission({ slots: options.requestsAtOnce, ...WAITING, ...options.waiting }, loopTime, () =>
    loopLoad.isFull(),
  );
  const slices = new Slices(loopTime, (tenant) => admission.isBesideOthers(tenant));
  const deadlines = new Deadlines(options.requestMs, admission);
  const entriesBackground = new Background({ observe, underWay: activeWork }, BACKGROUND_BOUNDS);
  const mailsBackground = new Background({ observe, underWay: activeWork }, BACKGROUND_BOUNDS);
  const mailer = options.mail && openMailer(options.mail);
  const tokenUses = new TokenUses();
  const inBackground = entriesBackground.begin.bind(entriesBackground);
  const loginFailures = new LoginFailures({ database, ids, now, inBackground });
  const loginFailed = loginFailures.note.bind(loginFailures);
  const provesPassword = passwordProof(throttle, passwords);
  const gateParts = { database, definitions, now, receivedAsOf };
  const authenticator = new Authenticator({
    ...gateParts,
    throttle,
    passwords,
    provesPassword,
    loginFailed,
    tokenUses,
  });
  const invalidate = (invalidation: Invalidation) => {
    definitions.invalidate(invalidation);
    authenticator.invalidate(invalidation);
    sessions.invalidate(invalidation);
  };
  const sessions = new Sessions({
    ...gateParts,
    endStolen: (stolen) => endStolen({ database, ids, invalidate }, stolen),
  });
  const signOnPace = new Pace(SIGN_ONS_PER_MINUTE);
  const proofPace = new Pace(PROOFS_PER_MINUTE);
  const operatorGate = new OperatorGate(options.operatorKey, throttle);
  const quotas = new Quotas({ database, now, observe });
  const searchIndexes = new SearchIndexes();
  const blobs = createBlobs(options.attachments, options.spoolFolder);
  const thumbnails = new Thumbnails();
  const push = new Push(options.push, () => clock.now());
  let address = '';
  let closing = false;
  const publicUrl = () => options.publicUrl ?? address;
  const { known, visitors } = options.bodies ?? bodyMemoryBounds();
  const services = {
    database,
    authenticator,
    sessions,
    tokenUses,
    operatorGate,
    proveKey: operatorGate.prove.bind(operatorGate),
    paceProofs: proofPace.take.bind(proofPace),
    ids,
    now,
    known: new KnownRecords(),
    searchIndexes,
    attachments: {
      blobs,
      thumbnails,
      node: listener.node,
      goneCheckPauseMs: options.goneCheckPauseMs ?? RECONNECTION_MS,
      activeUploads: new ActiveUploads(),
      announcedDays: options.announcedDays,
    },
    closing: () => closing,
    activeWork,
    deadlines,
    timeouts: { ...CLIENT_TIMEOUTS, ...options.clientTimeouts },
    pipelines: new Pipelines(),
    unread: new UnreadReplies(options.unread ?? unreadBounds(), observe),
    byteBudget: new ByteBudget(options.longRecords ?? byteBounds()),
    admission,
    slices,
    uploads: new Transfers(options.transfers ?? UPLOADS),
    downloads: new Transfers(options.transfers ?? DOWNLOADS),
    bodies: { known: new BodyMemory(known), visitors: new BodyMemory(visitors) },
    quotas,
    observe,
    invalidate,
    publicUrl,
    publicUrlSet: options.publicUrl !== undefined,
    metrics: async () => ({ text: await metrics.text(), contentType: CONTENT_TYPE }),
    traces,
    hashPassword,
    definitions,
    throttle,
    paceSignOns: signOnPace.take.bind(signOnPace),
    providers: new Providers(),
    people: {
      hashPassword,
      provesPassword,
      invalidate,
      publicUrl,
      push,
      mailer,
      inBackground: mailsBackground.begin.bind(mailsBackground),
      loginFailed,
    },
  };
  const jobs = new JobRunner(jobsOf(services, options), observe);
  const health = { ready: () => migrationsApplied(database.system, options.migrations), stopping: () => closing };
  const { trustedProxies, clientConnectionsMax: connectionsMax } = options;
  const server = createHttpServer(services, health, { trustedProxies, connectionsMax });
  const unused = new UnusedConnections(server);
  const databaseFigures = new DatabaseFigures(database.system);
  const { peers, embedded = false } = options;
  const background = { entries: entriesBackground, mails: mailsBackground };
  metrics.readFrom({
    read: () => readParts({ services, server, listener, background, embedded }),
    askDatabase: () => databaseFigures.read(),
    peers,
    names: { groups: QUOTA_GROUPS, jobs: jobs.names, tasks: BACKGROUND_TASKS },
  });
  let metricsPort: MetricsPort | undefined;
  const leave = () => {
    closing = true;
  };
  const closeAll = async () => {
    leave();
    // At once: what takes long among them ends while requests are being finished.
    const jobsEnded = jobs.stop();
    // Whoever has not sent or read to the end by then is cut off.
    const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    // A download that had begun has promised to keep its connection, which nobody ends when it is done.
    const idle = setInterval(() => {
      server.closeIdleConnections();
      unused.close();
    }, IDLE_LOOK_MS);
    await closeHttpServer(server);
    clearTimeout(late);
    await activeWork.finished(FINISH_MS);
    clearInterval(idle);
    await database.stopPublishing();
    await jobsEnded;
    await tokenUses.write(database).catch(() => undefined);
    await quotas.close();
    mailer?.close();
    metricsPort?.close();
    await traces?.close();
    clock.stop();
    deadlines.close();
    await push.close();
    await listener.stop();
    await thumbnails.close();
    await blobs.close();
    await database.close();
  };
  // What is still under way by then is left to the end of the process.
  const close = () => withTimeout(CLOSE_MS, closeAll());
  try {
    await openOrTell(blobs, observe);
    database.engine = await detectEngine(database.system);
    await migrate(database, { folder: options.migrations, onWaiting: options.onWaiting });
    await definitions.rememberAll();
    await clock.follow(database.system);
    push.useKeys(await keepVapidKeys(database, clock.now()));
    await listener.start();
    jobs.start();
    const { host, port, metricsEndpoint } = options;
    await orCannotListen('interface', options, listen(server, { host, port }));
    if (metricsEndpoint !== undefined) {
      const opening = openMetricsPort(metricsEndpoint, () => metrics.text());
      metricsPort = await orCannotListen('metrics', metricsEndpoint, opening);
    }
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
  address = addressOf(options.host, server.address() as AddressInfo);
  const metricsAddress = metricsPort && addressOf(options.metricsEndpoint?.host ?? '', metricsPort.address);
  observe({ event: 'server.started', address, version: VERSION, pid: process.pid });
  return { address, metricsAddress, database, invalidate, leave, close };
}

const addressOf = (host: string, { port }: AddressInfo): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Browsers subscribe to one key for good: it is made once for all servers and never changes. */
async function keepVapidKeys({ system }: Database, at: number): Promise<VapidKeys> {
  const make = () => JSON.stringify(makeVapidKeys());
  const kept = await keepServerKey(system, 'vapid', { make, madeAt: new Date(at).toISOString() });
  return JSON.parse(kept) as VapidKeys;
}

/** While it is away only attachments are, and they work as soon as it is back. */
async function openOrTell(blobs: Blobs, observe: Observe): Promise<void> {
  try {
    await blobs.open();
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    observe({ event: 'attachments.away', error });
  }
}
