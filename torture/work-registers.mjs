// @ts-check
// Many clients read and write few records over all nodes, and write down what they called, what was replied and when: each
// record is a register whose history is checked after the round.

import { COLUMN, REGISTERS } from './scene.mjs';
import { number, text } from './work-records.mjs';
import { judgeRefusal } from './worker.mjs';

/** @typedef {import('./worker.mjs').Worker} Worker */

const REGISTERS_AT_ONCE = 3;
/** A register with more of them is left alone: each doubles what has to be tried. */
const UNANSWERED_MAX = 9;
const STEPS_MAX = 220;

/**
 * What clients know of a register: the values with which records were seen, by ID, and their hashes, by ID and value.
 * @typedef {{ seen: Map<string, number>, hashes: Map<string, string> }} Knowledge
 */

/** By history. @type {WeakMap<object, Knowledge>} */
const known = new WeakMap();
/** No value is written twice. */
let values = 0;

/** @param {Worker} worker */
function anyRegister({ random, model }) {
  /** @type {string[]} */
  const open = [];
  for (const [name, history] of model.registers) {
    const unanswered = history.filter(({ returned }) => returned === Number.POSITIVE_INFINITY).length;
    if (unanswered < UNANSWERED_MAX && history.length < STEPS_MAX) open.push(name);
  }
  while (open.length < REGISTERS_AT_ONCE) {
    const name = `register${model.registers.size + 1}`;
    model.registers.set(name, []);
    open.push(name);
  }
  const name = random.pick(open);
  return { name, history: /** @type {import('./linearizability.mjs').Step[]} */ (model.registers.get(name)) };
}

/** @param {Worker} worker */
async function step(worker) {
  const { random, scene } = worker;
  const { name, history } = anyRegister(worker);
  /** @type {Knowledge} */
  const knowledge = known.get(history) ?? { seen: new Map(), hashes: new Map() };
  known.set(history, knowledge);
  const { seen, hashes } = knowledge;
  const [id, expected] = seen.size === 0 ? [] : random.pick([...seen].slice(-2));
  const kind =
    id === undefined
      ? random.pick(['read', 'upsert'])
      : random.pick(['read', 'upsert', 'get', 'get', 'put', 'put', 'delete']);
  const value = ++values;
  const isConditional = kind === 'put' && random.chance(0.5);
  /** @type {import('./linearizability.mjs').Step} */
  const noted = {
    kind: /** @type {'read'} */ (kind),
    ...{ called: performance.now(), returned: Number.POSITIVE_INFINITY },
    ...(kind === 'upsert' || kind === 'put' ? { value } : {}),
    ...(kind === 'read' || kind === 'upsert' || id === undefined ? {} : { id }),
  };
  history.push(noted);
  const all = { [COLUMN.register]: text(name), [COLUMN.value]: number(value) };
  const search = new URLSearchParams({ search: `Register=${name}` });
  const record = scene.records(REGISTERS, id);
  const sent = {
    read: { method: 'GET', path: `${scene.records(REGISTERS)}?${search}` },
    upsert: { method: 'PATCH', path: `${scene.records(REGISTERS)}/upsert/${COLUMN.register}`, json: { values: all } },
    get: { method: 'GET', path: record },
    put: { method: 'PUT', path: record, json: { values: all } },
    delete: { method: 'DELETE', path: record },
  }[kind];
  if (sent === undefined) return;
  const hash = hashes.get(`${id} ${expected}`);
  const condition = isConditional && hash !== undefined ? { headers: { 'if-match': `"${hash}"` } } : {};
  if (isConditional && hash !== undefined && expected !== undefined) noted.expected = expected;
  const outcome = await worker.send({ ...sent, ...condition });
  finish(worker, { history, noted, ...knowledge }, outcome);
}

/**
 * @param {Worker} worker
 * @param {Knowledge & { history: import('./linearizability.mjs').Step[], noted: import('./linearizability.mjs').Step }} at
 * @param {import('./client.mjs').Outcome} outcome
 */
function finish(worker, { history, seen, hashes, noted }, outcome) {
  const { status, certainty, body } = outcome;
  const isRead = noted.kind === 'read' || noted.kind === 'get';
  const isPlain = status === 404 || status === 412;
  if (!isPlain) judgeRefusal(worker, outcome, `a ${noted.kind} of a register`);
  // What was not done, and a read that showed nothing, says nothing.
  if ((certainty === 'refused' && !isPlain) || (isRead && certainty === 'maybe'))
    history.splice(history.indexOf(noted), 1);
  if (certainty === 'maybe' || (certainty === 'refused' && !isPlain)) return;
  noted.returned = performance.now();
  const found = Array.isArray(body) ? body[0] : isPlain ? undefined : body;
  if (Array.isArray(body) && body.length > 1) worker.violation('a register has two records');
  noted.reply = { status };
  if (found === undefined) return;
  const value = found.values[COLUMN.value].value;
  noted.reply = { status, id: found.id, value };
  hashes.set(`${found.id} ${value}`, found.hash);
  seen.delete(found.id);
  seen.set(found.id, value);
}

/** @type {Record<string, import('./worker.mjs').Operation>} */
export const REGISTER_OPERATIONS = { 'steps of registers': { weight: 1, run: step } };
