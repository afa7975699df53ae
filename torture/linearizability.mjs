// @ts-check
// Whether the history of one register can be explained by operations that happen one at a time, each at a moment between its
// call and its reply: the search of Wing and Gong, with Lowe's memory of what was tried. A register is a record found by a
// unique key: absent, or with an ID, which a new record of the key does not share, and a value.

/**
 * @typedef {{ id: string | null, value: number } | undefined} State undefined: no record; an ID of null is not known yet
 *
 * @typedef {object} Step one operation
 * @property {'read' | 'upsert' | 'get' | 'put' | 'delete'} kind
 * @property {number} called
 * @property {number} returned infinite without a reply: then it may have happened at any time since, or not at all
 * @property {string} [id] of the record that it names
 * @property {number} [value] that it writes
 * @property {number} [expected] with If-Match: the value that must be there
 * @property {{ status: number, id?: string, value?: number }} [reply]
 *
 * @typedef {{ verdict: 'linearizable' | 'violation' | 'undecided', tried: number }} Judgement
 */

const TRIES_MAX = 2_000_000;

/** The states after a step that was not answered. @param {State} state @param {Step} step @returns {State} */
function applied(state, { kind, id, value = 0, expected }) {
  if (kind === 'upsert') return { id: state === undefined ? null : state.id, value };
  if (state === undefined || state.id !== id || (expected !== undefined && state.value !== expected)) return state;
  if (kind === 'put') return { id: state.id, value };
  return kind === 'delete' ? undefined : state;
}

/** @param {State} state @param {string | undefined} id that the reply has shown */
const agrees = (state, id) => state !== undefined && (state.id === id || state.id === null);

/**
 * The state after an answered step, or false if the reply cannot come from this state.
 * @param {State} state @param {Step} step @returns {State | false}
 */
function explained(state, step) {
  const { kind, id, value = 0, expected, reply = { status: 0 } } = step;
  const shown = { id: reply.id ?? null, value: reply.value ?? 0 };
  if (kind === 'upsert') return state === undefined || agrees(state, reply.id) ? { id: shown.id, value } : false;
  if (kind === 'read') {
    if (reply.id === undefined) return state === undefined ? undefined : false;
    return agrees(state, reply.id) && state?.value === shown.value ? shown : false;
  }
  // Whoever knows an ID was told it: a state whose ID nobody knows is another record.
  const isIt = state !== undefined && state.id === id;
  if (reply.status === 404) return isIt ? false : state;
  if (!isIt) return false;
  if (reply.status === 412) return state.value !== expected ? state : false;
  if (expected !== undefined && state.value !== expected) return false;
  if (kind === 'get') return state.value === shown.value ? state : false;
  return kind === 'put' ? { id: state.id, value } : undefined;
}

/** @param {State} state */
const keyOf = (state) => (state === undefined ? '-' : `${state.id} ${state.value}`);

/**
 * Depth first: a step may come next if it was called before every reply that is still to come. What was tried is kept as
 * the set of steps that were placed, and the state.
 * @param {readonly Step[]} history in any order
 * @param {number} [triesMax]
 * @returns {Judgement}
 */
export function judgeHistory(history, triesMax = TRIES_MAX) {
  const steps = [...history].sort((a, b) => a.called - b.called);
  const answered = steps.filter(({ returned }) => Number.isFinite(returned)).length;
  const placed = new Uint8Array(steps.length);
  const seen = new Set();
  /** @type {State} */
  let state;
  let done = 0;
  let tried = 0;
  /** @type {{ at: number, before: State }[]} */
  const stack = [];
  let from = 0;
  for (;;) {
    if (done === answered) return { verdict: 'linearizable', tried };
    const next = nextStep(steps, placed, state, from);
    if (next === undefined) {
      const last = stack.pop();
      if (last === undefined) return { verdict: 'violation', tried };
      placed[last.at] = 0;
      state = last.before;
      if (Number.isFinite(steps[last.at]?.returned)) done -= 1;
      from = last.at + 1;
      continue;
    }
    tried += 1;
    if (tried > triesMax) return { verdict: 'undecided', tried };
    placed[next.at] = 1;
    const mark = `${packed(placed)} ${keyOf(next.after)}`;
    if (seen.has(mark)) {
      placed[next.at] = 0;
      from = next.at + 1;
      continue;
    }
    seen.add(mark);
    stack.push({ at: next.at, before: state });
    state = next.after;
    if (Number.isFinite(steps[next.at]?.returned)) done += 1;
    from = 0;
  }
}

/**
 * The first step from an index on that may come next in this state.
 * @param {readonly Step[]} steps @param {Uint8Array} placed @param {State} state @param {number} from
 * @returns {{ at: number, after: State } | undefined}
 */
function nextStep(steps, placed, state, from) {
  let firstReturn = Number.POSITIVE_INFINITY;
  for (const [at, step] of steps.entries()) {
    if (step.called > firstReturn) break;
    if (!placed[at]) firstReturn = Math.min(firstReturn, step.returned);
  }
  for (let at = from; at < steps.length; at++) {
    const step = steps[at];
    if (step === undefined || step.called > firstReturn) return undefined;
    if (placed[at]) continue;
    if (!Number.isFinite(step.returned)) {
      const after = applied(state, step);
      // Without an effect it need not have happened.
      if (keyOf(after) !== keyOf(state)) return { at, after };
      continue;
    }
    const after = explained(state, step);
    if (after !== false) return { at, after };
  }
  return undefined;
}

/** The steps that were placed: the first gap, and what is placed after it. @param {Uint8Array} placed */
function packed(placed) {
  const gap = placed.indexOf(0);
  if (gap < 0) return 'all';
  const last = placed.lastIndexOf(1);
  return last < gap ? String(gap) : `${gap}:${String.fromCharCode(...bits(placed, gap, last))}`;
}

/** @param {Uint8Array} placed @param {number} from @param {number} to */
function bits(placed, from, to) {
  /** @type {number[]} */
  const words = [];
  for (let at = from; at <= to; at++) {
    const word = (at - from) >> 3;
    words[word] = (words[word] ?? 0) | ((placed[at] ?? 0) << ((at - from) & 7));
  }
  return words;
}
