// Inputs for the HTTP layer itself: request lines, headers and framing that no client would send, requests that a proxy in
// front might read in another way than the server does, pipelines, slow bytes and connections that end too early.

import type { Random } from '../search/random.ts';
import { chunksOf, type Input } from './request.ts';
import type { Scene } from './scene.ts';

interface Setting {
  readonly random: Random;
  readonly scene: Scene;
  /** The path of records that the admin may write. */
  readonly records: string;
  readonly bearer: string;
}

type Kind = (setting: Setting) => Omit<Input, 'title'>;

const BODY = '{"values":{}}';
const HIDDEN = 'GET /healthz HTTP/1.1\r\nHost: hidden\r\n\r\n';

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
const pieces = (text: string): Buffer[] => [bytesOf(text)];
const get = (headers = '') => `GET /healthz HTTP/1.1\r\nHost: fuzz\r\n${headers}\r\n`;

const post = ({ records, bearer }: Setting, headers: string, body: string): string =>
  `POST ${records} HTTP/1.1\r\nHost: fuzz\r\nAuthorization: ${bearer}\r\nContent-Type: application/json\r\n${headers}\r\n${body}`;

/** Two readings of where the body ends: a server that takes either is led to a request that nobody sent. */
const SMUGGLED: readonly string[] = [
  'Content-Length: 13\r\nTransfer-Encoding: chunked\r\n',
  'Transfer-Encoding: chunked\r\nContent-Length: 13\r\n',
  'Content-Length: 13\r\nContent-Length: 14\r\n',
  'Content-Length: 13, 14\r\n',
  'Content-Length: +13\r\n',
  'Content-Length: 0x0d\r\n',
  'Content-Length: -1\r\n',
  'Content-Length: 13 14\r\n',
  'Content-Length: 99999999999999999999\r\n',
  'Content-Length : 13\r\n',
  'Content-Length\x0b: 13\r\n',
  'Transfer-Encoding: xchunked\r\n',
  'Transfer-Encoding: chunked, identity\r\n',
  'Transfer-Encoding : chunked\r\n',
  'Transfer-Encoding:\x0bchunked\r\n',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n',
  'X: y\r\n Transfer-Encoding: chunked\r\nContent-Length: a\r\n',
  'Transfer-Encoding\x00: chunked\r\n',
  'Content-Length: 13\nTransfer-Encoding: chunked\r\n',
];

const REQUEST_LINES: readonly string[] = [
  'GET\r\n\r\n',
  'GET /healthz\r\n\r\n',
  'GET /healthz HTTP/0.9\r\n\r\n',
  'GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n',
  'GET /healthz HTTP/1.1.1\r\nHost: a\r\n\r\n',
  'GET  /healthz  HTTP/1.1\r\nHost: a\r\n\r\n',
  'get /healthz http/1.1\r\nHost: a\r\n\r\n',
  'GET /heal\x00thz HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /heal\tthz HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET http://evil.invalid/healthz HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET * HTTP/1.1\r\nHost: a\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n',
  'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n',
  'GET //evil.invalid HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /\xff\xfe HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /%%% HTTP/1.1\r\nHost: a\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  '\r\n\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /healthz HTTP/1.1\nHost: a\n\n',
  'GET /healthz HTTP/1.1\r\n\r\n',
  'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  'GET /healthz HTTP/1.1\r\nHost: a@b:99999\r\n\r\n',
  'GET /healthz HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
  'GET /healthz HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AA\r\n\r\n',
  'GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: 200-maybe\r\n\r\n',
];

const CHUNKS: readonly string[] = [
  'zz\r\n{}\r\n',
  '-1\r\n',
  'ffffffffffffffffff\r\n{}',
  '0d;ext="\r\n"\r\n{}',
  'd\r\n{"values":{}}0\r\n\r\n',
  'd\n{"values":{}}\n0\n\n',
  'd\r\n{"values":{}}\r\n0\r\nContent-Length: 5\r\n\r\n',
  'd\r\n{"values":{}}\r\n0\r\nX: y\r\nBroken\r\n\r\n',
  'd\r\n{"values":{}',
  '0\r\n',
  '000000000000000d\r\n{"values":{}}\r\n0\r\n\r\n',
  `d;${'x'.repeat(20_000)}\r\n{"values":{}}\r\n0\r\n\r\n`,
];

const KINDS: readonly Kind[] = [
  // Framing that can be read in two ways.
  (setting) => ({
    pieces: pieces(post(setting, setting.random.pick(SMUGGLED), `0\r\n\r\n${HIDDEN}${HIDDEN}`)),
    ending: 'end',
    mustRefuse: true,
  }),
  ({ random }) => ({ pieces: pieces(random.pick(REQUEST_LINES)), ending: 'end' }),
  (setting) => ({
    pieces: pieces(post(setting, 'Transfer-Encoding: chunked\r\n', setting.random.pick(CHUNKS))),
    ending: 'end',
  }),
  // More headers, and longer ones, than anyone needs.
  ({ random }) => ({ pieces: pieces(get('X: y\r\n'.repeat(random.pick([90, 2_100, 9_000])))), ending: 'end' }),
  ({ random }) => ({
    pieces: pieces(get(`X: ${'y'.repeat(random.pick([7_000, 17_000, 200_000]))}\r\n`)),
    ending: 'end',
  }),
  ({ random }) => ({ pieces: pieces(get(`${'n'.repeat(random.pick([7_000, 70_000]))}: y\r\n`)), ending: 'end' }),
  // Pipelines: each request has its reply, in order.
  ({ random, records, bearer }) => {
    const expects = random.list(random.integer(2, 12), () => ({
      method: 'GET',
      path: random.pick([records, '/healthz', '/v1/nothing', `${records}?limit=0`]),
    }));
    const text = expects.map(({ path }) => `GET ${path} HTTP/1.1\r\nHost: fuzz\r\nAuthorization: ${bearer}\r\n\r\n`);
    return { pieces: pieces(text.join('')), ending: 'wait', expects };
  },
  (setting) => {
    const one = post(setting, `Content-Length: ${BODY.length}\r\n`, BODY);
    const expects = [1, 2, 3].map(() => ({ method: 'POST', path: setting.records }));
    return { pieces: pieces(one.repeat(3)), ending: 'wait', expects };
  },
  // Few bytes at a time.
  (setting) => {
    const bytes = bytesOf(post(setting, `Content-Length: ${BODY.length}\r\n`, BODY));
    const size = setting.random.integer(3, 40);
    const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    return { pieces: parts, ending: 'wait', expects: [{ method: 'POST', path: setting.records }] };
  },
  // A client that goes away in the middle, or before the reply.
  (setting) => {
    const bytes = bytesOf(post(setting, `Content-Length: ${BODY.length}\r\n`, BODY));
    const at = setting.random.integer(1, bytes.length);
    return { pieces: [bytes.subarray(0, at)], ending: setting.random.pick(['cut', 'end'] as const) };
  },
  (setting) => {
    const body = chunksOf(setting.random, Buffer.from(BODY));
    const bytes = Buffer.concat([bytesOf(post(setting, 'Transfer-Encoding: chunked\r\n', '')), body]);
    return {
      pieces: [bytes.subarray(0, setting.random.integer(1, bytes.length))],
      ending: setting.random.pick(['cut', 'end'] as const),
    };
  },
  // Less than was announced, and more.
  (setting) => ({ pieces: pieces(post(setting, 'Content-Length: 500\r\n', BODY)), ending: 'end' }),
  (setting) => ({
    pieces: pieces(post(setting, 'Content-Length: 2\r\n', `{}${'garbage '.repeat(500)}`)),
    ending: 'end',
  }),
  (setting) => ({
    pieces: pieces(post(setting, `Expect: 100-continue\r\nContent-Length: ${BODY.length}\r\n`, BODY)),
    ending: 'wait',
    expects: [{ method: 'POST', path: setting.records }],
  }),
  // No protocol at all.
  ({ random }) => ({
    pieces: [Buffer.from(random.list(random.integer(1, 3_000), () => random.integer(0, 255)))],
    ending: 'end',
  }),
];

export function rawInput(random: Random, scene: Scene): Input {
  const index = random.integer(0, KINDS.length - 1);
  const records = `/v1/${scene.pathValue(random, 'applicationId', false)}/collections/tscrap00/records`;
  const made = KINDS[index]!({ random, scene, records, bearer: scene.credentials.admin.authorization ?? '' });
  return { title: `raw HTTP, kind ${index}`, ...made };
}
