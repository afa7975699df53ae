// Every setting in one table: read once at the start and passed on as values. Nothing else reads the environment.

import {
  attachmentsPlace,
  attributes,
  collectorAddress,
  databaseAddress,
  mailAddress,
  oneOf,
  operatorKey,
  proxies,
  publicAddress,
  pushServices,
  pushSubject,
  ratio,
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
    sentence: 'Folder of the embedded database, of attachments and of the operator key.',
  }),
  CARTULARY_OPERATOR_KEY: setting({
    default: undefined,
    parse: operatorKey,
    secret: true,
    sentence: 'Key of the operator interface; without it one is made at the first start and kept in the data folder.',
  }),
  DATABASE_URL: setting({
    default: undefined,
    parse: databaseAddress,
    secret: true,
    sentence:
      'PostgreSQL 15 or newer to use instead of the embedded one; with several hosts, the one of them that takes writes.',
  }),
  CARTULARY_ATTACHMENTS: setting({
    default: undefined,
    parse: attachmentsPlace,
    secret: true,
    sentence:
      'Where the bytes of attachments are kept: a folder (by default `attachments` in the data folder), or an S3-compatible store, `s3://BUCKET/PREFIX?endpoint=…&region=…&accessKeyId=…&secretAccessKey=…`.',
  }),
  CARTULARY_UNHELD_ATTACHMENT_DAYS: setting({
    default: '7',
    parse: whole(1, 3650),
    sentence: 'Days after which an attachment that no record holds is deleted.',
  }),
  CARTULARY_ANNOUNCED_UPLOAD_DAYS: setting({
    default: '7',
    parse: whole(1, 3650),
    sentence: 'Days for which an announced upload waits for its next bytes.',
  }),
  CARTULARY_ACTIVITY_LOG_DAYS: setting({
    default: '400',
    parse: whole(1, 36500),
    sentence: 'Days for which entries of activity logs are kept; after that they are deleted by whole months.',
  }),
  CARTULARY_DATABASE_CONNECTIONS: setting({
    default: '16',
    parse: whole(2, 500),
    sentence: 'Connections to the database that one server, or each of its workers, holds at the most.',
  }),
  CARTULARY_REQUEST_SECONDS: setting({
    default: '30',
    parse: whole(1, 3600),
    sentence: 'Seconds after which a request is given up and answered with 503; files on their way do not count.',
  }),
  CARTULARY_WORKERS: setting({
    default: '1',
    parse: whole(1, 64),
    sentence: 'Processes that serve requests, for a machine with many cores.',
  }),
  CARTULARY_DRAIN_SECONDS: setting({
    default: '0',
    parse: whole(0, 600),
    sentence: 'Seconds for which a server that was asked to end goes on serving, so that load balancers notice.',
  }),
  CARTULARY_CONNECTIONS: setting({
    default: '10000',
    parse: whole(10, 1_000_000),
    sentence:
      'Connections of clients that one server, or each of its workers, holds at the most; further ones are closed.',
  }),
  CARTULARY_REQUESTS_AT_ONCE: setting({
    default: '48',
    parse: whole(8, 10_000),
    sentence: 'Requests that one server, or each of its workers, works on at once; further ones wait for their turn.',
  }),
  CARTULARY_PUBLIC_URL: setting({
    default: undefined,
    parse: publicAddress,
    sentence: 'Address under which people reach the server, for the links it gives out; by default where it listens.',
  }),
  CARTULARY_SMTP_URL: setting({
    default: undefined,
    parse: smtpAddress,
    secret: true,
    sentence:
      'SMTP server by which mail goes out, `smtp://USER:PASSWORD@HOST:PORT` or `smtps://…`; without it people cannot reset their passwords.',
  }),
  CARTULARY_MAIL_FROM: setting({
    default: undefined,
    parse: mailAddress,
    sentence: 'Address that mail comes from; needed where there is an SMTP server.',
  }),
  CARTULARY_TRUSTED_PROXIES: setting({
    default: undefined,
    parse: proxies,
    sentence: 'Proxies whose X-Forwarded-For is believed, as a comma-separated list of addresses or networks.',
  }),
  CARTULARY_AUTH_FAILURES_ACCOUNT: setting({
    default: '10',
    parse: whole(1, 1_000_000),
    sentence: 'Failed authentications for one account from one address within five minutes before it is slowed down.',
  }),
  CARTULARY_AUTH_FAILURES_ADDRESS: setting({
    default: '50',
    parse: whole(1, 1_000_000),
    sentence: 'Failed authentications from one address within five minutes before it is slowed down.',
  }),
  CARTULARY_PUSH_SERVICES: setting({
    default:
      'fcm.googleapis.com, updates.push.services.mozilla.com, *.push.services.mozilla.com, *.push.apple.com, *.notify.windows.com',
    parse: pushServices,
    sentence:
      'Push services that browsers may name, as a comma-separated list of hosts (`*.` for all below) or whole origins.',
  }),
  CARTULARY_PUSH_SUBJECT: setting({
    default: undefined,
    parse: pushSubject,
    sentence:
      'Whom a push service may write to, `mailto:…` or `https:…`; by default the public address, if it is https.',
  }),
  CARTULARY_FCM: setting({
    default: undefined,
    parse: text,
    sentence: 'File of the Google service account that sends notifications to phones by FCM.',
  }),
  CARTULARY_APNS: setting({
    default: undefined,
    parse: text,
    sentence: 'File with the key that sends notifications to phones by APNs.',
  }),
  CARTULARY_METRICS_PORT: setting({
    default: undefined,
    parse: whole(0, 65535),
    sentence: 'Port on which `/metrics` needs no key; without it there is only the one that needs the operator key.',
  }),
  CARTULARY_METRICS_HOST: setting({
    default: '127.0.0.1',
    parse: text,
    sentence: 'Address on which that port listens.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting({
    default: undefined,
    parse: collectorAddress,
    secret: true,
    sentence: 'OpenTelemetry collector that traces are sent to, by OTLP over HTTP; without it nothing is traced.',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting({
    default: undefined,
    parse: collectorAddress,
    secret: true,
    sentence: 'The same with its path, where that is not `/v1/traces`.',
  }),
  OTEL_SERVICE_NAME: setting({
    default: undefined,
    parse: text,
    sentence: 'Name under which traces are shown; without it `cartulary`, or the `service.name` of the next.',
  }),
  OTEL_RESOURCE_ATTRIBUTES: setting({
    default: undefined,
    parse: attributes,
    sentence:
      'What else traces say of this server, as `NAME=VALUE,NAME=VALUE` with special characters percent-encoded.',
  }),
  OTEL_TRACES_SAMPLER: setting({
    default: 'parentbased_always_on',
    parse: oneOf([
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
    sentence: 'The part of them, from 0 to 1, where the sampler is one by ratio.',
  }),
  CARTULARY_LOG_LEVEL: setting({
    default: 'info',
    parse: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    sentence: 'How much is logged.',
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;
type Parsed<Name extends SettingName> = ReturnType<(typeof SETTINGS)[Name]['parse']>;
type OptionalName =
  | 'CARTULARY_OPERATOR_KEY'
  | 'CARTULARY_ATTACHMENTS'
  | 'DATABASE_URL'
  | 'CARTULARY_PUBLIC_URL'
  | 'CARTULARY_PUSH_SUBJECT'
  | 'CARTULARY_METRICS_PORT'
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
  | 'OTEL_SERVICE_NAME'
  | 'OTEL_RESOURCE_ATTRIBUTES'
  | 'CARTULARY_FCM'
  | 'CARTULARY_APNS'
  | 'CARTULARY_SMTP_URL'
  | 'CARTULARY_MAIL_FROM'
  | 'CARTULARY_TRUSTED_PROXIES';
export type Config = {
  readonly [Name in SettingName]: Parsed<Name> | (Name extends OptionalName ? undefined : never);
};

/** Names that the test suite uses in the same environment; a server that meets them is not misconfigured. */
const NOT_OURS = /^CARTULARY_TEST_/;

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
    problems.push('CARTULARY_MAIL_FROM must be set where CARTULARY_SMTP_URL is');
  }
  if (values.CARTULARY_SMTP_URL !== undefined && values.CARTULARY_PUBLIC_URL === undefined) {
    problems.push('CARTULARY_PUBLIC_URL must be set where CARTULARY_SMTP_URL is: mails have links to it');
  }
  if (environment.CARTULARY_METRICS_HOST && values.CARTULARY_METRICS_PORT === undefined) {
    problems.push(
      'CARTULARY_METRICS_PORT must be set where CARTULARY_METRICS_HOST is: without a port there is no listener',
    );
  }
  problems.push(...sharedPort(values as Partial<Config>));
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return values as Config;
}

const EVERYWHERE = ['0.0.0.0', '::'];

function sharedPort(values: Partial<Config>): string[] {
  const { CARTULARY_PORT: port, CARTULARY_METRICS_PORT: metricsPort } = values;
  if (port === undefined || port === 0 || port !== metricsPort) return [];
  const hosts = [values.CARTULARY_HOST, values.CARTULARY_METRICS_HOST].map((host) =>
    host === 'localhost' ? '127.0.0.1' : (host ?? ''),
  );
  if (hosts[0] !== hosts[1] && !hosts.some((host) => EVERYWHERE.includes(host))) return [];
  return [`CARTULARY_METRICS_PORT and CARTULARY_PORT must differ on the same address: both are ${port}`];
}

/** What may have been meant, or else all that there is. */
function hintFor(unknown: string): string {
  const core = (name: string) => name.toUpperCase().replace(/^CARTULARY_/, '');
  const names = Object.keys(SETTINGS).map((name) => ({ name, distance: editDistance(core(unknown), core(name)) }));
  const near = names.reduce((least, other) => (other.distance < least.distance ? other : least));
  if (near.distance * 3 <= core(unknown).length) return `did you mean ${near.name}?`;
  return `known: ${Object.keys(SETTINGS).join(', ')}`;
}

/** How many letters to add, leave out, replace, or swap with their neighbour, to make one of the other. */
function editDistance(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, n) => n)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= one.length; i++) {
    rows.push([i]);
    for (let j = 1; j <= other.length; j++) {
      const replaced = at(i - 1, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const swapped = isSwapped ? at(i - 2, j - 2) + 1 : replaced;
      rows[i]![j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped);
    }
  }
  return at(one.length, other.length);
}
