// Parsers of settings. The message of an error is the end of a sentence that starts with the name of the setting.

import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPercentEncoded } from '../domain/percent-encoding.ts';

export function whole(minimum: number, maximum: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < minimum || number > maximum) {
      throw new Error(`must be a whole number from ${minimum} to ${maximum}`);
    }
    return number;
  };
}

export function oneOfWords<const Names extends readonly string[]>(names: Names): (value: string) => Names[number] {
  return (value) => {
    if (!names.includes(value)) throw new Error(`must be one of ${names.join(', ')}`);
    return value;
  };
}

export const isTrue = (value: string): boolean => oneOfWords(['true', 'false'])(value) === 'true';

export function ratio(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !(number >= 0 && number <= 1)) throw new Error('must be a number from 0 to 1');
  return number;
}

/** The format of OTEL_RESOURCE_ATTRIBUTES. */
export function attributes(value: string): Record<string, string> {
  const pairs = value.split(',').filter((pair) => pair.trim() !== '');
  try {
    return Object.fromEntries(
      pairs.map((pair) => {
        const [, name = '', text = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(pair) ?? [];
        if (name === '') throw new Error('no name');
        return [decodeURIComponent(name), decodeURIComponent(text.trim())];
      }),
    );
  } catch {
    throw new Error('must be a list such as NAME=VALUE,NAME=VALUE, percent-encoded');
  }
}

/** `requirement` follows "must" in the error. */
function httpAddress(value: string, requirement: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) throw new Error(`must ${requirement}`);
  return value.replace(/\/+$/, '');
}

export const collectorAddress = (value: string): string =>
  httpAddress(value, 'be an http(s) address such as http://127.0.0.1:4318');

/** Without query and fragment: paths are appended to it. */
export function publicAddress(value: string): string {
  const address = httpAddress(value, 'be an http(s) address such as https://records.example.com');
  const { search, hash, username, password } = new URL(address);
  if (search !== '' || hash !== '' || username !== '' || password !== '') {
    throw new Error('must be an http(s) address without a query, a fragment or a password');
  }
  return address;
}

/** Parameters that the driver uses, and parameters of libpq that it ignores. */
const DATABASE_OPTIONS = [
  ...['host', 'port', 'user', 'password', 'target_session_attrs', 'options', 'client_encoding'],
  ...['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat'],
  ...['connect_timeout', 'keepalives', 'keepalives_idle', 'gssencmode', 'channel_binding'],
  ...['fallback_application_name', 'idle_in_transaction_session_timeout'],
];
/** In the address they would override the values that the server sets for each connection. */
const DATABASE_OPTIONS_OWN = ['application_name', 'statement_timeout', 'lock_timeout', 'query_timeout'];

/** Errors show nothing that could be part of a password that was not percent-encoded. */
export function databaseAddress(value: string): string {
  if (!/^postgres(ql)?:\/\//.test(value)) {
    throw new Error(
      'must begin with postgres:// or postgresql://, as postgres://USER:PASSWORD@HOST:5432/DATABASE does',
    );
  }
  const parts = /^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?$/s.exec(value);
  const [, hosts = '', path = '', query = ''] = parts ?? [];
  if (parts === null || path.includes('@')) {
    throw new Error(
      'must have special characters percent-encoded: in a password / is %2F, # is %23, ? is %3F, @ is %40',
    );
  }
  if (hosts !== '') checkHosts(hosts);
  const parameters = new URLSearchParams(query);
  const wanted = parameters.get('target_session_attrs');
  if (wanted !== null && !['read-write', 'primary'].includes(wanted)) {
    throw new Error('must not have a target_session_attrs other than read-write: the server needs to write');
  }
  for (const name of parameters.keys()) {
    if (DATABASE_OPTIONS.includes(name)) continue;
    if (DATABASE_OPTIONS_OWN.includes(name)) throw new Error(`must not have ${name}, which the server sets itself`);
    const shown = query.includes('@') || !/^[\w.-]+$/.test(name) ? 'an unknown parameter' : name;
    throw new Error(`must not have ${shown} (known: ${DATABASE_OPTIONS.join(', ')})`);
  }
  checkHostParameters(parameters);
  return value;
}

const REPLICAS_MAX = 16;

/** Between two addresses is a comma, so one inside of an address is percent-encoded. */
export function replicaAddresses(value: string): string[] {
  const list = value.split(',').map((entry) => entry.trim());
  if (list.length > REPLICAS_MAX) throw new Error(`must have at most ${REPLICAS_MAX} addresses`);
  for (const [index, entry] of list.entries()) {
    try {
      databaseAddress(entry);
    } catch (error) {
      throw new Error(
        `must be a list of addresses with commas between them, and number ${index + 1} ${(error as Error).message}`,
      );
    }
  }
  return list;
}

const isPort = (port: string): boolean => /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65535;

function checkHosts(hosts: string): void {
  const list = hosts.split(',');
  const wrong = list.findIndex((entry) => {
    const [, host, port = ''] = /^(\[[^\]\s]+\]|[^[\]:\s]+)(?::(.*))?$/s.exec(entry) ?? [];
    return host === undefined || (port !== '' && !isPort(port));
  });
  if (wrong === -1) return;
  const which = list.length === 1 ? 'its host' : `host number ${wrong + 1}`;
  throw new Error(
    `must have HOST or HOST:PORT as ${which}, with a port from 1 to 65535, and special characters of a password percent-encoded`,
  );
}

/** `host` and `port` may be lists. */
function checkHostParameters(parameters: URLSearchParams): void {
  const hosts = parameters.get('host')?.split(',') ?? [];
  const ports = parameters.get('port')?.split(',') ?? [];
  if (hosts.length > 1 && hosts.includes('')) throw new Error('must name every host of its list');
  if (!ports.every(isPort)) throw new Error('must have ports from 1 to 65535');
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw new Error('must have one port for all hosts, or one for each host');
  }
}

function isNetwork(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

export function proxies(value: string): string[] {
  const list = value.split(',').map((entry) => entry.trim());
  if (!list.every(isNetwork)) throw new Error('must be a list of addresses or networks such as 10.0.0.0/8');
  return list;
}

/** The server proves to any client that it knows the key, which allows guessing offline: a short key would be found. */
export function operatorKey(value: string): string {
  if (!/^[\x21-\x7e]{32,512}$/.test(value)) throw new Error('must have 32 to 512 visible ASCII characters');
  return value;
}

export function smtpAddress(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const bare = url !== undefined && /^\/?$/.test(url.pathname) && url.hash === '';
  const plain = url?.search === '?tls=never' && url.protocol === 'smtp:';
  const decoded = url !== undefined && isPercentEncoded(url.username) && isPercentEncoded(url.password);
  if (!bare || !decoded || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || (url.search !== '' && !plain)) {
    throw new Error(
      'must be smtp://USER:PASSWORD@HOST:PORT or smtps://…, with special characters percent-encoded, optionally followed by ?tls=never',
    );
  }
  return value;
}

export function mailAddress(value: string): string {
  if (!/^(?:[^<>\p{Cc}]*<[^\s<>@\p{Cc}]+@[^\s<>@\p{Cc}]+>|[^\s<>@,\p{Cc}]+@[^\s<>@,\p{Cc}]+)$/u.test(value)) {
    throw new Error('must be an e-mail address, or NAME <ADDRESS>');
  }
  return value;
}

const S3_OPTIONS = ['endpoint', 'region', 'accessKeyId', 'secretAccessKey'];
const S3_ENDPOINT = 'have an http(s) address as its endpoint, such as endpoint=https://minio.example:9000';

/** A folder, or `s3://BUCKET/PREFIX?endpoint=…&region=…&accessKeyId=…&secretAccessKey=…`. */
export function attachmentsLocation(value: string) {
  if (!/^[a-z0-9+.-]+:/i.test(value)) return { kind: 'disk' as const, folder: resolve(value) };
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol === 'file:') return { kind: 'disk' as const, folder: fileURLToPath(url) };
  if (url?.protocol !== 's3:' || url.hostname === '') throw new Error('must be a folder or s3://BUCKET?endpoint=…');
  if (url.username !== '' || url.password !== '' || url.port !== '' || url.hash !== '') {
    throw new Error(
      'must have only the bucket after s3://, without credentials, port or # (use endpoint=…, accessKeyId=… and secretAccessKey=…, with # as %23)',
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
    ...(endpoint === undefined ? {} : { endpoint: httpAddress(endpoint, S3_ENDPOINT) }),
    ...(accessKeyId === undefined || secretAccessKey === undefined ? {} : { accessKeyId, secretAccessKey }),
  };
}

const isOrigin = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.origin === text && !text.includes('*');
};

/** As browsers name them in `Origin`, with which they are compared. */
export function origins(value: string): string[] {
  const list = value.split(',').map((entry) => entry.trim());
  if (!list.every(isOrigin)) {
    throw new Error(
      'must be a list of origins such as https://app.example.com or http://localhost:5173, in lower case, without a path, and without *',
    );
  }
  return list;
}

/** Hosts, all subdomains of a host (`*.example.com`), or origins, which may have plain HTTP and any port. */
export function pushServices(value: string): string[] {
  const list = value.split(',').map((entry) => entry.trim());
  const host = /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;
  if (!list.every((entry) => host.test(entry) || isOrigin(entry.toLowerCase()))) {
    throw new Error('must be a list of hosts such as push.example.com or *.example.com, or of origins');
  }
  return list;
}

export function pushSubject(value: string): string {
  if (!/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(value) || !URL.canParse(value)) {
    throw new Error('must be a mailto: or https: address such as mailto:operator@example.com');
  }
  return value;
}
