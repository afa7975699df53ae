// What a server is started with, from the settings.

import { resolve } from 'node:path';
import type { Config, SettingName } from '../config.ts';
import type { Observe } from '../observe.ts';
import { KeyFileError, readApnsAccount, readFcmAccount } from '../push/key-files.ts';
import type { PushSettings } from '../push/push.ts';
import type { AttachmentsPlace } from '../store/blobs-open.ts';
import type { ServerOptions } from './assemble.ts';
import { CommandFailure } from './failure.ts';
import type { Orders } from './workers.ts';

export function serverOptions(config: Config, { connection, operatorKey }: Orders, observe: Observe): ServerOptions {
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
  return { url, serviceName, attributes: config.OTEL_RESOURCE_ATTRIBUTES ?? {}, sampler, ratio };
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

const attachmentsPlace = ({ CARTULARY_ATTACHMENTS: place, CARTULARY_DATA: data }: Config): AttachmentsPlace =>
  place ?? { kind: 'disk', folder: resolve(data, 'attachments') };
