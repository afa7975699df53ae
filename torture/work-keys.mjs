// @ts-check
// What clients do by keys: upserts of keys of their own, and unique values that many of them want at the same time.

import { addTrack, note, noteMaybe, stateOf } from './model.mjs';
import { CLAIMS, COLUMN, KEYED } from './scene.mjs';
import { judgeRecord, number, text } from './work-records.mjs';
import { judgeRefusal } from './worker.mjs';

/** @typedef {import('./worker.mjs').Worker} Worker */

const KEYS_EACH = 6;
const CLAIMS_IN_ALL = 400;

/**
 * Keys of its own: after a request without a reply the key is sent with the same amount until it is decided, and then left
 * alone, since what was lost may still arrive.
 * @param {Worker} worker
 */
async function upsert(worker) {
  const { random, model, name, scene } = worker;
  const keys = [...model.records.values()].filter(
    ({ collection, marker, settled }) => collection === KEYED && settled && marker.startsWith(`${name}n`),
  );
  const isNew = keys.length < KEYS_EACH || random.chance(0.2);
  const track = isNew ? addTrack(model, KEYED, worker.marker()) : random.pick(keys);
  const values = { [COLUMN.key]: text(track.marker), [COLUMN.amount]: number(random.integer(1_000_000)) };
  const sent = { method: 'PATCH', path: `${scene.records(KEYED)}/upsert/${COLUMN.key}`, json: { values } };
  const change = stateOf(track) === null ? 'create' : 'update';
  const first = await worker.send(sent);
  judgeRefusal(worker, first, `an upsert of ${track.marker}`);
  if (first.certainty === 'refused') return;
  if (first.certainty === 'done') {
    note(track, change, values);
    return judgeRecord(worker, track, first.body, 'write');
  }
  noteMaybe(track, change, values);
  const again = await worker.insist(sent);
  judgeRefusal(worker, again, `a repeated upsert of ${track.marker}`);
  // Whichever of them came first created it.
  track.changes.update.maybe += TRIES_COUNTED;
  if (again.certainty !== 'done') return;
  track.states = [values];
  track.id = again.body.id;
  if (change === 'create') {
    track.changes.create = { done: 1, maybe: 0 };
  }
}

/** So many updates may have been made by repetitions. */
const TRIES_COUNTED = 60;

/** @param {Worker} worker */
async function remove(worker) {
  const { model, name, scene, random } = worker;
  const keys = [...model.records.values()].filter(
    (track) =>
      track.collection === KEYED && track.settled && track.marker.startsWith(`${name}n`) && stateOf(track) !== null,
  );
  if (keys.length === 0) return;
  const track = random.pick(keys);
  const outcome = await worker.send({ method: 'DELETE', path: scene.records(KEYED, track.id) });
  judgeRefusal(worker, outcome, `the deletion of ${track.marker}`);
  if (outcome.certainty === 'maybe') noteMaybe(track, 'delete', null);
  if (outcome.certainty !== 'done') return;
  note(track, 'delete', null);
  // Its key may be created again, as another record.
  track.settled = false;
}

/** @param {Worker} worker */
async function claim(worker) {
  const { random, model, scene } = worker;
  const value = `claim ${random.integer(CLAIMS_IN_ALL)}`;
  const found = model.claims.get(value) ?? { winners: [], maybe: 0, refused: 0 };
  model.claims.set(value, found);
  found.maybe += 1;
  const json = { values: { [COLUMN.claim]: text(value) } };
  const outcome = await worker.send({ method: 'POST', path: scene.records(CLAIMS), json });
  if (outcome.certainty !== 'maybe') found.maybe -= 1;
  if (outcome.certainty === 'done') found.winners.push(outcome.body.id);
  if (outcome.code === 'DUPLICATED_VALUES') {
    found.refused += 1;
    if (found.winners.length + found.maybe === 0) worker.violation(`${value} is refused and nobody has it`);
  } else judgeRefusal(worker, outcome, 'a claim');
  if (found.winners.length > 1) worker.violation(`${value} was given to ${found.winners.join(' and ')}`);
}

/** @type {Record<string, import('./worker.mjs').Operation>} */
export const KEY_OPERATIONS = {
  'records upserted': { weight: 8, run: upsert },
  'upserted records deleted': { weight: 1, run: remove },
  'unique values claimed': { weight: 8, run: claim },
};
