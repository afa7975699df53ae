// A cache of record texts that this node recently read or wrote, so that an update of some columns need not read the
// record first. An entry may be outdated: such an update names the hash that it built on, and the database applies it
// only if the record still has that hash.

import type { RecordText } from '../../domain/records/record-text.ts';

const KNOWN_CHARACTERS_MAX = 16 * 1024 * 1024;
/** One long record must not push out thousands of short ones. */
const KNOWN_RECORD_CHARACTERS_MAX = 64 * 1024;

export class KnownRecords {
  readonly #texts = new Map<string, string>();
  #characters = 0;

  get(collectionPath: string, recordId: string): string | undefined {
    return this.#texts.get(collectionPath + recordId);
  }

  learn(collectionPath: string, recordId: string, text: RecordText): void {
    const key = collectionPath + recordId;
    this.forget(collectionPath, recordId);
    if (typeof text !== 'string' || text.length > KNOWN_RECORD_CHARACTERS_MAX) return;
    this.#texts.set(key, text);
    this.#characters += text.length;
    for (const [oldest, { length }] of this.#texts) {
      if (this.#characters <= KNOWN_CHARACTERS_MAX) break;
      this.#texts.delete(oldest);
      this.#characters -= length;
    }
  }

  forget(collectionPath: string, recordId: string): void {
    const key = collectionPath + recordId;
    const known = this.#texts.get(key);
    if (known === undefined) return;
    this.#texts.delete(key);
    this.#characters -= known.length;
  }
}
