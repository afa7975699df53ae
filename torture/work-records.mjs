// @ts-check
// What clients do with records of their own: every way to create, change and delete, and reads that must show just what the
// client was told.

import { addTrack, mayBe, note, noteMaybe, sameValues, stateOf } from './model.mjs';
import { COLUMN, THINGS } from './scene.mjs';
import { judgeRefusal } from './worker.mjs';

/**
 * @typedef {import('./worker.mjs').Worker} Worker
 * @typedef {import('./model.mjs').Track} Track
 * @typedef {import('./model.mjs').Values} Values
 */

const OWN_MAX = 120;
export const text = (/** @type {string} */ value) => ({ type: 'String', value });
export const number = (/** @type {number} */ value) => ({ type: 'Number', value });

/** Records that are deleted together have a tag in common. @param {Worker} worker */
const tagOf = ({ tags, random }) => random.pick(tags);

/** @param {Worker} worker @param {string} marker @returns {Values} */
function newValues(worker, marker) {
  const { random } = worker;
  return {
    [COLUMN.code]: text(marker),
    [COLUMN.tag]: text(tagOf(worker)),
    [COLUMN.size]: number(random.integer(1000)),
    ...(random.chance(0.5) ? { [COLUMN.note]: text(`note ${marker} ${random.integer(9)}`) } : {}),
  };
}

/**
 * A record in a reply against what it must be, and against the reply before.
 * @param {Worker} worker @param {Track} track @param {any} record @param {'write' | 'read'} kind
 */
export function judgeRecord({ violation }, track, record, kind) {
  const expected = stateOf(track);
  if (expected === null || !sameValues(expected, record.values)) {
    violation(`${track.marker} is ${JSON.stringify(record.values)} instead of ${JSON.stringify(expected)}`);
  }
  const before = track.reply;
  if (before !== undefined) {
    if (before.id !== record.id) violation(`${track.marker} was ${before.id} and is ${record.id}`);
    if (record.createdAt !== before.createdAt) violation(`${track.marker} was created at another time`);
    for (const time of ['updatedAt', 'timestamp']) {
      if (record[time] < before[time]) violation(`${time} of ${track.marker} went back`);
    }
    const unchanged = JSON.stringify(before.values) === JSON.stringify(record.values);
    if (unchanged !== (before.hash === record.hash)) violation(`the hash of ${track.marker} is not that of its values`);
    if (kind === 'read' && record.updatedAt !== before.updatedAt) violation(`${track.marker} was updated by nobody`);
  }
  track.id = record.id;
  track.reply = record;
}

/** A record that exists and whose state is known. @param {Worker} worker @returns {Track | undefined} */
function anyOwn(worker) {
  worker.own = worker.own.filter((track) => track.settled && stateOf(track) !== null);
  return worker.own.length === 0 ? undefined : worker.random.pick(worker.own);
}

/** @param {Worker} worker @param {number} size */
async function create(worker, size) {
  const { random, model, scene } = worker;
  if (worker.own.length > OWN_MAX) return deleteGroup(worker);
  const elements = Array.from({ length: size }, () => {
    const marker = worker.marker();
    return { track: addTrack(model, THINGS, marker), values: newValues(worker, marker) };
  });
  const bodies = elements.map(({ values }) => ({ values }));
  const isKeyed = random.chance(0.6);
  const headers = isKeyed ? { 'idempotency-key': `${elements[0]?.track.marker}k` } : undefined;
  const isArray = size > 1 || random.chance(0.2);
  const sent = { method: 'POST', path: scene.records(THINGS), json: isArray ? bodies : bodies[0] };
  const outcome = await (headers === undefined ? worker.send(sent) : worker.insist({ ...sent, headers }));
  judgeRefusal(worker, outcome, 'a create');
  /** @type {any[]} */
  const made = outcome.certainty === 'done' ? [outcome.body].flat() : (outcome.body?.params?.insertedRecords ?? []);
  for (const [index, { track, values }] of elements.entries()) {
    if (index < made.length) {
      note(track, 'create', values);
      judgeRecord(worker, track, made[index], 'write');
      worker.own.push(track);
    } else if (outcome.certainty === 'maybe') noteMaybe(track, 'create', values);
    else if (outcome.certainty === 'done') worker.violation(`${track.marker} is missing in the reply to its creation`);
  }
  if (outcome.certainty === 'maybe') noteBatch(worker, elements, 'created');
}

/** @param {Worker} worker @param {readonly { track: Track }[]} elements @param {'created' | 'updated'} applied */
function noteBatch({ model }, elements, applied) {
  if (elements.length > 1) {
    model.batches.push({ collection: THINGS, markers: elements.map(({ track }) => track.marker), applied });
  }
}

/** An element in the middle is wrong: what is before it stays, nothing after it is tried. @param {Worker} worker */
async function createStopped(worker) {
  const { random, model, scene } = worker;
  const [size, wrong] = [random.between(2, 5), random.between(1, 2)];
  const elements = Array.from({ length: Math.max(size, wrong + 1) }, (_, index) => {
    const marker = worker.marker();
    const values = newValues(worker, marker);
    if (index === wrong) values[COLUMN.size] = text('no number');
    return { track: addTrack(model, THINGS, marker), values };
  });
  const json = elements.map(({ values }) => ({ values }));
  const outcome = await worker.send({ method: 'POST', path: scene.records(THINGS), json });
  if (outcome.certainty === 'done') worker.violation('a wrong element was created');
  const made = outcome.body?.params?.insertedRecords ?? [];
  const isStopped = outcome.status === 400;
  if (isStopped && (outcome.body.params.recordIndex !== wrong || made.length !== wrong)) {
    worker.violation(`a batch stopped at ${outcome.body.params.recordIndex} of ${wrong}`);
  }
  for (const [index, { track, values }] of elements.slice(0, wrong).entries()) {
    if (index < made.length) {
      note(track, 'create', values);
      judgeRecord(worker, track, made[index], 'write');
      worker.own.push(track);
    } else if (outcome.certainty === 'maybe') noteMaybe(track, 'create', values);
  }
  if (outcome.certainty === 'maybe') noteBatch(worker, elements.slice(0, wrong), 'created');
}

/** @param {Worker} worker @param {Track} track @returns {{ replace: boolean, values: Values, next: Values }} */
function nextValues(worker, track) {
  const { random } = worker;
  const before = stateOf(track) ?? {};
  const code = { [COLUMN.code]: before[COLUMN.code] ?? text(track.marker) };
  const tag = before[COLUMN.tag] ?? text(tagOf(worker));
  if (random.chance(0.4)) {
    const values = { ...newValues(worker, track.marker), ...code, [COLUMN.tag]: tag };
    const file = before[COLUMN.file];
    if (file !== undefined) values[COLUMN.file] = file;
    return { replace: true, values, next: values };
  }
  // Sometimes the same value again, which must leave the hash.
  const size = random.chance(0.1) ? (before[COLUMN.size] ?? number(0)) : number(random.integer(1000));
  const values = { [COLUMN.size]: size };
  return { replace: false, values, next: { ...before, ...values } };
}

/** @param {Worker} worker @param {boolean} isConditional */
async function update(worker, isConditional) {
  const track = anyOwn(worker);
  if (track === undefined) return create(worker, 1);
  const { next, ...json } = nextValues(worker, track);
  const headers = isConditional ? { 'if-match': `"${track.reply.hash}"` } : {};
  const sent = { method: 'PUT', path: worker.scene.records(THINGS, track.id), json, headers };
  const outcome = await worker.send(sent);
  judgeRefusal(worker, outcome, `an update of ${track.marker}`);
  if (outcome.certainty === 'maybe') noteMaybe(track, 'update', next);
  if (outcome.certainty !== 'done') return;
  note(track, 'update', next);
  judgeRecord(worker, track, outcome.body, 'write');
}

/** With a hash that was never the record's: nothing may change. @param {Worker} worker */
async function updateStale(worker) {
  const track = anyOwn(worker);
  if (track === undefined) return;
  const { next, ...json } = nextValues(worker, track);
  const headers = { 'if-match': '"00000000000000000000000000"' };
  const outcome = await worker.send({ method: 'PUT', path: worker.scene.records(THINGS, track.id), json, headers });
  if (outcome.certainty === 'done') worker.violation(`${track.marker} was updated against its If-Match`);
  if (outcome.status !== 412) judgeRefusal(worker, outcome, `a stale update of ${track.marker}`);
}

/** @param {Worker} worker */
async function updateMany(worker) {
  const first = anyOwn(worker);
  if (first === undefined) return create(worker, 3);
  const tracks = [...new Set([first, ...Array.from({ length: 4 }, () => anyOwn(worker) ?? first)])];
  const elements = tracks.map((track) => ({ track, ...nextValues(worker, track) }));
  const json = elements.map(({ track, replace, values }) => ({ id: track.id, replace, values }));
  const outcome = await worker.send({ method: 'PUT', path: worker.scene.records(THINGS), json });
  judgeRefusal(worker, outcome, 'an update of many');
  const made = outcome.certainty === 'done' ? outcome.body : (outcome.body?.params?.updatedRecords ?? []);
  for (const [index, { track, next }] of elements.entries()) {
    if (index < made.length) {
      note(track, 'update', next);
      judgeRecord(worker, track, made[index], 'write');
    } else if (outcome.certainty === 'maybe') noteMaybe(track, 'update', next);
  }
  if (outcome.certainty === 'maybe') noteBatch(worker, elements, 'updated');
}

/** @param {Worker} worker */
async function deleteOne(worker) {
  const track = anyOwn(worker);
  if (track === undefined) return;
  const outcome = await worker.send({ method: 'DELETE', path: worker.scene.records(THINGS, track.id) });
  judgeRefusal(worker, outcome, `the deletion of ${track.marker}`);
  if (outcome.certainty === 'maybe') noteMaybe(track, 'delete', null);
  if (outcome.certainty === 'done') note(track, 'delete', null);
}

/** @param {Worker} worker */
async function deleteGroup(worker) {
  const { model, scene } = worker;
  const tag = tagOf(worker);
  const group = [...model.records.values()].filter((track) =>
    track.states.some((state) => state?.[COLUMN.tag]?.value === tag),
  );
  const present = group.filter(({ settled }) => settled);
  const isBounded = present.length === group.length && worker.random.chance(0.5);
  const limit = worker.random.between(1, 10);
  const search = new URLSearchParams({ search: `Tag=${tag}`, ...(isBounded ? { limit: String(limit) } : {}) });
  const outcome = await worker.send({ method: 'DELETE', path: `${scene.records(THINGS)}?${search}` });
  judgeRefusal(worker, outcome, `the deletion of ${tag}`);
  if (outcome.certainty !== 'done') {
    // Also when the server was busy: a part may be gone. What gets the tag later could be deleted later.
    for (const track of group) noteMaybe(track, 'delete', null);
    worker.tags[worker.tags.indexOf(tag)] = `${worker.name}g${worker.marker()}`;
    return;
  }
  const first = present.sort((a, b) => ((a.id ?? '') < (b.id ?? '') ? -1 : 1)).slice(0, isBounded ? limit : undefined);
  for (const track of first) note(track, 'delete', null);
  for (const track of group.filter(({ settled }) => !settled)) {
    track.changes.delete.maybe += 1;
    // What may still be created stays possible; what had an ID is gone for good.
    track.states = track.id === undefined ? [null, ...track.states] : [null];
  }
  if (isBounded && outcome.body.deletedCount !== first.length) {
    worker.violation(`${outcome.body.deletedCount} of ${first.length} records of ${tag} were deleted`);
  }
}

/** @param {Worker} worker */
async function get(worker) {
  const track = anyOwn(worker);
  if (track === undefined) return;
  const outcome = await worker.send({ method: 'GET', path: worker.scene.records(THINGS, track.id) });
  judgeRefusal(worker, outcome, `a get of ${track.marker}`);
  if (outcome.certainty === 'done') judgeRecord(worker, track, outcome.body, 'read');
}

/** @param {Worker} worker */
async function list(worker) {
  const { name, model, scene } = worker;
  const search = new URLSearchParams({
    search: `Tag:${name}g`,
    limit: '100',
    sortKey: 'createdAt',
    sortOrder: 'ascending',
  });
  const outcome = await worker.send({ method: 'GET', path: `${scene.records(THINGS)}?${search}` });
  judgeRefusal(worker, outcome, 'a search');
  if (outcome.certainty !== 'done') return;
  const found = new Map(outcome.body.map((/** @type {any} */ record) => [record.values[COLUMN.code]?.value, record]));
  if (found.size !== outcome.body.length) worker.violation(`${name} has a record twice`);
  const whole = outcome.body.length < 100;
  for (const [marker, track] of model.records) {
    if (track.collection !== THINGS || !marker.startsWith(`${name}n`)) continue;
    const record = found.get(marker);
    if ((whole || record !== undefined) && !mayBe(track, record?.values ?? null)) {
      worker.violation(`a search finds ${marker} as ${JSON.stringify(record?.values)}`);
    }
  }
}

/** @type {Record<string, import('./worker.mjs').Operation>} */
export const RECORD_OPERATIONS = {
  'records created': { weight: 10, run: (worker) => create(worker, 1) },
  'batches created': { weight: 6, run: (worker) => create(worker, worker.random.between(2, 8)) },
  'batches that stop': { weight: 2, run: createStopped },
  'records updated': { weight: 8, run: (worker) => update(worker, false) },
  'records updated with If-Match': { weight: 8, run: (worker) => update(worker, true) },
  'updates with a stale If-Match': { weight: 2, run: updateStale },
  'batches updated': { weight: 4, run: updateMany },
  'records deleted': { weight: 3, run: deleteOne },
  'deletions by search': { weight: 1, run: deleteGroup },
  'records read': { weight: 8, run: get },
  searches: { weight: 3, run: list },
};
