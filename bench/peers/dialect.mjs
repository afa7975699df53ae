// @ts-check
// How other products are asked for the operations of the bench: each has a dialect, and the requests are made from it
// here, before the clock runs, as those of ours are (operations.mjs).

import { FILE } from '../files.mjs';
import { requestBytes, stamped, template } from '../requests.mjs';
import { RARE } from '../vocabulary.mjs';
import { AMOUNT_MIN, AMOUNTS, codeOf, columnId, valuesOf } from '../work.mjs';

/**
 * @typedef {{ title: string, body: string, amount: number, rank: number, done: boolean, due: string, seen: string, code: string }} Plain
 *
 * @typedef {{ method?: string, path: string, type?: string, body?: unknown }} Asking without a method: GET, or POST with a body
 *
 * @typedef {object} Dialect
 * @property {(target: PeerTarget) => readonly string[]} headers besides a bearer token
 * @property {(id: string) => Asking} get
 * @property {(query: { sort: 'newest' | 'title', code?: string, word?: string }) => Asking} list a hundred; the word in the title or the body
 * @property {(values: Plain) => Asking} create
 * @property {(values: readonly Plain[]) => Asking} [createMany] all in one request, where there is one
 * @property {(id: string, values: Plain) => Asking} update
 * @property {() => Asking} upload
 * @property {(file: string, target: PeerTarget) => Asking} download
 *
 * @typedef {import('../operations.mjs').Target & { peer: string, extra: Record<string, string> }} PeerTarget `extra`: what the dialect
 *   needs besides a token
 */

const VARIANTS = 2_000;
const BATCH_VARIANTS = 50;
export const BATCH = 100;
const BOUNDARY = 'bench-of-cartulary-7d1f6a';

/** Record n as other products keep it: a name and a value. @param {number} n @param {number} total @returns {Plain} */
export function plainOf(n, total) {
  const values = valuesOf('items', n, { total });
  const value = (/** @type {string} */ name) => /** @type {any} */ (values[columnId('items', name)])?.value;
  return {
    ...{ title: value('Title'), body: value('Body'), amount: value('Amount'), rank: value('Rank') },
    ...{ done: value('Done'), due: value('Due'), seen: value('Seen'), code: value('Code') },
  };
}

/** The file as a form sends it. @param {string} field @returns {{ type: string, body: Buffer }} */
export function form(field) {
  const head = [
    `--${BOUNDARY}`,
    `Content-Disposition: form-data; name="${field}"; filename="bench.bin"`,
    'Content-Type: application/octet-stream',
    '\r\n',
  ].join('\r\n');
  const body = Buffer.concat([Buffer.from(head), FILE, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${BOUNDARY}`, body };
}

/** @template T @param {readonly T[]} items @param {number} n @returns {T | undefined} */
const cycle = (items, n) => items[n % items.length];

/**
 * @param {Dialect} dialect
 * @param {string} operation
 * @param {PeerTarget} target
 * @returns {(n: number) => Buffer | undefined} undefined: none, or no more
 */
export function requestsOf(dialect, operation, target) {
  const { total, sample, serial } = target;
  /** @param {Asking} asking */
  const whole = ({ method, path, ...rest }) => ({
    ...{ method: method ?? (rest.body === undefined ? 'GET' : 'POST'), path, headers: dialect.headers(target) },
    ...rest,
  });
  const bytes = (/** @type {Asking} */ asking) => requestBytes(target, whole(asking));
  /** The same requests again and again. @param {readonly Asking[]} all */
  const again = (all) => {
    const made = all.map(bytes);
    return (/** @type {number} */ n) => cycle(made, n);
  };
  /** New records each time. @param {number} count in a request @param {number} variants @param {(values: Plain[]) => Asking | undefined} ask */
  const fresh = (count, variants, ask) => {
    const made = Array.from({ length: variants }, (_, v) => {
      const numbers = Array.from({ length: count }, (_, i) => total + v * count + i);
      const asking = ask(numbers.map((n) => plainOf(n, 1)));
      return asking && template(target, whole(asking), numbers);
    });
    return (/** @type {number} */ n) => {
      const from = cycle(made, n);
      return from && stamped(from, serial + n * count);
    };
  };
  const few = sample.slice(0, VARIANTS);
  /** @type {Record<string, () => (n: number) => Buffer | undefined>} */
  const makers = {
    get: () => again(few.map(([, id]) => dialect.get(id))),
    'list newest 100': () => again([dialect.list({ sort: 'newest' })]),
    'list by title': () => again([dialect.list({ sort: 'title' })]),
    equals: () => again(few.map(([n]) => dialect.list({ sort: 'newest', code: codeOf(n) }))),
    'contains rare': () => again([dialect.list({ sort: 'newest', word: RARE.latin })]),
    'create 1': () => fresh(1, VARIANTS, ([values]) => values && dialect.create(values)),
    'create 100': () => fresh(BATCH, BATCH_VARIANTS, (values) => dialect.createMany?.(values)),
    'update 1': () =>
      again(
        // First all with one amount, then all with the other: each request changes something.
        [1, 2].flatMap((turn) =>
          few.map(([n, id]) => {
            const amount = AMOUNT_MIN + ((n * 7919 + turn * 104_729) % AMOUNTS);
            return dialect.update(id, { ...plainOf(n, total), amount });
          }),
        ),
      ),
    'upload 100 KB': () => again([dialect.upload()]),
    'download 100 KB': () => again((target.files ?? []).map((file) => dialect.download(file, target))),
  };
  return makers[operation]?.() ?? (() => undefined);
}

export const PEER_OPERATIONS = [
  ...['get', 'list newest 100', 'list by title', 'equals', 'contains rare'],
  ...['create 1', 'create 100', 'update 1', 'upload 100 KB', 'download 100 KB'],
];

/** Parameters of an address. @param {Record<string, string | number>} entries */
export const parameters = (entries) =>
  new URLSearchParams(
    Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, String(value)])),
  ).toString();
