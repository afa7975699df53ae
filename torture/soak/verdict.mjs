// @ts-check
// Whether what was sampled is flat. The rule: after the warm-up, the median of the last fifth of the time is at most 15 % and
// a constant above that of the first fifth. Samples that a fault met do not count. The constants are what garbage
// collection, pools and a busy machine leave to chance; a leak that fits into them for an hour takes weeks to hurt.

import { median } from '../fuzz/growth.mjs';

/**
 * @typedef {import('./samples.mjs').Sample} Sample
 *
 * @typedef {object} Figure
 * @property {string} name
 * @property {'MB' | 'ms' | ''} unit
 * @property {number} margin
 * @property {(sample: Sample) => number | undefined} of
 * @property {boolean} [isRare] whether there may be too few samples of it
 *
 * @typedef {object} Judged
 * @property {Figure} figure
 * @property {number | undefined} first
 * @property {number | undefined} middle
 * @property {number | undefined} last
 * @property {'flat' | 'grows' | 'too few samples' | 'not judged'} verdict
 */

/** Memory and code of a new process still grow, so shorter soaks are not judged. */
const JUDGED_MINUTES = 20;
const WARM_UP = 0.1;
const GROWTH = 1.15;
const PARTS = 5;
const SAMPLES_LEAST = 5;
/** Nodes that are killed are compared at the same age. */
const AGE_SECONDS = { from: 60, to: 240 };
const MB = 2 ** 20;

/** @param {number | undefined} bytes */
const inMegabytes = (bytes) => (bytes === undefined ? undefined : bytes / MB);

/** @param {number} index @returns {Figure[]} */
function ofNode(index) {
  const isKilled = index > 0;
  const name = `node ${index + 1}`;
  const age = isKilled ? `, ${AGE_SECONDS.from / 60} to ${AGE_SECONDS.to / 60} minutes old` : '';
  const node = (/** @type {Sample} */ { nodes }) => nodes[index];
  const aged = (/** @type {Sample} */ sample) => {
    const found = node(sample);
    if (found === undefined || !isKilled) return found;
    return found.ageSeconds >= AGE_SECONDS.from && found.ageSeconds <= AGE_SECONDS.to ? found : undefined;
  };
  return [
    {
      name: `resident memory of ${name}${age}`,
      unit: 'MB',
      margin: 32,
      of: (sample) => inMegabytes(aged(sample)?.memory),
      isRare: isKilled,
    },
    {
      name: `heap in use of ${name}${age}`,
      unit: 'MB',
      margin: 24,
      of: (sample) => inMegabytes(aged(sample)?.heap),
      isRare: isKilled,
    },
    {
      name: `file handles of ${name}, without connections of clients`,
      unit: '',
      margin: 12,
      of: (sample) => node(sample)?.handles,
    },
    { name: `requests under way at ${name}`, unit: '', margin: 6, of: (sample) => node(sample)?.requests },
  ];
}

/** @param {number} nodes @returns {Figure[]} */
export const figuresOf = (nodes) => [
  ...Array.from({ length: nodes }, (_, index) => ofNode(index)).flat(),
  { name: 'connections of the database', unit: '', margin: 6, of: ({ connections }) => connections },
  { name: 'p50 of requests', unit: 'ms', margin: 3, of: ({ p50 }) => p50 },
  { name: 'p99 of requests', unit: 'ms', margin: 25, of: ({ p99 }) => p99 },
];

/** @param {readonly Sample[]} samples @param {{ minutes: number, nodes: number }} options @returns {Judged[]} */
export function judge(samples, { minutes, nodes }) {
  const [from, end] = [minutes * 60 * WARM_UP, minutes * 60];
  /** @param {Figure} figure @param {number} part */
  const valuesIn = ({ of }, part) => {
    const length = (end - from) / PARTS;
    const [begin, over] = [from + part * length, from + (part + 1) * length];
    const chosen = samples.filter(({ second, isMet }) => !isMet && second >= begin && second < over);
    return chosen.map(of).filter((value) => value !== undefined);
  };
  return figuresOf(nodes).map((figure) => {
    const parts = [0, Math.floor(PARTS / 2), PARTS - 1].map((part) => valuesIn(figure, part));
    const [first, middle, last] = parts.map((values) => (values.length === 0 ? undefined : median(values)));
    const isFlat = (last ?? 0) <= (first ?? 0) * GROWTH + figure.margin;
    const isEnough = parts.every(({ length }) => length >= SAMPLES_LEAST);
    const judged = isEnough ? (isFlat ? 'flat' : 'grows') : figure.isRare ? 'not judged' : 'too few samples';
    return { figure, first, middle, last, verdict: minutes < JUDGED_MINUTES ? 'not judged' : judged };
  });
}
