// Creates the parts of a server from its options and connects them with each other: the only file that knows all parts.
// Nothing is opened here and nothing waits; the order of starting and stopping is in start-server.ts.

import { getRandomValues } from 'node:crypto';
import type { PeopleDependencies } from '../context.ts';
import { createIdSource, type IdSource } from '../domain/ids.ts';
import type { Observe } from '../events/events.ts';
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
import { ActiveWork } from '../http/clients/shutdown.ts';
import { CLIENT_TIMEOUTS } from '../http/clients/timeouts.ts';
import { UnreadReplies, unreadBounds } from '../http/clients/unread-replies.ts';
import { Compressions } from '../http/compression.ts';
import { BodyMemory, bodyMemoryBounds } from '../http/requests/body-memory.ts';
import { Thumbnails } from '../images/thumbnails.ts';
import { Background } from '../jobs/background.ts';
import { ByteBudget, byteBounds } from '../load/byte-budget.ts';
import { LoopLoad, LoopTime } from '../load/loop-time.ts';
import { type OtherTenants, Slices } from '../load/slices.ts';
import { openMailer } from '../mail/mailer.ts';
import { CONTENT_TYPE } from '../monitoring/exposition.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import type { Traces } from '../monitoring/traces.ts';
import { LoginFailures } from '../operations/people/login-failure-log.ts';
import { endStolen } from '../operations/people/sessions.ts';
import { Push } from '../push/push.ts';
import { Providers } from '../single-sign-on/providers.ts';
import type { CountedRequests } from '../store/applications/counted-requests.ts';
import { Definitions } from '../store/applications/definitions.ts';
import { ActiveUploads } from '../store/attachments/active-uploads.ts';
import { createBlobs } from '../store/blobs/open.ts';
import { WorkerWatch } from '../store/cluster/worker-watch.ts';
import { Clock } from '../store/database/clock.ts';
import { Database } from '../store/database/database.ts';
import { type Invalidation, NodeListener, type QuotaRecall, RECONNECTION_MS } from '../store/nodes/messages.ts';
import { TokenUses } from '../store/people/token-uses.ts';
import { SearchIndexes } from '../store/records/search-indexes.ts';
import type { ServerOptions } from './server-options.ts';
import { BUILD, VERSION } from './version.ts';

/** Limits of the queue for admission: a few seconds of work. */
const WAITING = { waitingEachMax: 1_000, waitingMax: 4_000, waitMs: 5_000 };
/** An upload takes up to 2 MB of memory, a download little more than its connection. */
const UPLOADS = { eachMax: 64, allMax: 192 };
const DOWNLOADS = { eachMax: 256, allMax: 1_024 };
/** For each address, which a whole office may share. */
const SIGN_ONS_PER_MINUTE = 60;
/** Every operator command needs a proof, and scripts run many commands. */
const PROOFS_PER_MINUTE = 600;
/** Activity log entries and mails: few at once, with a queue for bursts. */
const BACKGROUND = { atOnceMax: 2, waitingMax: 200 };

/** State of the running server that its parts read. */
export interface ServerState {
  /** `http://HOST:PORT`, once it listens. */
  address: string;
  closing: boolean;
}

interface Surroundings {
  readonly observe: Observe;
  readonly metrics: Metrics;
  readonly countedRequests: CountedRequests;
  readonly traces: Traces | undefined;
  readonly state: ServerState;
}

export type Parts = ReturnType<typeof assemble>;

export function assemble(options: ServerOptions, { observe, metrics, countedRequests, traces, state }: Surroundings) {
  const database = openDatabase(options, observe);
  const clock = new Clock();
  const { aheadMs } = options;
  const now = aheadMs === undefined ? () => clock.now() : () => clock.now() + aheadMs();
  const ids = createIdSource(now, (bytes) => getRandomValues(bytes));
  const quotas = new Quotas({ database, now, observe });
  const invalidate = (invalidation: Invalidation) => {
    definitions.invalidate(invalidation);
    gate.authenticator.invalidate(invalidation);
    gate.sessions.invalidate(invalidation);
  };
  const onMessage = (message: Invalidation | QuotaRecall) => {
    if (typeof message === 'object' && 'recalled' in message) quotas.recall(message.recalled, message.group);
    else invalidate(message);
  };
  const listener = new NodeListener(options.connection, onMessage, () => database.suspect());
  const receivedAsOf = () => listener.receivedAsOf;
  const definitions = new Definitions(database, receivedAsOf, options.migrations);
  const limits = createLimits(options, database, observe);
  const { activeWork, admission: others } = limits;
  const entriesBackground = new Background({ observe, underWay: activeWork }, BACKGROUND);
  const mailsBackground = new Background({ observe, underWay: activeWork }, BACKGROUND);
  const inBackground = entriesBackground.begin.bind(entriesBackground);
  const gate = createGate(options, { database, definitions, ids, now, receivedAsOf, invalidate, inBackground, others });
  const { hashPassword, provesPassword, loginFailed } = gate;
  const blobs = createBlobs(options.attachments, options.spoolFolder);
  const thumbnails = new Thumbnails();
  const push = new Push(options.push, () => clock.now());
  const mailer = options.mail && openMailer(options.mail);
  const publicUrl = () => options.publicUrl ?? state.address;
  const peopleInBackground = mailsBackground.begin.bind(mailsBackground);
  const services = {
    ...limits,
    ...gate,
    version: VERSION,
    build: BUILD,
    database,
    definitions,
    quotas,
    ids,
    now,
    observe,
    invalidate,
    countedRequests,
    traces,
    publicUrl,
    publicUrlSet: options.publicUrl !== undefined,
    allowedOrigins: options.allowedOrigins,
    closing: () => state.closing,
    metrics: async () => ({ text: await metrics.text(), contentType: CONTENT_TYPE }),
    searchIndexes: new SearchIndexes(),
    providers: new Providers(),
    inBackground: peopleInBackground,
    attachments: {
      blobs,
      thumbnails,
      node: listener.node,
      system: database.system,
      goneCheckPauseMs: options.goneCheckPauseMs ?? RECONNECTION_MS,
      activeUploads: new ActiveUploads(),
      announcedDays: options.announcedDays,
    },
    people: {
      hashPassword,
      provesPassword,
      loginFailed,
      invalidate,
      publicUrl,
      push,
      mailer,
      inBackground: peopleInBackground,
    },
  };
  const background = { entries: entriesBackground, mails: mailsBackground };
  const workers = workerWatch(options, database, observe);
  return { services, background, clock, listener, blobs, thumbnails, push, mailer, workers };
}

function workerWatch({ connection }: ServerOptions, { system }: Database, observe: Observe): WorkerWatch {
  const onConnectionError = (error: Error) => observe({ event: 'database.connectionLost', error });
  return new WorkerWatch({
    system,
    openProber: () => Database.open({ connection, connectionsMax: 1, onConnectionError }),
    onChange: ({ address: worker, reachable }) =>
      observe({ event: reachable ? 'cluster.workerBack' : 'cluster.workerAway', worker }),
  });
}

function openDatabase(options: ServerOptions, observe: Observe): Database {
  const { connection, pooler, replicas, embedded, connectionsMax, requestMs } = options;
  const onChange = (replica: string, reason: string | undefined) =>
    observe(reason === undefined ? { event: 'replica.found', replica } : { event: 'replica.away', replica, reason });
  return Database.open({
    connection,
    pooler,
    replicas: replicas && { ...replicas, onChange },
    embedded,
    connectionsMax,
    requestMs,
    onConnectionError: (error) => observe({ event: 'database.connectionLost', error }),
    onConnected: (server) => observe({ event: 'database.connected', server }),
  });
}

/** What bounds the work and the memory of requests. */
function createLimits(options: ServerOptions, database: Database, observe: Observe) {
  const loopTime = new LoopTime();
  const loopLoad = new LoopLoad();
  const bounds = { slots: options.requestsAtOnce, ...WAITING, ...options.waiting };
  const workerOf = (tenant: string) => database.workerOf(tenant);
  const admission = new Admission(bounds, loopTime, () => loopLoad.isFull(), workerOf);
  const { known, visitors } = options.bodies ?? bodyMemoryBounds();
  return {
    activeWork: new ActiveWork(),
    admission,
    slices: new Slices(loopTime, admission),
    deadlines: new Deadlines(options.requestMs, admission),
    timeouts: { ...CLIENT_TIMEOUTS, ...options.clientTimeouts },
    pipelines: new Pipelines(),
    compressions: new Compressions(),
    unread: new UnreadReplies(options.unread ?? unreadBounds(), observe),
    byteBudget: new ByteBudget(options.longRecords ?? byteBounds()),
    uploads: new Transfers(options.transfers ?? UPLOADS),
    downloads: new Transfers(options.transfers ?? DOWNLOADS),
    bodies: { known: new BodyMemory(known), visitors: new BodyMemory(visitors) },
  };
}

interface GateDependencies {
  readonly database: Database;
  readonly definitions: Definitions;
  readonly ids: IdSource;
  readonly now: () => number;
  readonly receivedAsOf: () => number;
  readonly invalidate: (invalidation: Invalidation) => void;
  readonly inBackground: PeopleDependencies['inBackground'];
  readonly others: OtherTenants;
}

/** What decides who a client is. */
function createGate(options: ServerOptions, dependencies: GateDependencies) {
  const { database, definitions, ids, now, receivedAsOf, invalidate, inBackground, others } = dependencies;
  const throttle = new Throttle(options.authFailures);
  const passwords = new PasswordCheck(options.argon2 ?? ARGON2, { others });
  const provesPassword = passwordProof(throttle, passwords);
  const loginFailures = new LoginFailures({ database, ids, now, inBackground });
  const loginFailed = loginFailures.report.bind(loginFailures);
  const tokenUses = new TokenUses();
  const shared = { database, definitions, now, receivedAsOf };
  const operatorGate = new OperatorGate(options.operatorKey, throttle);
  const signOnPace = new Pace(SIGN_ONS_PER_MINUTE);
  const proofPace = new Pace(PROOFS_PER_MINUTE);
  return {
    throttle,
    hashPassword: passwords.hash.bind(passwords),
    provesPassword,
    loginFailed,
    tokenUses,
    authenticator: new Authenticator({ ...shared, throttle, passwords, provesPassword, loginFailed, tokenUses }),
    sessions: new Sessions({ ...shared, endStolen: (stolen) => endStolen({ database, ids, invalidate }, stolen) }),
    operatorGate,
    proveKey: operatorGate.prove.bind(operatorGate),
    paceProofs: proofPace.take.bind(proofPace),
    paceSignOns: signOnPace.take.bind(signOnPace),
  };
}
