// @ts-check
// The most expensive searches that the language allows.

import { requestBytes } from '../requests.mjs';
import { benchPath, collectionPath } from './application.mjs';
import { attack } from './attack.mjs';
import { flood } from './sending.mjs';
import { SOUGHT_WORDS } from './stock.mjs';

const CONNECTIONS = 8;
const CRITERIA_MAX = 64;
const LENGTH_MAX = 4_096;

/** @param {import('./attack.mjs').Scene} scene @param {string} collection @param {string} search */
const searching = (scene, collection, search) =>
  requestBytes(scene, { method: 'GET', path: `${collection}/records?search=${encodeURIComponent(search)}` });

/** The same number for the same seed. @param {number} seed */
const shuffled = (seed) => Math.imul(seed + 1, 0x9e3779b1) >>> 0;

/**
 * A search whose form no other has, and whose statement is as long as can be: numbers of two digits are looked for in every
 * column, as texts and as numbers. A unique code makes it one whose statement is worth keeping, and a long word fills it up.
 * @param {number} n
 */
function formOf(n) {
  const parts = [`Code=K${n}`];
  for (let i = 1; i < CRITERIA_MAX - 1; i++) {
    const dice = shuffled(n * CRITERIA_MAX + i) >>> 8;
    parts.push(`${dice & 1 ? '-' : ''}${dice & 2 ? 'Text:' : ''}${10 + (dice % 90)}`);
  }
  const short = `${parts.join(' ')} -`;
  return short + 'x'.repeat(LENGTH_MAX - short.length);
}

export const SEARCHES = [
  attack({
    name: 'search-equality',
    sentence: '8 connections that search for one record of 1 MB by its code and 63 words at its end',
    needs: ['sought'],
    takesMemory: true,
    run: async (scene) => {
      const bytes = searching(scene, collectionPath('sought'), ['Code=abc', ...SOUGHT_WORDS].join(' '));
      await flood(scene, { connections: CONNECTIONS, request: () => bytes });
    },
  }),
  attack({
    name: 'search-nots',
    sentence: '8 connections that search 20,000 records with 64 negated terms and find none',
    needs: ['many'],
    run: async (scene) => {
      const words = Array.from({ length: CRITERIA_MAX - 1 }, (_, i) => `-absent${i}`);
      const bytes = searching(scene, benchPath('items'), [...words, '-e'].join(' '));
      await flood(scene, { connections: CONNECTIONS, request: () => bytes });
    },
  }),
  attack({
    name: 'search-pages',
    sentence: '8 connections that list 100 records that each reference a value of 1 MB',
    needs: ['refers'],
    takesMemory: true,
    leadMs: 2_500,
    run: async (scene) => {
      const bytes = requestBytes(scene, { method: 'GET', path: `${collectionPath('refers')}/records` });
      await flood(scene, { connections: CONNECTIONS, request: () => bytes });
    },
  }),
  attack({
    name: 'search-texts',
    sentence:
      '8 connections that send searches of 4,096 characters with 64 terms over 62 columns, no two with the same structure',
    takesMemory: true,
    run: async (scene) => {
      // Searches also differ between rounds and processes.
      const first = Math.floor(Math.random() * 1e8);
      const request = (/** @type {number} */ n) => searching(scene, collectionPath('wide'), formOf(first + n));
      await flood(scene, { connections: CONNECTIONS, perSecond: 100, request });
    },
  }),
];
