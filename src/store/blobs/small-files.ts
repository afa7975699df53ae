// Small files in memory: those that are asked for again and again are kept, within a bound that the applications share. The
// bytes under a key never change, so a kept file is never stale; who may fetch it is decided by its row, each time anew.

import { BoundedMap } from '../../load/bounded-map.ts';
import { partOfHeap } from '../../load/heap.ts';
import type { BlobKey, Blobs } from './blobs.ts';
import { fileNameOf } from './keys.ts';

/** Larger files are read while they are sent. The memory of a slow reader, who gets all of a small file at once. */
export const SMALL_FILE_BYTES_MAX = 128 * 1024;

const PART_OF_HEAP = 1 / 128;
const KEPT_BYTES_MAX = 16 * 1024 * 1024;
/** Keys that were read once, so that the second read keeps the file: a walk through many files replaces nothing. */
const ONCE_READ_MAX = 10_000;

/** The kept files of one application, the one that was not asked for longest first. */
interface KeptFiles {
  bytes: number;
  readonly files: Map<string, Buffer>;
}

class SmallFiles {
  readonly #bytesMax: number;
  readonly #applications = new Map<string, KeptFiles>();
  readonly #onceRead = new BoundedMap<string, true>(ONCE_READ_MAX);
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get(key: BlobKey): Buffer | undefined {
    const files = this.#applications.get(key.applicationId)?.files;
    const name = fileNameOf(key);
    const bytes = files?.get(name);
    if (files === undefined || bytes === undefined) return undefined;
    files.delete(name);
    files.set(name, bytes);
    return bytes;
  }

  /** Keeps the file if it was read before. */
  add(key: BlobKey, bytes: Buffer): void {
    const { applicationId } = key;
    const name = fileNameOf(key);
    const path = `${applicationId}/${name}`;
    if (!this.#onceRead.delete(path)) {
      this.#onceRead.set(path, true);
      return;
    }
    this.remove(key);
    const kept = this.#applications.get(applicationId) ?? { bytes: 0, files: new Map() };
    this.#applications.set(applicationId, kept);
    kept.files.set(name, bytes);
    kept.bytes += bytes.length;
    this.#bytes += bytes.length;
    while (this.#bytes > this.#bytesMax) this.#removeOldest();
  }

  remove(key: BlobKey): void {
    const kept = this.#applications.get(key.applicationId);
    if (kept !== undefined) this.#drop(key.applicationId, kept, fileNameOf(key));
  }

  /** The file of the attachment and its parts. */
  removeAll({ applicationId, attachmentId }: BlobKey): void {
    const kept = this.#applications.get(applicationId);
    if (kept === undefined) return;
    for (const name of kept.files.keys()) if (name.startsWith(attachmentId)) this.#drop(applicationId, kept, name);
  }

  /** Of the application that keeps the most bytes, so that others do not pay for it. */
  #removeOldest(): void {
    let largest: [string, KeptFiles] | undefined;
    for (const one of this.#applications) if (largest === undefined || one[1].bytes > largest[1].bytes) largest = one;
    const oldest = largest?.[1].files.keys().next();
    if (largest !== undefined && oldest?.done === false) this.#drop(...largest, oldest.value);
  }

  #drop(applicationId: string, kept: KeptFiles, name: string): void {
    const bytes = kept.files.get(name)?.length;
    if (bytes === undefined) return;
    kept.files.delete(name);
    kept.bytes -= bytes;
    this.#bytes -= bytes;
    if (kept.files.size === 0) this.#applications.delete(applicationId);
  }
}

/** The store with some of its small files in memory. */
export function keepSmallFiles(blobs: Blobs, bytesMax = partOfHeap(PART_OF_HEAP, KEPT_BYTES_MAX)): Blobs {
  const small = new SmallFiles(bytesMax);
  return {
    ...blobs,
    put: (key, bytes, options) => {
      small.remove(key);
      return blobs.put(key, bytes, options);
    },
    readWhole: async (key, size) => {
      const kept = small.get(key);
      // Of another size: the row does not fit what was stored, which reading the file shows.
      if (kept !== undefined && kept.length === (size ?? kept.length)) return kept;
      const bytes = await blobs.readWhole(key, size);
      if (bytes !== undefined && bytes.length <= SMALL_FILE_BYTES_MAX) small.add(key, bytes);
      return bytes;
    },
    remove: async (key) => {
      await blobs.remove(key);
      small.remove(key);
    },
    removeAll: async (key) => {
      await blobs.removeAll(key);
      small.removeAll(key);
    },
    removeParts: async (key) => {
      await blobs.removeParts(key);
      small.removeAll(key);
    },
  };
}
