// @ts-check
// What is measured, one row per operation: how its requests are made, and how many records an answer has to hold. Both
// sides get the same bytes.

import { PASSWORD } from './application.mjs';
import { FILE, FILES_PATH } from './files.mjs';
import { recordsPath } from './loading.mjs';
import { requestBytes, stamped, template } from './requests.mjs';
import { ABSENT, FREQUENT, RARE, RARE_HITS } from './vocabulary.mjs';
import { AMOUNT_MIN, AMOUNTS, codeOf, columnId, valuesOf } from './work.mjs';

/**
 * @typedef {object} Target whom requests are for, and what they may use
 * @property {string} host
 * @property {string} token
 * @property {string} [userId] whose token it is
 * @property {string} [application] where it is not the usual one
 * @property {import('./work.mjs').CollectionName} collection
 * @property {number} total
 * @property {[number, string][]} sample
 * @property {number} serial the first code that no record has
 * @property {readonly string[]} spare identifiers of records that may be deleted
 * @property {readonly string[]} [files] identifiers of files that may be read
 * @property {readonly Spread[]} [spread] records of many applications, in the place of the sample
 *
 * @typedef {{ application: string, token: string, id: string }} Spread
 *
 * @typedef {object} Operation
 * @property {string} name
 * @property {'read' | 'write'} kind
 * @property {import('./work.mjs').CollectionName} [collection] where it is not the one that is measured
 * @property {number} [records] that an answer holds, where that is known
 * @property {number} [codes] that one request uses up
 * @property {boolean} [spends] whether each request uses up a spare record
 * @property {boolean} [files] whether it is about files
 * @property {(target: Target) => (n: number) => Buffer | undefined} requests the n-th request; undefined: no more
 */

const PAGE = 100;
const DEEP = 5_000;
/** Different requests of one kind; few enough to be made in a moment, enough to leave the processor's caches. */
const VARIANTS = 2_000;
const BATCH_VARIANTS = 100;

/** @template T @param {readonly T[]} items @param {number} n @returns {T} */
const cycle = (items, n) => /** @type {T} */ (items[n % items.length]);

/** Whose request the n-th is. @param {Target} target @param {number} n @returns {{ token: string, application?: string | undefined }} */
const caller = ({ spread, token, application }, n) =>
  spread === undefined ? { token, application } : cycle(spread, n);

/** A list operation. @param {string} name @param {Partial<Operation> & { query?: (target: Target, n: number) => Record<string, string | number>, variants?: number, below?: string }} options @returns {Operation} */
function list(name, { query = () => ({}), variants = 1, below = '', ...rest }) {
  return {
    name,
    kind: 'read',
    ...rest,
    requests: (target) => {
      const all = Array.from({ length: Math.max(variants, target.spread?.length ?? 0) }, (_, n) => {
        const { application, token } = caller(target, n);
        const entries = Object.entries(query(target, n)).map(
          ([key, value]) => /** @type {[string, string]} */ ([key, String(value)]),
        );
        const search = new URLSearchParams(entries).toString();
        const path = recordsPath(target.collection, application) + below + (search === '' ? '' : `?${search}`);
        return requestBytes({ host: target.host, token }, { method: 'GET', path });
      });
      return (n) => cycle(all, n);
    },
  };
}

/** @param {Target} target */
const byTitle = ({ collection }) => ({
  sortKey: 'column',
  sortOrder: 'ascending',
  sortColumnId: columnId(collection, 'Title'),
});

/** @param {string} search */
const contains = (search) => ({ query: () => ({ search }) });

/** The same record with another amount. @param {Target} target @param {number} n its number @param {number} turn */
function changed({ collection, total }, n, turn) {
  const amount = AMOUNT_MIN + ((n * 7919 + turn * 104_729) % AMOUNTS);
  return { ...valuesOf(collection, n, { total }), [columnId(collection, 'Amount')]: { type: 'Number', value: amount } };
}

/** Bodies of new records; the codes are written over. @param {Target} target @param {number} from @param {number} count */
function fresh({ collection }, from, count) {
  const numbers = Array.from({ length: count }, (_, i) => from + i);
  return { numbers, bodies: numbers.map((n) => ({ values: valuesOf(collection, n, { total: 1 }) })) };
}

/** @param {Target} target @param {number} n @param {number} count @returns {[number, string][]} */
const some = ({ sample }, n, count) =>
  Array.from({ length: Math.min(count, sample.length) }, (_, i) => cycle(sample, n * count + i));

/** @param {Target} target */
const upsertPath = ({ collection, application }) =>
  `${recordsPath(collection, application)}/upsert/${columnId(collection, 'Code')}`;

/** The records that are asked for one by one. @param {Target} target */
const asked = ({ spread, sample, token, application }) =>
  spread ?? sample.slice(0, VARIANTS).map(([, id]) => ({ application, token, id }));

/** @param {Operation} operation */
const row = (operation) => operation;

export const OPERATIONS = [
  row({
    name: 'get',
    kind: 'read',
    requests: (target) => {
      const all = asked(target).map(({ application, token, id }) =>
        requestBytes(
          { host: target.host, token },
          { method: 'GET', path: `${recordsPath(target.collection, application)}/${id}` },
        ),
      );
      return (n) => cycle(all, n);
    },
  }),
  row({
    // The caller's name and password with each request in the place of a token.
    name: 'get Basic',
    kind: 'read',
    requests: (target) => {
      if (target.userId === undefined) return () => undefined;
      const credentials = Buffer.from(`${target.userId}:${PASSWORD}`).toString('base64');
      const headers = [`Authorization: Basic ${credentials}`];
      const all = asked(target).map(({ application, id }) =>
        requestBytes(
          { host: target.host },
          { method: 'GET', path: `${recordsPath(target.collection, application)}/${id}`, headers },
        ),
      );
      return (n) => cycle(all, n);
    },
  }),
  list('list newest 100', { records: PAGE }),
  list('list by title', { records: PAGE, query: byTitle }),
  list('skip 5000', { records: PAGE, query: (target) => ({ ...byTitle(target), skip: DEEP }) }),
  list('after', {
    variants: VARIANTS,
    query: (target, n) => ({ ...byTitle(target), after: cycle(target.sample, n)[1] }),
  }),
  list('equals', {
    records: 1,
    variants: VARIANTS,
    query: ({ sample }, n) => ({ search: `Code=${codeOf(cycle(sample, n)[0])}` }),
  }),
  list('contains rare', { records: RARE_HITS, ...contains(RARE.latin) }),
  list('contains rare by title', {
    records: RARE_HITS,
    query: (target) => ({ ...byTitle(target), search: RARE.latin }),
  }),
  list('contains frequent', { records: PAGE, ...contains(FREQUENT) }),
  list('contains 2 Japanese', { records: RARE_HITS, ...contains(RARE.japanese) }),
  list('contains 2 letters few', { records: RARE_HITS, ...contains(RARE.pair) }),
  list('contains 2 letters none', { records: 0, ...contains(ABSENT.pair) }),
  list('contains 1 letter few', { records: RARE_HITS, ...contains(RARE.letter) }),
  list('contains 1 letter none', { records: 0, ...contains(ABSENT.letter) }),
  // All records are read for each: the first from an index alone, the others from the table.
  list('figures count', { below: '/figures' }),
  list('figures sum by month', {
    below: '/figures',
    query: ({ collection }) => ({ groupBy: 'createdAt:month', measure: `count,sum:${columnId(collection, 'Amount')}` }),
  }),
  list('figures sum of a plain column', {
    below: '/figures',
    query: ({ collection }) => ({ measure: `sum:${columnId(collection, 'Rank')}` }),
  }),
  list('list two references', { records: PAGE, collection: 'linked' }),
  row({
    name: 'create 1',
    kind: 'write',
    codes: 1,
    requests: (target) => {
      const all = Array.from({ length: Math.max(VARIANTS, target.spread?.length ?? 0) }, (_, n) => {
        const { application, token } = caller(target, n);
        const { numbers, bodies } = fresh(target, target.total + n, 1);
        return template(
          { host: target.host, token },
          { method: 'POST', path: recordsPath(target.collection, application), body: bodies[0] },
          numbers,
        );
      });
      return (n) => stamped(cycle(all, n), target.serial + n);
    },
  }),
  row({
    name: 'create 100',
    kind: 'write',
    codes: PAGE,
    requests: (target) => {
      const all = Array.from({ length: BATCH_VARIANTS }, (_, n) => {
        const { numbers, bodies } = fresh(target, target.total + n * PAGE, PAGE);
        return template(
          target,
          { method: 'POST', path: recordsPath(target.collection, target.application), body: bodies },
          numbers,
        );
      });
      return (n) => stamped(cycle(all, n), target.serial + n * PAGE);
    },
  }),
  row({
    name: 'update 1',
    kind: 'write',
    requests: (target) => {
      const all = some(target, 0, VARIANTS).flatMap(([n, id]) =>
        [1, 2].map((turn) => {
          const path = `${recordsPath(target.collection, target.application)}/${id}`;
          return {
            turn,
            bytes: requestBytes(target, { method: 'PUT', path, body: { values: changed(target, n, turn) } }),
          };
        }),
      );
      // First all with one amount, then all with the other: each request changes something.
      const ordered = all.sort((a, b) => a.turn - b.turn).map(({ bytes }) => bytes);
      return (n) => cycle(ordered, n);
    },
  }),
  row({
    name: 'update 100',
    kind: 'write',
    requests: (target) => {
      const all = Array.from({ length: 2 * BATCH_VARIANTS }, (_, v) => {
        const turn = v < BATCH_VARIANTS ? 1 : 2;
        const body = some(target, v % BATCH_VARIANTS, PAGE).map(([n, id]) => ({
          id,
          values: changed(target, n, turn),
        }));
        return requestBytes(target, { method: 'PUT', path: recordsPath(target.collection, target.application), body });
      });
      return (n) => cycle(all, n);
    },
  }),
  row({
    // Every second one meets a record.
    name: 'upsert 1',
    kind: 'write',
    codes: 1,
    requests: (target) => {
      const path = upsertPath(target);
      const met = some(target, 0, VARIANTS).map(([n], i) =>
        requestBytes(target, { method: 'PATCH', path, body: { values: changed(target, n, 3 + (i % 2)) } }),
      );
      const made = Array.from({ length: VARIANTS }, (_, n) => {
        const { numbers, bodies } = fresh(target, target.total + n, 1);
        return template(target, { method: 'PATCH', path, body: bodies[0] }, numbers);
      });
      return (n) => (n % 2 === 0 ? cycle(met, n / 2) : stamped(cycle(made, n), target.serial + n));
    },
  }),
  row({
    // Half of the elements meet a record.
    name: 'upsert 100',
    kind: 'write',
    codes: PAGE,
    requests: (target) => {
      const half = PAGE / 2;
      const all = Array.from({ length: BATCH_VARIANTS }, (_, v) => {
        const met = some(target, v, half).map(([n]) => ({ values: changed(target, n, 5) }));
        const { numbers, bodies } = fresh(target, target.total + v * half, half);
        return template(target, { method: 'PATCH', path: upsertPath(target), body: [...met, ...bodies] }, numbers);
      });
      return (n) => stamped(cycle(all, n), target.serial + n * PAGE);
    },
  }),
  row({
    name: 'delete 1',
    kind: 'write',
    spends: true,
    requests: (target) => (n) => {
      const id = target.spare[n];
      return id === undefined
        ? undefined
        : requestBytes(target, {
            method: 'DELETE',
            path: `${recordsPath(target.collection, target.application)}/${id}`,
          });
    },
  }),
  row({
    name: 'upload 100 KB',
    kind: 'write',
    files: true,
    requests: (target) => {
      const bytes = requestBytes(target, {
        ...{ method: 'POST', path: FILES_PATH, type: 'application/octet-stream', body: FILE },
      });
      return () => bytes;
    },
  }),
  row({
    name: 'download 100 KB',
    kind: 'read',
    files: true,
    requests: (target) => {
      const all = (target.files ?? []).map((id) =>
        requestBytes(target, { method: 'GET', path: `${FILES_PATH}/${id}` }),
      );
      return (n) => (all.length === 0 ? undefined : cycle(all, n));
    },
  }),
];

/** @param {string} name @returns {Operation} */
export function operationNamed(name) {
  const found = OPERATIONS.find((operation) => operation.name === name);
  if (!found) throw new Error(`no operation is called ${name}`);
  return found;
}
