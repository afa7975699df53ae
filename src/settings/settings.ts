// The table of all settings. They are read once at startup and passed on as values; nothing else reads the environment.

import { editDistance } from '../domain/edit-distance.ts';
import {
  attachmentsLocation,
  attributes,
  collectorAddress,
  databaseAddress,
  isTrue,
  mailAddress,
  oneOfWords,
  operatorKey,
  origins,
  proxies,
  publicAddress,
  pushServices,
  pushSubject,
  ratio,
  replicaAddresses,
  smtpAddress,
  whole,
} from './setting-values.ts';

interface Setting<T> {
  readonly default: string | undefined;
  readonly parse: (text: string) => T;
  readonly secret?: true;
  readonly sentence: string;
}

const setting = <T>(entry: Setting<T>): Setting<T> => entry;
const text = (value: string): string => value;

export const SETTINGS = {
  CARTULARY_PORT: setting({
    default: '8080',
    parse: whole(0, 65535),
    sentence: 'Port to listen on; 0 picks a free one.',
  }),
  CARTULARY_HOST: setting({ default: '127.0.0.1', parse: text, sentence: 'Address to listen on.' }),
  CARTULARY_DATA: setting({
    default: './data',
    parse: text,
    sentence: 'Folder for the embedded database, attachments and the operator key.',
  }),
  CARTULARY_OPERATOR_KEY: setting({
    default: undefined,
    parse: operatorKey,
    secret: true,
    sentence: 'Key of the operator interface; if unset, the first start creates one and keeps it in the data folder.',
  }),
  DATABASE_URL: setting({
    default: undefined,
    parse: databaseAddress,
    secret: true,
    sentence:
      'PostgreSQL 15 or newer to use instead of the embedded one; of several hosts, the one that accepts writes is used.',
  }),
  CARTULARY_POOLER_URL: setting({
    default: undefined,
    parse: databaseAddress,
    secret: true,
    sentence:
      'PgBouncer or another pooler in transaction mode before the database of `DATABASE_URL`; writes and searches go through it.',
  }),
  CARTULARY_REPLICA_URLS: setting({
    default: undefined,
    parse: replicaAddresses,
    secret: true,
    sentence:
      'Standbys of the database of `DATABASE_URL`, with commas between them; they serve reads of callers who allow it.',
  }),
  CARTULARY_REPLICA_LAG_SECONDS: setting({
    default: '10',
    parse: whole(1, 3600),
    sentence: 'Seconds that a standby may lag and still serve reads.',
  }),
  CARTULARY_CITUS_DIRECT: setting({
    default: 'false',
    parse: isTrue,
    sentence:
      'Whether a server uses the data of an application on the worker of a Citus cluster that holds it (`true`), or through the coordinator.',
  }),
  CARTULARY_ATTACHMENTS: setting({
    default: undefined,
    parse: attachmentsLocation,
    secret: true,
    sentence:
      'Where the contents of attachments are stored: a folder (by default `attachments` in the data folder), or an S3-compatible store, `s3://BUCKET/PREFIX?endpoint=…&region=…&accessKeyId=…&secretAccessKey=…`.',
  }),
  CARTULARY_UNHELD_ATTACHMENT_DAYS: setting({
    default: '7',
    parse: whole(1, 3650),
    sentence: 'Days after which an attachment that no record holds is deleted.',
  }),
  CARTULARY_ANNOUNCED_UPLOAD_DAYS: setting({
    default: '7',
    parse: whole(1, 3650),
    sentence: 'Days that an announced upload waits for more bytes before it is deleted.',
  }),
  CARTULARY_ACTIVITY_LOG_DAYS: setting({
    default: '400',
    parse: whole(1, 36500),
    sentence:
      'Days that entries of activity logs are kept; older entries are deleted, those of long logs in whole months.',
  }),
  CARTULARY_DATABASE_CONNECTIONS: setting({
    default: '16',
    parse: whole(2, 500),
    sentence: 'Maximum number of connections to the database for a server, or for each of its workers.',
  }),
  CARTULARY_REQUEST_SECONDS: setting({
    default: '30',
    parse: whole(1, 3600),
    sentence: 'Seconds after which a request is cancelled with 503; file transfers do not count.',
  }),
  CARTULARY_WORKERS: setting({
    default: '1',
    parse: whole(1, 64),
    sentence: 'Number of processes that serve requests, for machines with many cores.',
  }),
  CARTULARY_DRAIN_SECONDS: setting({
    default: '0',
    parse: whole(0, 600),
    sentence: 'Seconds that a server keeps serving after it was told to stop, so that load balancers notice.',
  }),
  CARTULARY_CONNECTIONS: setting({
    default: '10000',
    parse: whole(10, 1_000_000),
    sentence:
      'Maximum number of client connections for a server, or for each of its workers; further connections are closed.',
  }),
  CARTULARY_REQUESTS_AT_ONCE: setting({
    default: '48',
    parse: whole(8, 10_000),
    sentence: 'Requests that a server, or each of its workers, handles concurrently; further requests wait in a queue.',
  }),
  CARTULARY_PUBLIC_URL: setting({
    default: undefined,
    parse: publicAddress,
    sentence:
      'Address at which users reach the server, for the links that it creates; by default the address it listens on.',
  }),
  CARTULARY_SMTP_URL: setting({
    default: undefined,
    parse: smtpAddress,
    secret: true,
    sentence:
      'SMTP server for outgoing mail, `smtp://USER:PASSWORD@HOST:PORT` or `smtps://…`; without it users cannot reset their passwords.',
  }),
  CARTULARY_MAIL_FROM: setting({
    default: undefined,
    parse: mailAddress,
    sentence: 'Sender address of mail; required with an SMTP server.',
  }),
  CARTULARY_TRUSTED_PROXIES: setting({
    default: undefined,
    parse: proxies,
    sentence: 'Proxies whose X-Forwarded-For is trusted, as a comma-separated list of addresses or networks.',
  }),
  CARTULARY_ALLOWED_ORIGINS: setting({
    default: undefined,
    parse: origins,
    sentence:
      'Origins whose pages may use every application from a browser (CORS), as a comma-separated list such as `https://app.example.com`.',
  }),
  CARTULARY_AUTH_FAILURES_ACCOUNT: setting({
    default: '10',
    parse: whole(1, 1_000_000),
    sentence:
      'Failed authentications for one account from one address within five minutes before further attempts are throttled.',
  }),
  CARTULARY_AUTH_FAILURES_ADDRESS: setting({
    default: '50',
    parse: whole(1, 1_000_000),
    sentence: 'Failed authentications from one address within five minutes before further attempts are throttled.',
  }),
  CARTULARY_PUSH_SERVICES: setting({
    default:
      'fcm.googleapis.com, updates.push.services.mozilla.com, *.push.services.mozilla.com, *.push.apple.com, *.notify.windows.com',
    parse: pushServices,
    sentence:
      'Push services that browsers may use, as a comma-separated list of hosts (`*.` for all subdomains) or origins.',
  }),
  CARTULARY_PUSH_SUBJECT: setting({
    default: undefined,
    parse: pushSubject,
    sentence: 'Contact for push services, `mailto:…` or `https:…`; by default the public address, if it is https.',
  }),
  CARTULARY_FCM: setting({
    default: undefined,
    parse: text,
    sentence: 'File of the Google service account for notifications to phones over FCM.',
  }),
  CARTULARY_APNS: setting({
    default: undefined,
    parse: text,
    sentence: 'File with the key for notifications to phones over APNs.',
  }),
  CARTULARY_METRICS_PORT: setting({
    default: undefined,
    parse: whole(0, 65535),
    sentence: 'Port that serves `/metrics` without a key; if unset, `/metrics` is only served with the operator key.',
  }),
  CARTULARY_METRICS_HOST: setting({
    default: '127.0.0.1',
    parse: text,
    sentence: 'Address that the metrics port listens on.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting({
    default: undefined,
    parse: collectorAddress,
    secret: true,
    sentence: 'OpenTelemetry collector that traces are sent to, with OTLP over HTTP; if unset, nothing is traced.',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting({
    default: undefined,
    parse: collectorAddress,
    secret: true,
    sentence: 'The collector with its full path, if that is not `/v1/traces`.',
  }),
  OTEL_SERVICE_NAME: setting({
    default: undefined,
    parse: text,
    sentence: 'Service name in traces; by default the `service.name` of `OTEL_RESOURCE_ATTRIBUTES`, or `cartulary`.',
  }),
  OTEL_RESOURCE_ATTRIBUTES: setting({
    default: undefined,
    parse: attributes,
    sentence:
      'Further attributes of this server in traces, as `NAME=VALUE,NAME=VALUE` with special characters percent-encoded.',
  }),
  OTEL_TRACES_SAMPLER: setting({
    default: 'parentbased_always_on',
    parse: oneOfWords([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ]),
    sentence: 'Which requests are traced.',
  }),
  OTEL_TRACES_SAMPLER_ARG: setting({
    default: '1',
    parse: ratio,
    sentence: 'Fraction of requests to trace, from 0 to 1, for the ratio samplers.',
  }),
  CARTULARY_LOG_LEVEL: setting({
    default: undefined,
    parse: oneOfWords(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    sentence: 'Least severe level that is logged; by default info, and warn with the demonstration of npm start.',
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;
type Parsed<Name extends SettingName> = ReturnType<(typeof SETTINGS)[Name]['parse']>;
type OptionalName =
  | 'CARTULARY_OPERATOR_KEY'
  | 'CARTULARY_ATTACHMENTS'
  | 'DATABASE_URL'
  | 'CARTULARY_POOLER_URL'
  | 'CARTULARY_PUBLIC_URL'
  | 'CARTULARY_PUSH_SUBJECT'
  | 'CARTULARY_METRICS_PORT'
  | 'CARTULARY_LOG_LEVEL'
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
  | 'OTEL_SERVICE_NAME'
  | 'OTEL_RESOURCE_ATTRIBUTES'
  | 'CARTULARY_FCM'
  | 'CARTULARY_APNS'
  | 'CARTULARY_SMTP_URL'
  | 'CARTULARY_MAIL_FROM'
  | 'CARTULARY_TRUSTED_PROXIES'
  | 'CARTULARY_ALLOWED_ORIGINS';
export type Config = {
  readonly [Name in SettingName]: Parsed<Name> | (Name extends OptionalName ? undefined : never);
};

/** Set for commands of users (cli/logins), and by the test suite; servers inherit them. */
const NOT_OURS = /^CARTULARY_(?:TEST_.*|PROFILE|TOKEN)$/;

export class ConfigError extends Error {}

export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  for (const name of Object.keys(environment)) {
    if (name.startsWith('CARTULARY_') && !(name in SETTINGS) && !NOT_OURS.test(name)) {
      problems.push(`${name} is not a setting of Cartulary (${hintFor(name)})`);
    }
  }
  const values: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(SETTINGS)) {
    const given = environment[name];
    const value = given === undefined || given === '' ? entry.default : given;
    try {
      values[name] = value === undefined ? undefined : entry.parse(value);
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}${'secret' in entry ? '' : `, not ${JSON.stringify(value)}`}`);
    }
  }
  if (values.CARTULARY_SMTP_URL !== undefined && values.CARTULARY_MAIL_FROM === undefined) {
    problems.push('CARTULARY_MAIL_FROM must be set if CARTULARY_SMTP_URL is set');
  }
  if (values.CARTULARY_SMTP_URL !== undefined && values.CARTULARY_PUBLIC_URL === undefined) {
    problems.push('CARTULARY_PUBLIC_URL must be set if CARTULARY_SMTP_URL is set: mails contain links to it');
  }
  if (values.CARTULARY_POOLER_URL !== undefined && values.DATABASE_URL === undefined) {
    problems.push(
      'DATABASE_URL must be set if CARTULARY_POOLER_URL is set: messages, short reads and publishing go there',
    );
  }
  if (values.CARTULARY_REPLICA_URLS !== undefined && values.DATABASE_URL === undefined) {
    problems.push('DATABASE_URL must be set if CARTULARY_REPLICA_URLS is set: the embedded database has no standbys');
  }
  if (environment.CARTULARY_METRICS_HOST && values.CARTULARY_METRICS_PORT === undefined) {
    problems.push(
      'CARTULARY_METRICS_PORT must be set if CARTULARY_METRICS_HOST is set: without a port nothing listens there',
    );
  }
  problems.push(...sharedPort(values as Partial<Config>));
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return values as Config;
}

const ALL_ADDRESSES = ['0.0.0.0', '::'];

function sharedPort(values: Partial<Config>): string[] {
  const { CARTULARY_PORT: port, CARTULARY_METRICS_PORT: metricsPort } = values;
  if (port === undefined || port === 0 || port !== metricsPort) return [];
  const hosts = [values.CARTULARY_HOST, values.CARTULARY_METRICS_HOST].map((host) =>
    host === 'localhost' ? '127.0.0.1' : (host ?? ''),
  );
  if (hosts[0] !== hosts[1] && !hosts.some((host) => ALL_ADDRESSES.includes(host))) return [];
  return [`CARTULARY_METRICS_PORT and CARTULARY_PORT must differ on the same address: both are ${port}`];
}

/** The setting with the most similar name, or else the names of all settings. */
function hintFor(unknown: string): string {
  const core = (name: string) => name.toUpperCase().replace(/^CARTULARY_/, '');
  const names = Object.keys(SETTINGS).map((name) => ({ name, distance: editDistance(core(unknown), core(name)) }));
  const near = names.reduce((least, other) => (other.distance < least.distance ? other : least));
  if (near.distance * 3 <= core(unknown).length) return `did you mean ${near.name}?`;
  return `known: ${Object.keys(SETTINGS).join(', ')}`;
}
