// Every setting in one table: read once at the start and passed on as values. Nothing else reads the environment.

import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Setting<T> {
  readonly default: string | undefined;
  readonly parse: (text: string) => T;
  readonly secret?: true;
  readonly sentence: string;
}

const setting = <T>(entry: Setting<T>): Setting<T> => entry;
const text = (value: string): string => value;

function whole(minimum: number, maximum: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < minimum || number > maximum) {
      throw new Error(`must be a whole number from ${minimum} to ${maximum}`);
    }
    return number;
  };
}

function oneOf<const Names extends readonly string[]>(names: Names): (value: string) => Names[number] {
  return (value) => {
    if (!names.includes(value)) throw new Error(`must be one of ${names.join(', ')}`);
    return value;
  };
}

function ratio(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !(number >= 0 && number <= 1)) throw new Error('must be a number from 0 to 1');
  return number;
}

function httpAddress(value: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) throw new Error('must be an http(s) address');
  return value.replace(/\/+$/, '');
}

/** Paths are put behind it. */
function publicAddress(value: string): string {
  const { search, hash, username, password } = new URL(httpAddress(value));
  if (search !== '' || hash !== '' || username !== '' || password !== '') {
    throw new Error('must be an http(s) address without a query, a fragment or a password');
  }
  return httpAddress(value);
}

function databaseAddress(value: string): string {
  if (!/^postgres(ql)?:\/\//.test(value)) throw new Error('must begin with postgres:// or postgresql://');
  const [, hosts = '', query = ''] = /^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)[^?#]*(?:\?(.*))?$/s.exec(value) ?? [];
  if (/(^|,)(:\d*)?(,|$)/.test(hosts) && hosts.includes(',')) throw new Error('must name every host of its list');
  const wanted = new URLSearchParams(query).get('target_session_attrs');
  if (wanted !== null && !['read-write', 'primary'].includes(wanted)) {
    throw new Error('must not have another target_session_attrs than read-write: only such a server is of use');
  }
  return value;
}

function isNetwork(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

function proxies(value: string): string[] {
  const list = value.split(',').map((entry) => entry.trim());
  if (!list.every(isNetwork)) throw new Error('must be a list of addresses or networks such as 10.0.0.0/8');
  return list;
}

function operatorKey(value: string): string {
  if (!/^[\x21-\x7e]{16,512}$/.test(value)) throw new Error('must have 16 to 512 visible ASCII characters');
  return value;
}

function smtpAddress(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const bare = url !== undefined && /^\/?$/.test(url.pathname) && url.hash === '';
  const plain = url?.search === '?tls=never' && url.protocol === 'smtp:';
  if (!bare || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || (url.search !== '' && !plain)) {
    throw new Error(
      'must be smtp://USER:PASSWORD@HOST:PORT or smtps://…, with special characters percent-encoded, and ?tls=never or nothing behind it',
    );
  }
  return value;
}

function mailAddress(value: string): string {
  if (!/^(?:[^<>\p{Cc}]*<[^\s<>@\p{Cc}]+@[^\s<>@\p{Cc}]+>|[^\s<>@,\p{Cc}]+@[^\s<>@,\p{Cc}]+)$/u.test(value)) {
    throw new Error('must be an e-mail address, or NAME <ADDRESS>');
  }
  return value;
}

const S3_OPTIONS = ['endpoint', 'region', 'accessKeyId', 'secretAccessKey'];

/** A folder, or `s3://BUCKET/PREFIX?endpoint=…&region=…&accessKeyId=…&secretAccessKey=…`. */
function attachmentsPlace(value: string) {
  if (!/^[a-z0-9+.-]+:/i.test(value)) return { kind: 'disk' as const, folder: resolve(value) };
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol === 'file:') return { kind: 'disk' as const, folder: fileURLToPath(url) };
  if (url?.protocol !== 's3:' || url.hostname === '') throw new Error('must be a folder or s3://BUCKET?endpoint=…');
  if (url.username !== '' || url.password !== '' || url.port !== '' || url.hash !== '') {
    throw new Error(
      'must have the bucket alone after s3://, and neither credentials, port nor # (they are in endpoint=…, accessKeyId=… and secretAccessKey=…, with # as %23)',
    );
  }
  const unknown = [...url.searchParams.keys()].find((name) => !S3_OPTIONS.includes(name));
  if (unknown !== undefined) throw new Error(`must not have ${unknown} (known: ${S3_OPTIONS.join(', ')})`);
  const { endpoint, region, ...keys } = Object.fromEntries(url.searchParams) as Partial<Record<string, string>>;
  const { accessKeyId, secretAccessKey } = keys;
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw new Error('must have both accessKeyId and secretAccessKey, or neither');
  }
  const prefix = decodeURIComponent(url.pathname)
    .replace(/^\/+/, '')
    .replace(/([^/])$/, '$1/');
  return {
    kind: 's3' as const,
    bucket: url.hostname,
    prefix,
    region: region ?? 'us-east-1',
    ...(endpoint === undefined ? {} : { endpoint: httpAddress(endpoint) }),
    ...(accessKeyId === undefined || secretAccessKey === undefined ? {} : { accessKeyId, secretAccessKey }),
  };
}

/** Whole hosts, all below one (`*.example.com`), or an origin, by which also plain HTTP and other ports are meant. */
function pushServices(value: string): string[] {
  const list = value.split(',').map((entry) => entry.trim());
  const host = /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;
  const isOrigin = (entry: string) => {
    const url = URL.canParse(entry) ? new URL(entry) : undefined;
    return url !== undefined && /^https?:$/.test(url.protocol) && url.origin === entry.toLowerCase();
  };
  if (!list.every((entry) => host.test(entry) || isOrigin(entry))) {
    throw new Error('must be a list of hosts such as push.example.com or *.example.com, or of whole origins');
  }
  return list;
}

function pushSubject(value: string): string {
  if (!/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(value) || !URL.canParse(value)) {
    throw new Error('must be a mailto: or https: address');
  }
  return value;
}

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
    sentence: 'Days for which entries of activity logs are kept; behind that they go by whole months.',
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
    parse: httpAddress,
    secret: true,
    sentence: 'OpenTelemetry collector that traces are sent to, by OTLP over HTTP; without it nothing is traced.',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting({
    default: undefined,
    parse: httpAddress,
    secret: true,
    sentence: 'The same with its path, where that is not `/v1/traces`.',
  }),
  OTEL_SERVICE_NAME: setting({ default: 'cartulary', parse: text, sentence: 'Name under which traces are shown.' }),
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
      problems.push(`${name} is not a setting of Cartulary (known: ${Object.keys(SETTINGS).join(', ')})`);
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
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return values as Config;
}
