// One input: a request to an operation, valid, nearly valid or hostile, as the bytes that go over the wire. It is made of
// its seed and the scene alone, so that it can be sent again.

import { publishDocumentSchema } from '../../src/wire/publish-document.ts';
import type { Random } from '../search/random.ts';
import { hostileJson, hostileText, spoilt, textOf } from './hostile.ts';
import type { Operation } from './operations.ts';
import { ROLES, type Scene } from './scene.ts';
import { nearlyValid, type Schema, valid } from './shapes.ts';
import { WORDS } from './words.ts';

export interface Input {
  readonly title: string;
  /** What is written, piece by piece. */
  readonly pieces: readonly Buffer[];
  /** What the client does then: `wait` for replies on a connection that stays, end its side, or cut the connection. */
  readonly ending: 'wait' | 'end' | 'cut';
  /** The methods and paths whose replies must come, in order; undefined: any number of replies, to unknown requests. */
  readonly expects?: readonly { readonly method: string; readonly path: string }[];
  /** The request must be refused, and nothing after it be read as another. */
  readonly mustRefuse?: true;
}

/** Where this input is not valid. */
type Place = 'path' | 'query' | 'headers' | 'body' | 'bytes' | 'verb';
const PLACES: readonly Place[] = ['path', 'query', 'headers', 'body', 'body', 'body', 'bytes', 'verb'];
const VERBS = ['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'DELETE', 'PATCH', 'QUERY'];
const COMMON_HEADERS = [
  ...[
    'accept',
    'accept-encoding',
    'accept-language',
    'content-encoding',
    'content-type',
    'cookie',
    'forwarded',
    'host',
  ],
  ...['if-match', 'origin', 'range', 'referer', 'sec-fetch-site', 'te', 'traceparent', 'tracestate', 'user-agent'],
  ...[
    'x-forwarded-for',
    'x-forwarded-proto',
    'x-http-method-override',
    'x-request-id',
    'x-service-creatorid',
    'prefer',
  ],
  ...['access-control-request-method', 'access-control-request-headers', 'idempotency-key', 'if-none-match'],
];
const LARGE_BODY_BYTES = 1_200_000;

/** Percent-encoded byte by byte: a lone surrogate has an encoding here too. */
const encoded = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) =>
      /[\w.~-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');

/** What a header may hold; the rest is for raw inputs. */
const headerText = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?')
    .slice(0, 6_000);

export function operationInput(random: Random, scene: Scene, operation: Operation): Input {
  const places = placesOf(random);
  const path = pathOf(random, scene, operation, places) + queryOf(random, scene, operation, places);
  const method = places.has('verb')
    ? random.pick(VERBS)
    : random.chance(0.04) && operation.method === 'GET'
      ? 'HEAD'
      : operation.method;
  const role = random.chance(0.7) ? random.pick(operation.roles) : random.pick(ROLES);
  const { type, bytes } = bodyOf(random, scene, operation, places);
  const headers: [string, string][] = [
    ['host', 'fuzz.example'],
    ...Object.entries(scene.credentials[role]),
    ...(type === undefined ? [] : [['content-type', type] as [string, string]]),
    ...headersOf(random, scene, operation, places),
  ];
  return {
    title: `${operation.title} as ${role}${places.size === 0 ? '' : `, with hostile ${[...places].join(' and ')}`}`,
    pieces: framed(random, { method, path, headers, bytes }),
    ending: 'wait',
    expects: [{ method, path }],
  };
}

function placesOf(random: Random): ReadonlySet<Place> {
  const count = random.weighted([25, 0], [55, 1], [20, 3]);
  return new Set(random.list(count, () => random.pick(PLACES)));
}

function pathOf(random: Random, scene: Scene, { method, path }: Operation, places: ReadonlySet<Place>): string {
  const mayGo = method !== 'GET' && method !== 'HEAD';
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    places.has('path') && random.chance(0.6)
      ? hostilePart(random)
      : encodeURIComponent(scene.pathValue(random, name, mayGo)),
  );
  if (!places.has('path') || random.chance(0.7)) return filled;
  return random.pick([
    `${filled}/`,
    `/${filled}`,
    filled.replace('/v1', '/V1'),
    `${filled}/..`,
    `${filled};a=b`,
    `${filled}%2f..`,
  ]);
}

const hostilePart = (random: Random): string => encoded(hostileText(random)).slice(0, 7_000);

function queryOf(random: Random, scene: Scene, { query }: Operation, places: ReadonlySet<Place>): string {
  const pairs = Object.entries(query).flatMap(([name, schema]) => {
    if (!random.chance(0.45)) return [];
    const words = WORDS[name];
    const text =
      words !== undefined && random.chance(0.8)
        ? random.pick(words)
        : asText(valid(random, schema, scene.vocabulary, name));
    if (!places.has('query') || random.chance(0.4)) return [`${name}=${encoded(text)}`];
    return [
      random.pick([
        `${name}=${hostilePart(random)}`,
        `${name}=${encoded(text)}${hostilePart(random).slice(0, 200)}`,
        `${name}=${encoded(text)}&${name}=${hostilePart(random).slice(0, 200)}`,
        `${name}[]=${encoded(text)}`,
        `${name}[$gt]=`,
        `${name}`,
        `${name}=%ff%fe`,
        `${name}=%E0%A4%A`,
      ]),
    ];
  });
  if (places.has('query')) pairs.push(`${hostilePart(random).slice(0, 100)}=${hostilePart(random).slice(0, 100)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : textOf(value));

function headersOf(
  random: Random,
  scene: Scene,
  { headers }: Operation,
  places: ReadonlySet<Place>,
): [string, string][] {
  const own = Object.entries(headers).flatMap(([name, schema]): [string, string][] => {
    const lower = name.toLowerCase();
    if (!random.chance(lower.startsWith('tus-') || lower.startsWith('upload-') ? 0.9 : 0.5)) return [];
    const words = WORDS[lower];
    const text = words === undefined ? asText(valid(random, schema, scene.vocabulary, name)) : random.pick(words);
    return [[lower, headerText(places.has('headers') && random.chance(0.6) ? hostileText(random) : text)]];
  });
  if (!places.has('headers')) return own;
  const others = random.list(random.integer(1, 4), (): [string, string] => [
    random.chance(0.9) ? random.pick(COMMON_HEADERS) : 'x-fuzz',
    headerText(random.chance(0.3) ? random.pick(WORDS[random.pick(Object.keys(WORDS))] ?? ['']) : hostileText(random)),
  ]);
  return [...own, ...others];
}

interface Body {
  readonly type?: string;
  readonly bytes?: Buffer;
}

function bodyOf(random: Random, scene: Scene, operation: Operation, places: ReadonlySet<Place>): Body {
  if (operation.takesBytes) return fileOf(random, operation.path);
  if (operation.body === undefined) return places.has('body') && random.chance(0.3) ? { bytes: Buffer.from('{}') } : {};
  const whole = bodyValue(random, scene, operation.body);
  const value = places.has('body') ? (random.chance(0.8) ? nearlyValid(random, whole) : hostileJson(random)) : whole;
  const text = Buffer.from(textOf(value));
  const type = places.has('body') && random.chance(0.1) ? random.pick(OTHER_TYPES) : 'application/json';
  if (!places.has('bytes')) return { type, bytes: text };
  if (random.chance(0.03)) return { type, bytes: Buffer.concat([text, Buffer.alloc(LARGE_BODY_BYTES, ' ')]) };
  return { type, bytes: spoilt(random, text) };
}

const OTHER_TYPES = [
  ...[
    'text/plain',
    'application/xml',
    'application/json; charset=utf-16',
    'application/json; charset="',
    'application',
  ],
  ...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/vnd.a+json', ''],
];

function bodyValue(random: Random, scene: Scene, schema: Schema): unknown {
  const publishes = schema === (publishDocumentSchema as Schema);
  if (publishes && random.chance(0.8)) return scene.publishDocument;
  return valid(random, schema, scene.vocabulary);
}

function fileOf(random: Random, path: string): Body {
  const bytes = Buffer.from(random.list(random.pick([0, 3, 100, 5_000]), () => random.integer(0, 255)));
  if (path.includes('/uploads')) return { type: 'application/offset+octet-stream', bytes };
  if (!random.chance(0.3))
    return { type: random.pick(['image/png', 'text/html', 'application/octet-stream', 'bad']), bytes };
  const part = (name: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${headerText(hostileText(random)).slice(0, 300)}"\r\n\r\n`;
  const end = random.pick(['\r\n--b--\r\n', '\r\n--b', '', '\r\n--b\r\n\r\n--b--']);
  return {
    type: 'multipart/form-data; boundary=b',
    bytes: Buffer.concat([Buffer.from(part('file')), bytes, Buffer.from(end)]),
  };
}

interface Message {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly bytes: Buffer | undefined;
}

function framed(random: Random, { method, path, headers, bytes }: Message): Buffer[] {
  const chunked = bytes !== undefined && random.chance(0.15);
  const framing =
    bytes === undefined
      ? []
      : chunked
        ? [['transfer-encoding', 'chunked']]
        : [['content-length', String(bytes.length)]];
  const lines = [...headers, ...framing].map(([name, value]) => `${name}: ${value}`);
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (bytes === undefined) return [head];
  const body = chunked ? chunksOf(random, bytes) : bytes;
  const whole = Buffer.concat([head, body]);
  if (!random.chance(0.1)) return [whole];
  const at = random.integer(1, whole.length - 1);
  return [whole.subarray(0, at), whole.subarray(at)];
}

export function chunksOf(random: Random, bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const part = bytes.subarray(at, at + random.integer(1, Math.max(1, Math.ceil(bytes.length / 3))));
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
    at += part.length;
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
