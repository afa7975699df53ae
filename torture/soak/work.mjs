// @ts-check
// The mix of a soak: what clients of an everyday application ask for, one request at a time, and what is concluded from
// each reply. The number of records stays the same, so that nothing has a reason to grow.

import { contentOf, mayBe, note, noteMaybe, sameValues, stateOf } from '../model.mjs';
import { COLUMN, THINGS } from '../scene.mjs';
import { number, text } from '../work-records.mjs';
import { judgeRefusal } from '../worker.mjs';

/**
 * @typedef {import('../model.mjs').Track} Track
 * @typedef {import('../model.mjs').Values} Values
 * @typedef {import('../client.mjs').Outcome} Outcome
 *
 * @typedef {object} Workplace
 * @property {import('./stock.mjs').Stock} stock
 * @property {import('../scene.mjs').Scene} scene
 * @property {import('../random.mjs').Random} random
 * @property {import('../client.mjs').Tally} tally
 * @property {(what: string) => void} violation
 * @property {number} records that there should be
 *
 * @typedef {object} Step one request
 * @property {import('../client.mjs').Sent} sent
 * @property {(outcome: Outcome) => void} judge
 */

const TAGS = 400;
const FILE_BYTES = { least: 500, most: 8_000 };
const PAGE = 50;
/** Deletions and creations balance each other only roughly. */
const SLACK = 0.02;
/** A share of the requests, so that finding out what became of lost ones is no burst. */
const DECIDE = 0.1;

/** @param {Track} track */
const fileOf = (track) => stateOf(track)?.[COLUMN.file]?.id;

/** @param {Workplace} at @param {string} marker @returns {Values} */
export const newValues = ({ random }, marker) => ({
  [COLUMN.code]: text(marker),
  [COLUMN.tag]: text(`tag${random.integer(TAGS)}`),
  [COLUMN.size]: number(random.integer(1_000)),
  [COLUMN.note]: text(`${'A note of some length. '.repeat(random.integer(8))}${marker}`),
});

/** Whether its state is what it was known to be before a read, and no write is under way. @param {Workplace} at @param {Track} track */
function watch({ stock }, track) {
  const { reply } = track;
  return () => track.settled && !stock.isTaken(track) && track.reply === reply && stateOf(track) !== null;
}

/** @param {Workplace} at @returns {Step} */
function create(at) {
  const { stock, scene } = at;
  const track = stock.add();
  const file = stock.loose.pop();
  const values = {
    ...newValues(at, track.marker),
    ...(file === undefined ? {} : { [COLUMN.file]: { type: 'Attachment', id: file.id } }),
  };
  const judge = (/** @type {Outcome} */ outcome) => {
    judgeRefusal(at, outcome, 'a create');
    if (outcome.certainty === 'refused') {
      stock.model.records.delete(track.marker);
      if (file !== undefined) stock.loose.push(file);
      return;
    }
    if (outcome.certainty === 'maybe') noteMaybe(track, 'create', values);
    else acknowledge(at, track, { change: 'create', values, record: outcome.body });
    stock.giveBack(track);
  };
  return { sent: { method: 'POST', path: scene.records(THINGS), json: { values } }, judge };
}

/** @param {Workplace} at @param {Track} track @param {{ change: 'create' | 'update', values: Values, record: any }} done */
export function acknowledge({ violation }, track, { change, values, record }) {
  note(track, change, values);
  if (!sameValues(values, record.values)) violation(`${track.marker} was written as ${JSON.stringify(record.values)}`);
  track.id = record.id;
  track.reply = { hash: record.hash };
}

/** @param {Workplace} at @returns {Step} */
function update(at) {
  const { stock, scene, random } = at;
  const track = stock.take();
  if (track === undefined) return create(at);
  const changed = { [COLUMN.size]: number(random.integer(1_000)), [COLUMN.note]: text(`changed ${track.marker}`) };
  const values = { ...stateOf(track), ...changed };
  const judge = (/** @type {Outcome} */ outcome) => {
    judgeRefusal(at, outcome, `an update of ${track.marker}`);
    if (outcome.certainty === 'maybe') noteMaybe(track, 'update', values);
    else if (outcome.certainty === 'done') acknowledge(at, track, { change: 'update', values, record: outcome.body });
    stock.giveBack(track);
  };
  const path = scene.records(THINGS, track.id);
  return { sent: { method: 'PUT', path, json: { replace: false, values: changed } }, judge };
}

/** @param {Workplace} at @returns {Step} */
function remove(at) {
  const { stock, scene } = at;
  const track = stock.take();
  if (track === undefined) return create(at);
  const file = fileOf(track);
  const judge = (/** @type {Outcome} */ outcome) => {
    judgeRefusal(at, outcome, `the deletion of ${track.marker}`);
    if (outcome.certainty === 'done') {
      note(track, 'delete', null);
      return stock.remove(track, file);
    }
    if (outcome.certainty === 'maybe') noteMaybe(track, 'delete', null);
    stock.giveBack(track);
  };
  return { sent: { method: 'DELETE', path: scene.records(THINGS, track.id) }, judge };
}

/** @param {Workplace} at @returns {Step} */
function balance(at) {
  const { stock, records, random } = at;
  const slack = records * SLACK;
  if (stock.records < records - slack) return create(at);
  if (stock.records > records + slack) return remove(at);
  return random.chance(0.5) ? create(at) : remove(at);
}

/** @param {Workplace} at @returns {Step} */
function get(at) {
  const { stock, scene, violation } = at;
  const track = stock.any();
  if (track === undefined) return create(at);
  const isUnchanged = watch(at, track);
  const judge = (/** @type {Outcome} */ outcome) => {
    if (!isUnchanged()) return;
    judgeRefusal(at, outcome, `a get of ${track.marker}`);
    if (outcome.certainty !== 'done' || sameValues(stateOf(track) ?? {}, outcome.body.values)) return;
    violation(`${track.marker} is ${JSON.stringify(outcome.body.values)}`);
  };
  return { sent: { method: 'GET', path: scene.records(THINGS, track.id) }, judge };
}

/** @param {Workplace} at @param {Record<string, string>} query @returns {Step} */
function read(at, query) {
  const path = `${at.scene.records(THINGS)}?${new URLSearchParams(query)}`;
  const judge = (/** @type {Outcome} */ outcome) => judgeRefusal(at, outcome, `a read of ${path}`);
  return { sent: { method: 'GET', path }, judge };
}

/** @param {Workplace} at @returns {Step} */
function upload(at) {
  const { stock, scene, random } = at;
  const [name, size] = [`${stock.marker()}.bin`, random.between(FILE_BYTES.least, FILE_BYTES.most)];
  const judge = (/** @type {Outcome} */ outcome) => {
    judgeRefusal(at, outcome, 'an upload');
    if (outcome.certainty !== 'done') return;
    const file = { id: outcome.body.id, name, size };
    stock.files.set(file.id, file);
    stock.loose.push(file);
  };
  const headers = {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${name}"`,
  };
  return { sent: { method: 'POST', path: scene.attachments(THINGS), bytes: contentOf(name, size), headers }, judge };
}

/** @param {Workplace} at @returns {Step} */
function download(at) {
  const { stock, scene, violation } = at;
  const found = stock.anyWithFile(fileOf);
  if (found === undefined) return upload(at);
  const { track, file } = found;
  const isUnchanged = watch(at, track);
  const judge = (/** @type {Outcome} */ outcome) => {
    if (!isUnchanged()) return;
    judgeRefusal(at, outcome, `a download of ${file.name}`);
    if (outcome.certainty !== 'done' || contentOf(file.name, file.size).equals(outcome.bytes)) return;
    violation(`${file.name} has other content`);
  };
  return { sent: { method: 'GET', path: `${scene.attachments(THINGS)}/${file.id}` }, judge };
}

/** What became of a change without a reply. @param {Workplace} at @param {Track} track @returns {Step} */
function decide(at, track) {
  const { stock, scene, violation } = at;
  const judge = (/** @type {Outcome} */ outcome) => {
    judgeRefusal(at, outcome, `a search for ${track.marker}`);
    if (outcome.certainty !== 'done') return stock.giveBack(track);
    const [record] = outcome.body;
    if (!mayBe(track, record?.values ?? null)) {
      const what = record === undefined ? 'is lost' : `is ${JSON.stringify(record.values)}`;
      violation(`${track.marker} ${what}; it should be one of ${JSON.stringify(track.states)}`);
    }
    if (record === undefined) return stock.remove(track, fileOf(track));
    // Of the states that were possible, so that its members are just those that are compared.
    track.states = [track.states.find((state) => state !== null && sameValues(state, record.values)) ?? null];
    track.settled = true;
    [track.id, track.reply] = [record.id, { hash: record.hash }];
    stock.giveBack(track);
  };
  const path = `${scene.records(THINGS)}?${new URLSearchParams({ search: `Code=${track.marker}` })}`;
  return { sent: { method: 'GET', path }, judge };
}

/** @type {Record<string, { weight: number, prepare: (at: Workplace) => Step }>} */
export const MIX = {
  gets: { weight: 36, prepare: get },
  lists: { weight: 12, prepare: (at) => read(at, { limit: String(PAGE) }) },
  searches: {
    weight: 12,
    prepare: (at) => read(at, { search: `Tag=tag${at.random.integer(TAGS)}`, limit: String(PAGE) }),
  },
  updates: { weight: 12, prepare: update },
  'creates and deletes': { weight: 20, prepare: balance },
  uploads: { weight: 3, prepare: upload },
  downloads: { weight: 5, prepare: download },
};

/** @param {Workplace} at @returns {Step} */
export function nextStep(at) {
  const { random, stock } = at;
  const decided = random.chance(DECIDE) ? stock.takeDecided() : undefined;
  if (decided !== undefined) return decide(at, decided);
  const kind = random.weighted(MIX, ({ weight }) => weight);
  return (MIX[kind] ?? { prepare: get }).prepare(at);
}
