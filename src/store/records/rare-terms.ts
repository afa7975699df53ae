// Which search terms are rare, known before the search. The index finds a term by its trigrams, so a term is rare, and
// cheap to find, if one of its trigrams is. ANALYZE keeps about a hundred search texts of each collection, chosen at
// random, for the planner. We remember which trigrams occur in them: of 2^16 bits, the one for each.
//
// The planner itself compares a term with each of those texts, every time a search is planned: that took 250 of the 400 µs
// of a search with seven hits among 100,000 records. A trigram that is in none of them is in at most 3 % of all
// records, with a probability of 95 %.

import { SEARCH_TEXT } from '../../domain/records/projections.ts';
import type { Condition } from '../../domain/search/condition.ts';
import { searchTerm } from '../../domain/search/search-text.ts';
import { BoundedMap } from '../../load/bounded-map.ts';
import type { Writer } from '../database/handles.ts';
import { isOwnText } from './search-texts.ts';
import { tableOf } from './tables.ts';

/** 8 KB each. */
const SAMPLES_MAX = 1_000;
const HASH_BITS = 16;
const SAMPLE_MS = 300_000;
/** Longer texts are missing among the planner's, and comparing them takes long. */
const WIDTH_MAX = 1_024;
/** From six terms on, a search is read in another way (store/records/search-texts). */
const TERMS_MAX = 5;

interface Sample {
  /** Undefined while nothing is known: then no term is rare. */
  readonly bits: Uint32Array | undefined;
  /** The trigrams that the index has. */
  readonly indexed: RegExp;
  readonly readAt: number;
}

/** Only letters and digits are in the index; with the character type C, only those of ASCII. */
const ANY = /^[\p{L}\p{N}]{3}$/u;
const ASCII = /^[a-z0-9]{3}$/;
const NONE = /(?!)/;

const samples = new BoundedMap<string, Sample>(SAMPLES_MAX);

/** The character type of the database, and search texts of the collection, joined. A table that was never analysed has none. */
const SAMPLED_TEXTS = `select (select datctype from pg_database where datname = current_database()),
    array_to_string(histogram_bounds::text::text[], chr(1)), array_to_string(most_common_vals::text::text[], chr(1))
  from pg_stats where schemaname = $1 and tablename = $2 and attname = $3 and avg_width <= $4`;

/** The terms of a search that consists of nothing else, all of them in the record's own text. */
function termsOf(condition: Condition): string[] | undefined {
  const parts = condition.kind === 'and' ? condition.parts : [condition];
  if (parts.length > TERMS_MAX) return undefined;
  const terms: string[] = [];
  for (const part of parts) {
    if (part.kind !== 'contains' || part.term === '' || !isOwnText(part)) return undefined;
    const { text, implies } = searchTerm(part.term);
    if (implies === undefined || !('every' in implies)) return undefined;
    terms.push(text);
  }
  return terms;
}

/**
 * Whether the condition consists of terms of which one is rare. Reads the sample in the background if it is missing or
 * old: this search does not wait for it.
 */
export function hasFewMatches(condition: Condition, collectionId: string, store: Writer): boolean {
  const terms = termsOf(condition);
  if (terms === undefined) return false;
  const name = tableOf(store.schema, collectionId);
  const sample = samples.get(name);
  if (sample === undefined || performance.now() - sample.readAt > SAMPLE_MS) {
    samples.set(name, { bits: undefined, indexed: NONE, ...sample, readAt: performance.now() });
    readSample(name, collectionId, store).catch(() => undefined);
  }
  return sample !== undefined && terms.some((term) => isRare(sample, term));
}

/** The condition has many matches: as long as this sample is used, its terms are not rare. */
export function learnFrequent(condition: Condition, collectionId: string, store: Writer): void {
  const bits = samples.get(tableOf(store.schema, collectionId))?.bits;
  if (bits === undefined) return;
  for (const term of termsOf(condition) ?? []) addTrigrams(bits, term);
}

/** For no single request: it is neither counted among the statements of one nor cancelled with it. */
async function readSample(name: string, collectionId: string, store: Writer): Promise<void> {
  const rows = await store.joined().rows(SAMPLED_TEXTS, [store.schema, collectionId, SEARCH_TEXT, WIDTH_MAX]);
  const [[characterType, ...parts] = []] = rows as (string | null)[][];
  const texts = parts.filter((text) => text !== null);
  const bits = texts.length === 0 ? undefined : new Uint32Array(2 ** HASH_BITS / 32);
  if (bits !== undefined) for (const text of texts) addTrigrams(bits, text);
  const indexed = /^(?:C|POSIX)$/.test(characterType ?? '') ? ASCII : ANY;
  samples.set(name, { bits, indexed, readAt: performance.now() });
}

function addTrigrams(bits: Uint32Array, text: string): void {
  for (let at = 0; at + 3 <= text.length; at++) {
    const bit = bitOf(text, at);
    bits[bit >>> 5]! |= 1 << (bit & 31);
  }
}

function isRare({ bits, indexed }: Sample, term: string): boolean {
  if (bits === undefined) return false;
  for (let at = 0; at + 3 <= term.length; at++) {
    const bit = bitOf(term, at);
    if ((bits[bit >>> 5]! & (1 << (bit & 31))) === 0 && indexed.test(term.slice(at, at + 3))) return true;
  }
  return false;
}

/** A multiplicative hash of three characters. */
function bitOf(text: string, at: number): number {
  const first = Math.imul(text.charCodeAt(at), 0x9e3779b1) ^ text.charCodeAt(at + 1);
  const both = Math.imul(first, 0x85ebca6b) ^ text.charCodeAt(at + 2);
  return Math.imul(both ^ (both >>> 15), 0xc2b2ae35) >>> (32 - HASH_BITS);
}
