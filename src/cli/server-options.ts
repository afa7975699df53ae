// The options of startServer, and how they follow from the settings.

import { resolve } from 'node:path';
import type pg from 'pg';
import type { Observe } from '../events/events.ts';
import type { AdmissionBounds } from '../gate/admission.ts';
import type { Argon2 } from '../gate/credentials/password-check.ts';
import type { ThrottleLimits } from '../gate/throttling/throttle.ts';
import type { TransferBounds } from '../gate/transfers.ts';
import type { ClientTimeouts } from '../http/clients/timeouts.ts';
import type { UnreadBounds } from '../http/clients/unread-replies.ts';
import type { BodyMemoryBounds } from '../http/requests/body-memory.ts';
import type { ByteBounds } from '../load/byte-budget.ts';
import type { MailSettings } from '../mail/mailer.ts';
import type { Peers } from '../monitoring/metrics.ts';
import type { MetricsEndpoint } from '../monitoring/metrics-port.ts';
import type { TraceSettings } from '../monitoring/traces.ts';
import { KeyFileError, readApnsAccount, readFcmAccount } from '../push/key-files.ts';
import type { PushSettings } from '../push/push.ts';
import type { Config, SettingName } from '../settings/settings.ts';
import type { BlobLocation } from '../store/blobs/open.ts';
import { CommandFailure } from './failure.ts';
import type { Secrets } from './workers.ts';

export interface ServerOptions {
  readonly connection: pg.ClientConfig;
  readonly pooler?: pg.ClientConfig | undefined;
  /** Standbys that serve reads. */
  readonly replicas?: { readonly connections: readonly pg.ClientConfig[]; readonly lagMs: number } | undefined;
  readonly connectionsMax: number;
  /** On a Citus cluster: whether applications are used on their workers instead of through the coordinator. */
  readonly citusDirect?: boolean;
  /** Deadline of a request, counted from its headers. */
  readonly requestMs: number;
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | undefined;
  readonly operatorKey: string;
  readonly authFailures: ThrottleLimits;
  /** If undefined, no mail is sent and passwords cannot be reset. */
  readonly mail: MailSettings | undefined;
  readonly trustedProxies: readonly string[] | undefined;
  /** Origins whose pages may use every application. */
  readonly allowedOrigins: readonly string[];
  readonly clientConnectionsMax: number;
  /** Admission slots. */
  readonly requestsAtOnce: number;
  /** Where the contents of attachments are stored. */
  readonly attachments: BlobLocation;
  /** For uploads on their way to a remote store. */
  readonly spoolFolder: string;
  readonly unheldDays: number;
  readonly announcedDays: number;
  readonly activityLogDays: number;
  readonly push: PushSettings;
  /** From here to `transfers`: tests shorten waits and lower limits. */
  readonly goneCheckPauseMs?: number;
  /** Tests create hundreds of users and use a cheap hash for their passwords. */
  readonly argon2?: Argon2;
  /** Tests move the clock: how far it is ahead of the database's clock. */
  readonly aheadMs?: () => number;
  /** Tests use migrations of a future version. */
  readonly migrations?: URL | undefined;
  readonly clientTimeouts?: Partial<ClientTimeouts>;
  readonly unread?: UnreadBounds;
  readonly bodies?: BodyMemoryBounds;
  readonly longRecords?: ByteBounds;
  readonly waiting?: Partial<AdmissionBounds>;
  readonly transfers?: TransferBounds;
  /** The other workers of this server, if there are any; metrics cover all of them. */
  readonly peers?: Peers;
  /** Where metrics are served without a key. */
  readonly metricsEndpoint?: MetricsEndpoint | undefined;
  readonly traces?: TraceSettings | undefined;
  /** The ID of the application that the bare address leads to. */
  readonly home?: () => Promise<string | undefined>;
  /** Whether the database is the embedded one. */
  readonly embedded?: boolean;
  readonly observe: Observe;
  /** Called repeatedly with the reason while the start waits. */
  readonly onWaiting?: ((what: string) => void) | undefined;
}

export function serverOptions(config: Config, { connection, operatorKey }: Secrets, observe: Observe): ServerOptions {
  const { CARTULARY_POOLER_URL: connectionString } = config;
  return {
    connection,
    pooler: connectionString === undefined ? undefined : { connectionString },
    replicas: replicas(config),
    connectionsMax: config.CARTULARY_DATABASE_CONNECTIONS,
    citusDirect: config.CARTULARY_CITUS_DIRECT,
    requestMs: config.CARTULARY_REQUEST_SECONDS * 1_000,
    host: config.CARTULARY_HOST,
    port: config.CARTULARY_PORT,
    publicUrl: config.CARTULARY_PUBLIC_URL,
    operatorKey,
    authFailures: { account: config.CARTULARY_AUTH_FAILURES_ACCOUNT, address: config.CARTULARY_AUTH_FAILURES_ADDRESS },
    mail: mailSettings(config),
    trustedProxies: config.CARTULARY_TRUSTED_PROXIES,
    allowedOrigins: config.CARTULARY_ALLOWED_ORIGINS ?? [],
    clientConnectionsMax: config.CARTULARY_CONNECTIONS,
    requestsAtOnce: config.CARTULARY_REQUESTS_AT_ONCE,
    attachments: attachmentsLocation(config),
    spoolFolder: resolve(config.CARTULARY_DATA),
    unheldDays: config.CARTULARY_UNHELD_ATTACHMENT_DAYS,
    announcedDays: config.CARTULARY_ANNOUNCED_UPLOAD_DAYS,
    activityLogDays: config.CARTULARY_ACTIVITY_LOG_DAYS,
    push: pushSettings(config),
    metricsEndpoint: metricsEndpoint(config),
    traces: traceSettings(config),
    embedded: config.DATABASE_URL === undefined,
    observe,
  };
}

function replicas({ CARTULARY_REPLICA_URLS: urls, CARTULARY_REPLICA_LAG_SECONDS: seconds }: Config) {
  const connections = urls?.map((connectionString) => ({ connectionString }));
  return connections && { connections, lagMs: seconds * 1_000 };
}

export const metricsEndpoint = ({ CARTULARY_METRICS_HOST: host, CARTULARY_METRICS_PORT: port }: Config) =>
  port === undefined ? undefined : { host, port };

function traceSettings(config: Config): ServerOptions['traces'] {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesEndpoint } = config;
  const url = tracesEndpoint ?? (endpoint && `${endpoint}/v1/traces`);
  if (url === undefined) return undefined;
  const { OTEL_SERVICE_NAME: serviceName, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio } = config;
  return { url, serviceName, attributes: config.OTEL_RESOURCE_ATTRIBUTES ?? {}, sampler, ratio };
}

/** Used without a configured contact; push services only check the form (RFC 8292 section 2.1). */
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

const attachmentsLocation = ({ CARTULARY_ATTACHMENTS: location, CARTULARY_DATA: data }: Config): BlobLocation =>
  location ?? { kind: 'disk', folder: resolve(data, 'attachments') };
