// @ts-check
// Chance that can be repeated: the same seed gives the same choices, and each part of a round draws from a generator of its
// own, so that a part that draws once more does not change what the others choose.

/**
 * @typedef {object} Random
 * @property {() => number} unit from 0 up to 1, without 1
 * @property {(below: number) => number} integer
 * @property {(from: number, to: number) => number} between whole numbers, both included
 * @property {(probability: number) => boolean} chance
 * @property {<T>(elements: readonly T[]) => T} pick
 * @property {<T>(weights: Readonly<Record<string, T>>, weightOf: (element: T) => number) => string} weighted
 * @property {(label: string) => Random} part
 */

/** The sequence of a seed (mulberry32). @param {number} seed */
function sequence(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Of a text (FNV-1a). @param {string} text @param {number} seed */
function hashOf(text, seed) {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash;
}

/** @param {number} seed @returns {Random} */
export function seeded(seed) {
  const unit = sequence(seed);
  const integer = (/** @type {number} */ below) => Math.floor(unit() * below);
  /** @type {Random['pick']} */
  const pick = (elements) => {
    if (elements.length === 0) throw new Error('there is nothing to pick from');
    return /** @type {(typeof elements)[number]} */ (elements[integer(elements.length)]);
  };
  return {
    unit,
    integer,
    between: (from, to) => from + integer(to - from + 1),
    chance: (probability) => unit() < probability,
    pick,
    weighted: (table, weightOf) => {
      const rows = Object.entries(table);
      let left = unit() * rows.reduce((sum, [, element]) => sum + weightOf(element), 0);
      for (const [name, element] of rows) {
        left -= weightOf(element);
        if (left < 0) return name;
      }
      return pick(rows)[0];
    },
    part: (label) => seeded(hashOf(label, seed)),
  };
}
