// @ts-check
// After a round: what every node shows of the records against the model, and lists, searches and figures against each other.

import { setTimeout as pause } from 'node:timers/promises';
import { mayBe, sameValues } from './model.mjs';
import { CLAIMS, COLUMN, KEYED, REGISTERS, SHIFTING, THINGS } from './scene.mjs';

/**
 * @typedef {object} Examination
 * @property {import('./cluster.mjs').Cluster} cluster that is whole and at rest
 * @property {import('./scene.mjs').Scene} scene
 * @property {import('./model.mjs').Model} model
 * @property {import('./random.mjs').Random} random
 * @property {import('./client.mjs').Client} client
 * @property {(what: string) => void} violation
 * @property {(what: string, by?: number) => void} checked counts what was compared
 */

const SAMPLE = 30;
const READ_TRIES = 8;
const PAGES_MAX = 500;
/** Which column names a record. @type {Record<string, string>} */
const MARKERS = { [THINGS]: COLUMN.code, [KEYED]: COLUMN.key };

/** Waits while the server is busy: a machine that does something else as well may take longer than a request may. @param {import('./client.mjs').Client} client @param {string} address @param {import('./client.mjs').Sent} sent */
export async function sendPatiently(client, address, sent) {
  let outcome = await client.send(address, { replyMs: 120_000, ...sent });
  for (let tries = 1; tries < READ_TRIES && outcome.status === 503; tries++) {
    await pause(500);
    outcome = await client.send(address, { replyMs: 120_000, ...sent });
  }
  return outcome;
}

/** @param {Pick<Examination, 'client'>} examination @param {string} address @param {string} path @param {Partial<import('./client.mjs').Sent>} [more] @returns {Promise<any>} */
export async function read({ client }, address, path, more = {}) {
  const outcome = await sendPatiently(client, address, { ...more, method: 'GET', path });
  if (outcome.status !== 200) throw new Error(`${path} of a whole cluster answers ${outcome.status} ${outcome.code}`);
  return outcome;
}

/** All records, page by page. @param {Pick<Examination, 'client' | 'scene'>} examination @param {string} address @param {string} collection @param {Record<string, string>} [query] @returns {Promise<any[]>} */
export async function listAll(examination, address, collection, query = {}) {
  const parameters = new URLSearchParams({ sortKey: 'createdAt', sortOrder: 'ascending', ...query });
  /** @type {any[]} */
  const records = [];
  let path = `${examination.scene.records(collection)}?${parameters}`;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const { body, headers } = await read(examination, address, path);
    records.push(...body);
    const next = /<([^>]+)>; rel="next"/.exec(String(headers.link ?? ''))?.[1];
    if (next === undefined) return records;
    const { pathname, search } = new URL(next);
    path = pathname + search;
  }
  throw new Error('a list has no end');
}

/** @param {any} record @param {string} column */
const shownValue = (record, column) => record.values[column]?.value;

/** @param {Examination} examination @param {string} collection @param {readonly any[]} records */
function againstModel({ model, violation, checked }, collection, records) {
  const column = MARKERS[collection] ?? '';
  const found = new Map(records.map((record) => [shownValue(record, column), record]));
  if (found.size !== records.length)
    violation(`${records.length - found.size} records of ${collection} are there twice`);
  for (const marker of found.keys()) {
    if (!model.records.has(marker)) violation(`nobody created ${marker}`);
  }
  for (const track of model.records.values()) {
    if (track.collection !== collection) continue;
    checked('records against the model');
    const record = found.get(track.marker);
    if (!mayBe(track, record?.values ?? null)) {
      const what = record === undefined ? 'is lost' : `is ${JSON.stringify(record.values)}`;
      violation(`${track.marker} ${what}; it should be one of ${JSON.stringify(track.states)}`);
    } else if (record !== undefined && track.reply !== undefined) againstReply(track, record, violation);
  }
}

/** @param {import('./model.mjs').Track} track @param {any} record @param {(what: string) => void} violation */
function againstReply({ marker, reply, settled }, record, violation) {
  if (record.id !== reply.id || record.createdAt !== reply.createdAt) violation(`${marker} is another record`);
  const times = /** @type {const} */ (['updatedAt', 'timestamp']);
  for (const time of times) if (record[time] < reply[time]) violation(`${time} of ${marker} went back`);
  if (settled && (record.hash !== reply.hash || record.updatedAt !== reply.updatedAt)) {
    violation(`${marker} is not as it was acknowledged: ${JSON.stringify([record, reply])}`);
  }
}

/** Of a batch without a reply any beginning may be applied, and nothing after a gap. @param {Examination} examination @param {readonly any[]} things */
function batches({ model, violation, checked }, things) {
  const found = new Map(things.map((record) => [shownValue(record, COLUMN.code), record]));
  for (const { markers, applied } of model.batches) {
    const applications = markers.map((marker) => {
      const track = model.records.get(marker);
      if (track === undefined || track.changes.delete.maybe > 0) return undefined;
      const record = found.get(marker);
      if (applied === 'created') return record !== undefined;
      const last = track.states.at(-1) ?? null;
      const first = track.states[0] ?? null;
      // An update to the same values shows nothing.
      if (record === undefined || last === null || first === null || sameValues(first, last)) return undefined;
      return sameValues(last, record.values);
    });
    const known = applications.filter((one) => one !== undefined);
    checked('batches without a reply');
    if (known.some((one, index) => one && known[index - 1] === false))
      violation(`a batch was applied in part: ${markers}`);
  }
}

/** @param {Examination} examination @param {string} address @param {readonly any[]} things */
async function againstEachOther(examination, address, things) {
  const { scene, random, violation, checked } = examination;
  for (let turn = 0; turn < Math.min(SAMPLE, things.length); turn++) {
    const record = random.pick(things);
    const { body } = await read(examination, address, scene.records(THINGS, record.id));
    checked('gets against lists');
    if (JSON.stringify(body) !== JSON.stringify(record)) violation(`a get of ${record.id} is not what the list shows`);
  }
  const newest = await listAll(examination, address, THINGS, { sortKey: 'updatedAt', sortOrder: 'descending' });
  const ordered = newest.every((record, index) => index === 0 || record.updatedAt <= newest[index - 1].updatedAt);
  if (newest.length !== things.length || !ordered) violation('the list by the last change differs from the list');
  const tags = [...new Set(things.map((record) => shownValue(record, COLUMN.tag)))];
  for (const tag of tags.slice(0, 8)) {
    const searched = await listAll(examination, address, THINGS, { search: `Tag=${tag}` });
    const expected = things.filter((record) => shownValue(record, COLUMN.tag) === tag);
    checked('searches against lists');
    if (JSON.stringify(searched) !== JSON.stringify(expected)) violation(`a search for ${tag} differs from the list`);
  }
  const measures = `count,sum:${COLUMN.size},maximum:${COLUMN.size}`;
  const { body } = await read(examination, address, `${scene.records(THINGS)}/figures?measure=${measures}`);
  const sizes = things.flatMap((record) => shownValue(record, COLUMN.size) ?? []);
  const expected = {
    count: things.length,
    [`sum:${COLUMN.size}`]: sizes.length === 0 ? null : sizes.reduce((total, size) => total + size, 0),
    [`maximum:${COLUMN.size}`]: sizes.length === 0 ? null : Math.max(...sizes),
  };
  checked('figures against lists');
  for (const [measure, value] of Object.entries(expected)) {
    if (body[0]?.[measure] !== value) violation(`${measure} is ${body[0]?.[measure]} instead of ${value}`);
  }
}

/** @param {Examination} examination @param {readonly any[]} records */
function claims({ model, violation, checked }, records) {
  const found = new Map(records.map((record) => [shownValue(record, COLUMN.claim), record]));
  if (found.size !== records.length) violation('a unique value is there twice');
  for (const [value, { winners, maybe }] of model.claims) {
    checked('unique values');
    const record = found.get(value);
    if (winners.length > 0 && record?.id !== winners[0]) violation(`${value} was acknowledged and is lost`);
    if (winners.length === 0 && maybe === 0 && record !== undefined) violation(`nobody was given ${value}`);
  }
}

/** @param {Examination} examination @param {readonly any[]} records */
function shifting({ model, violation, checked }, records) {
  const codes = records.map((record) => shownValue(record, COLUMN.shiftCode));
  if (new Set(codes).size !== codes.length) violation('a record of changing columns is there twice');
  for (const [code, isDone] of model.shifting) {
    checked('records of changing columns');
    if (isDone && !codes.includes(code)) violation(`${code} of the changing columns is lost`);
  }
}

/** The last reads of every register belong to its history. @param {Examination} examination @param {string} address */
async function registers(examination, address) {
  const { model, scene } = examination;
  for (const [name, history] of model.registers) {
    const called = performance.now();
    const search = new URLSearchParams({ search: `Register=${name}` });
    const { body } = await read(examination, address, `${scene.records(REGISTERS)}?${search}`);
    const [record] = body;
    const shown = record === undefined ? {} : { id: record.id, value: shownValue(record, COLUMN.value) };
    history.push({ kind: 'read', called, returned: performance.now(), reply: { status: 200, ...shown } });
  }
}

/** @param {Examination} examination @returns {Promise<Map<string, any[]>>} the records of each collection */
export async function checkRecords(examination) {
  /** @type {Map<string, any[]>} */
  const first = new Map();
  for (const { address, name } of examination.cluster.nodes) {
    for (const collection of [THINGS, KEYED, CLAIMS, SHIFTING]) {
      const records = await listAll(examination, address, collection);
      const before = first.get(collection);
      if (before !== undefined && JSON.stringify(before) !== JSON.stringify(records)) {
        examination.violation(`${name} shows other records of ${collection} than the first node`);
      }
      first.set(collection, records);
      if (collection in MARKERS) againstModel(examination, collection, records);
    }
    const things = first.get(THINGS) ?? [];
    await againstEachOther(examination, address, things);
    batches(examination, things);
    claims(examination, first.get(CLAIMS) ?? []);
    shifting(examination, first.get(SHIFTING) ?? []);
    await registers(examination, address);
  }
  return first;
}
