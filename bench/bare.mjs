// @ts-check
// The bare limit: what `node:http` and `pg` can do at most on the same database and the same tables, with the best
// statement that a hand can write for each operation. It authenticates, validates, counts and logs nothing, takes every
// body for a good one, and knows that updates and upserts of the bench bring all columns of the collection.
// Started as a child process; what it has to know of the tables is its one argument (side-bare.mjs).

import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';
import { sendFile, storeFile } from './bare-files.mjs';

/** @typedef {{ name: string, id: string, columns: Record<string, string> }} TablePlan */
/** @typedef {Record<string, { value?: unknown }>} Values */
/** @typedef {{ id: string, values: Values, json: string }} Item */

/** @type {{ connection: pg.ClientConfig, schema: string, tables: TablePlan[], folder: string }} */
const { connection, schema, tables, folder } = JSON.parse(process.argv[2] ?? '{}');
/** As many as the server has by default. */
const CONNECTIONS = 16;
const USER = '{"id":"ubench00","name":"Bench"}';
const JSON_TYPE = { 'Content-Type': 'application/json' };

// The database: a connection that is free, or the next that becomes free.

const clients = Array.from({ length: CONNECTIONS }, () => new pg.Client({ ...connection, application_name: 'bare' }));
// It has no life of its own: when the database goes, so does it.
for (const client of clients) client.on('error', () => process.exit(1));
/** @type {pg.Client[]} */
const free = [];
/** @type {((client: pg.Client) => void)[]} */
const waiting = [];

/** @param {string | undefined} name prepared under it; without a name it is planned anew for its values @param {string} text @param {unknown[]} values @returns {Promise<any[][]>} */
function rows(name, text, values) {
  return new Promise((resolve, reject) => {
    const go = (/** @type {pg.Client} */ client) =>
      client.query({ ...(name === undefined ? {} : { name }), text, values, rowMode: 'array' }, (error, result) => {
        const next = waiting.shift();
        if (next) next(client);
        else free.push(client);
        if (error) reject(error);
        else resolve(result.rows);
      });
    const client = free.pop();
    if (client) go(client);
    else waiting.push(go);
  });
}

// Records

let made = 0;
const PREFIX = randomBytes(4).toString('hex');
/** Sorts after earlier identifiers, like a UUIDv7 in base32hex. */
function newId() {
  made += 1;
  const time = (BigInt(Date.now()) << 2n).toString(32).padStart(10, '0');
  return `r${time}${PREFIX}${made.toString(32).padStart(8, '0')}`;
}
/**
 * As wide as a hash. The column and the text have the same one: an upsert of ours names the hash that it read in the text, and
 * takes a record whose column says something else for one that others change all the time.
 */
const HASH = '0'.repeat(26);

/** @param {string} now @param {string} values */
const tail = (now, values) => `${now}","hash":"${HASH}","updatedAt":"${now}","updatedBy":${USER},"values":${values}}`;
/** @param {string} id @param {string} now @param {string} values */
const record = (id, now, values) =>
  `{"id":"${id}","createdAt":"${now}","createdBy":${USER},"timestamp":"${tail(now, values)}`;
const OWN_COLUMNS = /^(?:id|rec|hash|(?:created|updated)_(?:by|name|at)|r_c.{7})$/;
const HEAD = `left(t.rec, strpos(t.rec, ',"timestamp":"') + 13)`;

// What is kept beside a record's text (src/domain/records/projections.ts, src/domain/search/search-text.ts).

const NEIGHBOURS = /(\p{sc=Han})(?=\p{sc=Han})/gu;
/** @param {string} text */
const folded = (text) => text.toLowerCase().replace(NEIGHBOURS, '$1\u02d0');
/** @param {string} columnId */
function sectionMark(columnId) {
  const digits = createHash('sha256').update(columnId).digest('hex').slice(0, 12);
  return `\u0001${[...digits].map((digit) => String.fromCharCode(0x10 + Number.parseInt(digit, 16))).join('')}`;
}

/** @typedef {{ name: string, type: string, read: (values: Values) => string | number | null }} Projected */

/** @param {TablePlan} plan @param {ReadonlySet<string>} present columns of the table @returns {Projected[]} */
function projectedOf({ columns: { Title = '', Body = '', Amount = '', Code = '' } }, present) {
  const text = (/** @type {Values} */ values, /** @type {string} */ id) => String(values[id]?.value);
  const sections = [Title, Body, Code].map((id) => ({ id, mark: sectionMark(id) }));
  return [
    { name: `u_${Code}`, type: 'text', read: (/** @type {Values} */ values) => `=${text(values, Code)}` },
    { name: `s_${Title}`, type: 'text', read: (/** @type {Values} */ values) => text(values, Title) },
    { name: `p_${Body}`, type: 'text', read: (/** @type {Values} */ values) => text(values, Body).slice(0, 32) },
    { name: `p_${Code}`, type: 'text', read: (/** @type {Values} */ values) => text(values, Code) },
    { name: `n_${Amount}`, type: 'float8', read: (/** @type {Values} */ values) => Number(values[Amount]?.value) },
    {
      name: 'find',
      type: 'text',
      read: (/** @type {Values} */ values) => sections.map(({ id, mark }) => mark + folded(text(values, id))).join(''),
    },
  ].filter(({ name }) => present.has(name));
}

/** The operations on one table. @param {TablePlan} plan */
async function operationsOn(plan) {
  const table = `${schema}.${plan.id}`;
  const columns =
    'select attname::text from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped';
  const present = new Set((await rows(undefined, columns, [table])).map(([name]) => String(name)));
  const projected = projectedOf(plan, present);
  const filled = projected.map(({ name }) => name);
  const unknown = [...present].filter((name) => !OWN_COLUMNS.test(name) && !filled.includes(name));
  if (unknown.length > 0) throw new Error(`${table} has columns that are unknown here: ${unknown.join(', ')}`);
  const { Title = '', Code = '', Place, Limit } = plan.columns;
  const [title, key] = [`s_${Title}`, `u_${Code}`];
  /** @param {(column: Projected, index: number) => string} make */
  const each = (make) => projected.map((column, index) => `, ${make(column, index)}`).join('');
  const insertInto = `insert into ${table} as t (id, rec, hash, created_by, created_name, updated_by, updated_name,
    created_at, updated_at${each(({ name }) => name)})`;
  const fixed = `'${HASH}', 'ubench00', 'Bench', 'ubench00', 'Bench', $1::timestamptz, $1::timestamptz`;
  const unnested = `unnest($2::text[], $3::text[]${each(({ type }, i) => `$${4 + i}::${type}[]`)}) as r(id, rec${each(({ name }) => name)})`;
  const insertMany = `${insertInto} select r.id, r.rec, ${fixed}${each(({ name }) => `r.${name}`)} from ${unnested}`;
  /** @param {(column: Projected, index: number) => string} value */
  const set = (
    value,
  ) => `hash = '${HASH}', updated_by = 'ubench00', updated_name = 'Bench', updated_at = $1::timestamptz
    ${each((column, i) => `${column.name} = ${value(column, i)}`)}`;
  const texts = {
    get: `select rec from ${table} where id = $1`,
    newest: `select rec from ${table} order by updated_at desc, id desc limit 100`,
    byTitle: `select rec from ${table} order by ${title} nulls first, id limit 100`,
    skip: `select t.rec from (select ${title} as place, id from ${table} order by ${title} nulls first, id offset $1 limit 100) p
      join ${table} t using (id) order by p.place nulls first, p.id`,
    after: `select rec from ${table} where (${title}, id) > ((select ${title} from ${table} where id = $1), $1)
      order by ${title} nulls first, id limit 100`,
    equals: `select rec from ${table} where ${key} = $1`,
    contains: `select rec from ${table} where find like $1 order by updated_at desc, id desc limit 100`,
    containsByTitle: `select rec from ${table} where find like $1 order by ${title} nulls first, id limit 100`,
    insertOne: `${insertInto} values ($2, $3, ${fixed}${each((_, i) => `$${4 + i}`)})`,
    insert: insertMany,
    updateOne: `update ${table} as t set rec = ${HEAD} || $3, ${set((_, i) => `$${4 + i}`)} where id = $2 returning t.rec`,
    update: `update ${table} as t set rec = ${HEAD} || r.rec, ${set(({ name }) => `r.${name}`)}
      from ${unnested} where t.id = r.id returning t.id, t.rec`,
    upsert: `${insertMany} on conflict (${key}) do update set
      rec = ${HEAD} || substr(excluded.rec, strpos(excluded.rec, ',"timestamp":"') + 14), ${set(({ name }) => `excluded.${name}`)}
      returning ${key}, rec`,
    remove: `delete from ${table} where id = $1`,
  };
  const sorted = present.has(title);
  /** @param {Item[]} items @param {string[]} recs @param {string} now */
  const arrays = (items, recs, now) => [
    now,
    items.map(({ id }) => id),
    recs,
    ...projected.map(({ read }) => items.map(({ values }) => read(values))),
  ];
  /** @param {keyof typeof texts} name @param {unknown[]} values */
  const prepared = (name, values) => rows(`${name} ${plan.id}`, texts[name], values);
  /** @param {string[]} recs */
  const withReferences = async (recs) => {
    const ids = recs.flatMap((rec) => [...rec.matchAll(/"recordId":"(r[a-z0-9]{26})"/g)].map(([, id]) => id));
    const text = `select id, hash, rec from ${schema}.${tables.find(({ name }) => name === 'places')?.id} where id = any($1)`;
    const found = await rows('places', text, [[...new Set(ids)]]);
    const referred = new Map(found.map(([id, hash, rec]) => [id, { hash, values: JSON.parse(rec).values }]));
    return recs.map((rec) =>
      rec.replace(/"columnId":"(c[a-z0-9]{7})","recordId":"(r[a-z0-9]{26})"/g, (all, columnId, id) => {
        const at = referred.get(id);
        return at ? `${all},"recordHash":"${at.hash}","value":${JSON.stringify(at.values[columnId])}` : all;
      }),
    );
  };
  const refers = Place !== undefined && Limit !== undefined;
  return {
    /** @param {string} id */
    get: async (id) => (await prepared('get', [id]))[0]?.[0],
    /** @param {URLSearchParams} query @returns {Promise<string | undefined>} */
    list: async (query) => {
      const [search, skip, after] = ['search', 'skip', 'after'].map((name) => query.get(name));
      const byTitle = query.get('sortKey') === 'column';
      if ((byTitle && !sorted) || (search && !present.has('find'))) return undefined;
      /** @type {any[][]} */
      let answer;
      if (search?.startsWith('Code=')) answer = await prepared('equals', [`=${search.slice(5)}`]);
      else if (search) {
        // Planned for the word: a frequent one is met by walking the order, a rare one through the index.
        answer = await rows(undefined, texts[byTitle ? 'containsByTitle' : 'contains'], [`%${folded(search)}%`]);
      } else if (after) answer = await prepared('after', [after]);
      else if (skip) answer = await prepared('skip', [Number(skip)]);
      else answer = await prepared(byTitle ? 'byTitle' : 'newest', []);
      const recs = answer.map(([rec]) => rec);
      return `[${(refers ? await withReferences(recs) : recs).join(',')}]`;
    },
    /** @param {Item[]} items */
    create: async (items) => {
      const now = new Date().toISOString();
      const recs = items.map(({ id, json }) => record(id, now, json));
      const [first] = items;
      if (items.length === 1 && first) {
        await prepared('insertOne', [now, first.id, recs[0], ...projected.map(({ read }) => read(first.values))]);
      } else await prepared('insert', arrays(items, recs, now));
      return recs;
    },
    /** @param {Item[]} items */
    update: async (items) => {
      const now = new Date().toISOString();
      const recs = items.map(({ json }) => tail(now, json));
      const [first] = items;
      if (items.length === 1 && first) {
        const values = [now, first.id, recs[0], ...projected.map(({ read }) => read(first.values))];
        return (await prepared('updateOne', values)).map(([rec]) => String(rec));
      }
      const answer = new Map((await prepared('update', arrays(items, recs, now))).map(([id, rec]) => [id, rec]));
      return items.map(({ id }) => String(answer.get(id)));
    },
    /** @param {Item[]} items */
    upsert: async (items) => {
      const now = new Date().toISOString();
      const recs = items.map(({ id, json }) => record(id, now, json));
      const answer = await prepared('upsert', arrays(items, recs, now));
      if (items.length === 1) return answer.map(([, rec]) => String(rec));
      const byKey = new Map(answer.map(([code, rec]) => [code, rec]));
      return items.map(({ values }) => String(byKey.get(`=${values[Code]?.value}`)));
    },
    /** @param {string} id */
    remove: (id) => prepared('remove', [id]),
  };
}

// HTTP

await Promise.all(clients.map((client) => client.connect()));
free.push(...clients);
/** @type {Map<string, Awaited<ReturnType<typeof operationsOn>>>} */
const operations = new Map();
for (const plan of tables) operations.set(plan.id, await operationsOn(plan));

/** @param {import('node:http').IncomingMessage} request @returns {Promise<string>} */
function bodyOf(request) {
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const parts = [];
    request.on('data', (chunk) => parts.push(chunk));
    request.on('end', () => resolve(Buffer.concat(parts).toString()));
    request.on('error', reject);
  });
}

/** @param {string} text @param {string} [id] */
function itemsIn(text, id) {
  const body = JSON.parse(text);
  const batch = Array.isArray(body);
  /** @type {Item[]} */
  const items = (batch ? body : [body]).map((item) => ({
    id: item.id ?? id ?? newId(),
    values: item.values,
    json: JSON.stringify(item.values),
  }));
  return { batch, items };
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response only for what is not text
 * @returns {Promise<string | undefined | null | true>} null: no content; true: it is answered
 */
async function answer(request, response) {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  // '', v1, application, collections, collection, records, record
  const parts = path.split('/');
  if (parts[5] === 'attachments') {
    if (request.method === 'POST') return JSON.stringify({ id: await storeFile(folder, request) });
    await sendFile(folder, parts[6] ?? '', response);
    return true;
  }
  const on = operations.get(parts[4] ?? '');
  if (!on) return undefined;
  const recordId = parts[6];
  if (request.method === 'GET') return recordId ? on.get(recordId) : on.list(new URLSearchParams(query));
  if (request.method === 'DELETE') {
    await on.remove(recordId ?? '');
    return null;
  }
  const verb = request.method === 'POST' ? 'create' : request.method === 'PUT' ? 'update' : 'upsert';
  const { batch, items } = itemsIn(await bodyOf(request), verb === 'update' ? recordId : undefined);
  const recs = await on[verb](items);
  return batch ? `[${recs.join(',')}]` : recs[0];
}

const server = createServer((request, response) => {
  answer(request, response).then(
    (text) => {
      if (text === true) return;
      if (text === null) response.writeHead(204).end();
      else if (text === undefined) response.writeHead(501, { ...JSON_TYPE, 'Content-Length': 0 }).end();
      else response.writeHead(200, { ...JSON_TYPE, 'Content-Length': Buffer.byteLength(text) }).end(text);
    },
    (error) => {
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const text = String(error.message);
      response.writeHead(500, { ...JSON_TYPE, 'Content-Length': Buffer.byteLength(text) }).end(text);
    },
  );
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(`bare limit at http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`);
});
process.on('SIGTERM', () => process.exit());
process.on('SIGINT', () => {});
