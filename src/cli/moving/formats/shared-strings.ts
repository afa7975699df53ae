// The texts that the cells of an Excel file refer to by number. There may be millions: beyond a bound they move to a
// temporary file, which the system removes with the process because it has no name.

import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BoundedMap } from '../../../load/bounded-map.ts';
import type { TextStore } from '../../../moving/formats/xlsx-read.ts';

const MEMORY_CHARACTERS_MAX = 16 * 1024 * 1024;
const BLOCK_BYTES = 256 * 1024;
const CACHED_MAX = 50_000;

export class SharedStrings implements TextStore {
  readonly #charactersMax: number;
  #texts: string[] = [];
  #characters = 0;
  #file: number | undefined;
  /** Where each text begins in the file, and after the last where it ends. */
  #offsets = new Float64Array(1024);
  #count = 0;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  readonly #cache = new BoundedMap<number, string>(CACHED_MAX);

  constructor(charactersMax = MEMORY_CHARACTERS_MAX) {
    this.#charactersMax = charactersMax;
  }

  add(text: string): void {
    if (this.#file !== undefined) {
      this.#append(text);
      return;
    }
    this.#texts.push(text);
    this.#characters += text.length;
    if (this.#characters > this.#charactersMax) this.#move();
  }

  get(index: number): string | undefined {
    if (this.#file === undefined) return this.#texts[index];
    if (!(index >= 0 && index < this.#count)) return undefined;
    const known = this.#cache.get(index);
    if (known !== undefined) return known;
    this.#flush();
    const [from = 0, to = 0] = this.#offsets.subarray(index, index + 2);
    const bytes = Buffer.alloc(to - from);
    readSync(this.#file, bytes, 0, bytes.length, from);
    const text = bytes.toString();
    this.#cache.set(index, text);
    return text;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#texts = [];
  }

  #move(): void {
    const folder = mkdtempSync(join(tmpdir(), 'cartulary-import-'));
    this.#file = openSync(join(folder, 'texts'), 'w+', 0o600);
    rmSync(folder, { recursive: true });
    const texts = this.#texts;
    this.#texts = [];
    for (const text of texts) this.#append(text);
  }

  #append(text: string): void {
    const bytes = Buffer.from(text);
    if (this.#count + 2 > this.#offsets.length) {
      const grown = new Float64Array(this.#offsets.length * 2);
      grown.set(this.#offsets);
      this.#offsets = grown;
    }
    this.#offsets[this.#count + 1] = (this.#offsets[this.#count] ?? 0) + bytes.length;
    this.#count += 1;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > BLOCK_BYTES) this.#flush();
  }

  #flush(): void {
    if (this.#file === undefined || this.#waitingBytes === 0) return;
    writeSync(this.#file, Buffer.concat(this.#waiting));
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}
