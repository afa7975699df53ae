// @ts-check
// The work: the collections as a publish document, and their records, the same on every machine and in every run.
// Record n of a collection of N depends on n and N alone.

import { FREQUENT, JAPANESE, LATIN, RARE, RARE_CARRIER, RARE_HITS } from './vocabulary.mjs';

/** @typedef {Record<string, { type: string, [member: string]: unknown } | null>} Values */

/** @typedef {{ name: string, type: string, sortable?: boolean, searchable?: boolean, unique?: boolean, scheme?: object }} ColumnPlan */

/** The columns that everything is measured on. @type {readonly ColumnPlan[]} */
const COLUMNS = [
  { name: 'Title', type: 'String', sortable: true, searchable: true },
  { name: 'Body', type: 'String', searchable: true },
  { name: 'Amount', type: 'Number', sortable: true },
  { name: 'Rank', type: 'Number' },
  { name: 'Done', type: 'Boolean' },
  { name: 'Due', type: 'Date' },
  { name: 'Seen', type: 'DateTime' },
  { name: 'Code', type: 'String', unique: true, searchable: true },
];

// Identifiers are given rather than assigned, so that nothing has to be looked up.
export const APPLICATION = `p${'bench'.padEnd(26, '0')}`;
/** The same once more, for what two applications have to share. */
export const NEIGHBOUR = `p${'neighbour'.padEnd(26, '0')}`;
export const COLLECTIONS = {
  /** The collection that is measured, and the same ten times as large. */
  items: 'titems00',
  large: 'tlarge00',
  /** Without sort, search and uniqueness: a scenario adds them. */
  plain: 'tplain00',
  /** Two references to a record of the places in each record. */
  places: 'tplaces0',
  linked: 'tlinked0',
};
/** @typedef {keyof typeof COLLECTIONS} CollectionName */

/** @param {CollectionName} collection @param {string} name */
export const columnId = (collection, name) =>
  `c${collection[0]}${collection[1]}${name.toLowerCase().padEnd(5, '0').slice(0, 5)}`;

/** Digits of a code after its letter; all codes have the same width, so that they can be overwritten in place. */
export const CODE_DIGITS = 9;
/** Amounts have seven digits for the same reason. */
export const AMOUNT_MIN = 1_000_000;
export const AMOUNTS = 9_000_000;
const TITLE_CHARACTERS = 40;
const BODY_CHARACTERS = 200;
const DAY_MS = 86_400_000;
const FIRST_DAY_MS = Date.UTC(2020, 0, 1);

/**
 * @param {Partial<Record<string, Partial<ColumnPlan>>>} [plainFlags] flags of columns of the plain collection, by name
 * @param {string} [id]
 */
export function publishDocument(plainFlags = {}, id = APPLICATION) {
  /** @param {string} name */
  const scheme = (name) => ({ collectionId: COLLECTIONS.places, columnId: columnId('places', name) });
  /** @type {Record<CollectionName, readonly ColumnPlan[]>} */
  const columns = {
    items: COLUMNS,
    large: COLUMNS,
    plain: COLUMNS.map(({ name, type }) => ({ name, type, ...plainFlags[name] })),
    places: [
      { name: 'Name', type: 'String' },
      { name: 'Seats', type: 'Number' },
    ],
    linked: [
      ...COLUMNS,
      { name: 'Place', type: 'ReferenceString', scheme: scheme('Name') },
      { name: 'Limit', type: 'ReferenceNumber', scheme: scheme('Seats') },
    ],
  };
  return {
    id,
    name: 'Bench',
    organization: 'Bench',
    // Set high: every request is counted, and none is refused.
    plan: 'custom',
    limits: { 'records-read': 1_000_000_000, 'records-write': 1_000_000_000 },
    activityLogEnabled: true,
    collections: /** @type {CollectionName[]} */ (Object.keys(COLLECTIONS)).map((name) => ({
      id: COLLECTIONS[name],
      name,
      readAccessType: 'everyone',
      writeAccessType: 'everyone',
      columns: columns[name].map((column) => ({ id: columnId(name, column.name), ...column })),
    })),
  };
}

/** Even steps through numbers that depend on the seed alone. @param {number} seed @returns {() => number} below 1 */
function dice(seed) {
  let state = (Math.imul(seed + 1, 0x9e3779b1) ^ 0x85ebca6b) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @param {readonly string[]} words @param {() => number} roll */
const pick = (words, roll) => words[Math.floor(roll() * words.length)] ?? '';

/** @param {number} n */
export const codeOf = (n) => `K${String(n).padStart(CODE_DIGITS, '0')}`;

/** Whether record n of `total` holds the rare words: the same number of records, spread evenly. @param {number} n @param {number} total */
export function isRare(n, total) {
  const step = Math.max(1, Math.floor(total / RARE_HITS));
  return n % step === step - 1 && n < step * RARE_HITS;
}

/** @param {() => number} roll */
function title(roll) {
  let text = pick(LATIN, roll);
  while (text.length < TITLE_CHARACTERS - 6) text += ` ${pick(LATIN, roll)}`;
  return text[0]?.toUpperCase() + text.slice(1);
}

/** @param {() => number} roll @param {readonly string[]} special */
function body(roll, special) {
  const words = [...special];
  for (let i = 0; i < 8; i++) words.push(pick(JAPANESE, roll) + pick(JAPANESE, roll));
  let length = words.join(' ').length;
  while (length < BODY_CHARACTERS) {
    const word = pick(LATIN, roll);
    words.push(word);
    length += word.length + 1;
  }
  // So that a special word stands anywhere.
  for (let i = words.length - 1; i > 0; i--) {
    const other = Math.floor(roll() * (i + 1));
    [words[i], words[other]] = [words[other] ?? '', words[i] ?? ''];
  }
  return words.join(' ');
}

/**
 * The values of record n.
 * @param {CollectionName} collection
 * @param {number} n
 * @param {{ total: number, placeIds?: readonly string[] }} of
 * @returns {Values}
 */
export function valuesOf(collection, n, { total, placeIds = [] }) {
  const named = collection === 'places' ? placeValues(n) : itemValues(n, total);
  if (collection === 'linked') {
    const roll = dice(-n - 1);
    const at = (/** @type {string} */ name) => ({
      collectionId: COLLECTIONS.places,
      columnId: columnId('places', name),
      recordId: pick(placeIds, roll),
    });
    named.Place = { type: 'ReferenceString', ...at('Name') };
    named.Limit = { type: 'ReferenceNumber', ...at('Seats') };
  }
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [columnId(collection, name), value]));
}

/** @param {number} n @param {number} total @returns {Values} by name */
function itemValues(n, total) {
  const roll = dice(n);
  const frequent = roll() < 0.3 ? [FREQUENT] : [];
  const rare = isRare(n, total) ? [RARE.latin, RARE.japanese, RARE_CARRIER] : [];
  return {
    Title: { type: 'String', value: title(roll) },
    Body: { type: 'String', value: body(roll, [...frequent, ...rare]) },
    Amount: { type: 'Number', value: AMOUNT_MIN + Math.floor(roll() * AMOUNTS) },
    Rank: { type: 'Number', value: Math.floor(roll() * 100_000) / 100 },
    Done: { type: 'Boolean', value: roll() < 0.5 },
    Due: {
      type: 'Date',
      value: new Date(FIRST_DAY_MS + Math.floor(roll() * 3000) * DAY_MS).toISOString().slice(0, 10),
    },
    Seen: { type: 'DateTime', value: new Date(FIRST_DAY_MS + Math.floor(roll() * 3000 * DAY_MS)).toISOString() },
    Code: { type: 'String', value: codeOf(n) },
  };
}

/** @param {number} n @returns {Values} by name */
function placeValues(n) {
  const roll = dice(n);
  return {
    Name: { type: 'String', value: `${title(roll)} ${n}` },
    Seats: { type: 'Number', value: Math.floor(roll() * 500) },
  };
}
