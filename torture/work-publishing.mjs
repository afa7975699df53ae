// @ts-check
// Publishing of every kind, by one client, while the others work; and records of a collection whose columns come and go.

import { count } from './client.mjs';
import { COLUMN, SHIFTING, THINGS } from './scene.mjs';
import { text } from './work-records.mjs';
import { judgeRefusal } from './worker.mjs';

/** @typedef {import('./worker.mjs').Worker} Worker */

const ADDED_MAX = 6;

/** @param {any} document @param {string} id */
const collectionOf = (document, id) => document.collections.find((/** @type {any} */ each) => each.id === id);
/** @param {any} document @param {string} collection @param {string} id */
const columnOf = (document, collection, id) =>
  collectionOf(document, collection)?.columns.find((/** @type {any} */ each) => each.id === id);

/** Each changes the document in one way. @type {Record<string, (document: any, worker: Worker) => void>} */
const CHANGES = {
  rename: (document, worker) => {
    document.name = `Torture ${worker.marker()}`;
  },
  'rename a collection': (document, worker) => {
    collectionOf(document, SHIFTING).name = `Shifting ${worker.marker()}`;
  },
  'rename a column': (document, worker) => {
    columnOf(document, THINGS, COLUMN.note).name = `Note ${worker.marker()}`;
  },
  access: (document) => {
    const shifting = collectionOf(document, SHIFTING);
    shifting.writeAccessType = shifting.writeAccessType === 'everyone' ? 'creatorOnly' : 'everyone';
  },
  flags: (document, { random }) => {
    const note = columnOf(document, THINGS, COLUMN.note);
    const flag = random.pick(['searchable', 'sortable', 'unique']);
    note[flag] = !note[flag];
  },
  'flags of numbers': (document, { random }) => {
    const size = columnOf(document, THINGS, COLUMN.size);
    const flag = random.pick(['searchable', 'sortable']);
    size[flag] = !size[flag];
  },
  'add a column': (document, worker) => {
    const { columns } = collectionOf(document, worker.random.pick([THINGS, SHIFTING]));
    if (columns.length < 8) columns.push({ name: `Added ${worker.marker()}`, type: 'String', searchable: true });
  },
  'remove a column': (document) => {
    const shifting = collectionOf(document, SHIFTING);
    const isThere = columnOf(document, SHIFTING, COLUMN.shiftOld) !== undefined;
    shifting.columns = shifting.columns.filter(
      (/** @type {any} */ { id }) => id === COLUMN.shiftCode || id === COLUMN.shiftForm,
    );
    if (!isThere) shifting.columns.push({ id: COLUMN.shiftOld, name: 'Old', type: 'String' });
  },
  'change a type': (document) => {
    const old = columnOf(document, SHIFTING, COLUMN.shiftOld);
    if (old === undefined) return;
    old.type = old.type === 'String' ? 'Number' : 'String';
  },
  'change a scheme': (document, worker) => {
    const { keys } = columnOf(document, SHIFTING, COLUMN.shiftForm).scheme;
    if (keys.length > 4) keys.length = 1;
    else keys.push({ name: `K ${worker.marker()}`, type: 'String' });
  },
  order: (document) => document.collections.reverse(),
  settings: (document, { random }) => {
    document.maxAttachmentBytes = random.between(10_000_000, 50_000_000);
  },
  'add a collection': (document, worker) => {
    const added = document.collections.filter((/** @type {any} */ { name }) => name.startsWith('Added'));
    if (added.length >= ADDED_MAX) return;
    document.collections.push({ name: `Added ${worker.marker()}`, columns: [{ name: 'A', type: 'String' }] });
  },
  'remove a collection': (document) => {
    const at = document.collections.findIndex((/** @type {any} */ { name }) => name.startsWith('Added'));
    if (at >= 0) document.collections.splice(at, 1);
  },
};

/** @param {Worker} worker */
async function publish(worker) {
  const { random, model, scene, tally } = worker;
  const path = `/applications/${scene.id}`;
  const current = await worker.operator({ method: 'GET', path });
  if (current.certainty !== 'done') return;
  const chosen = random.pick(Object.keys(CHANGES));
  CHANGES[chosen]?.(current.body, worker);
  const json = current.body;
  const outcome = await worker.operator({ method: 'POST', path: '/applications?allowDataLoss=true', json });
  // Two records may have the same note, and a node may have been killed while it published.
  if (outcome.code !== 'UNIQUE_COLLISION') judgeRefusal(worker, outcome, `a publishing (${chosen})`);
  if (outcome.certainty !== 'done') return;
  const { version, name } = outcome.body.application;
  const latest = Math.max(0, ...model.published.keys());
  if (outcome.body.changes.length > 0 && version <= latest) worker.violation(`version ${version} came after ${latest}`);
  if (outcome.body.changes.length > 0) model.published.set(version, name);
  for (const { kind } of outcome.body.changes) count(tally.counted, `published: ${kind}`);
}

/** @param {Worker} worker */
async function write(worker) {
  const { random, model, scene } = worker;
  const code = worker.marker();
  model.shifting.set(code, false);
  const values = {
    [COLUMN.shiftCode]: text(code),
    ...(random.chance(0.5) ? { [COLUMN.shiftOld]: text(`old ${code}`) } : {}),
    ...(random.chance(0.5) ? { [COLUMN.shiftForm]: { type: 'Object', value: { A: text(code) } } } : {}),
  };
  const outcome = await worker.send({ method: 'POST', path: scene.records(SHIFTING), json: { values } });
  if (outcome.certainty === 'done') model.shifting.set(code, true);
  // The column may be gone, or have another type.
  if (outcome.code === 'INVALID_VALUE') model.shifting.delete(code);
  else judgeRefusal(worker, outcome, 'a record of changing columns');
}

/** @type {Record<string, import('./worker.mjs').Operation>} */
export const SHIFTING_OPERATIONS = { 'records of changing columns': { weight: 4, run: write } };
/** @type {Record<string, import('./worker.mjs').Operation>} */
export const PUBLISHING_OPERATIONS = { publishings: { weight: 1, run: publish } };
