// Uploads that the server has a part of. A page cannot open a file again by itself after a reload; when the person chooses
// the same file again, the upload goes on where it was.

import { forget, remember, remembered } from '../../../frame/remembered.ts';

/** What tells a file from others without reading it. */
export interface FileTraits {
  readonly name: string;
  readonly size: number;
  readonly lastModified: number;
}

export interface Interrupted extends FileTraits {
  readonly attachmentId: string;
  /** When it was announced, in milliseconds. */
  readonly at: number;
}

const KEPT_MAX = 20;
/** The server drops what nobody continues. */
const KEPT_MS = 24 * 3_600_000;

/** `place`: the user, the collection and the column. */
export function interruptedUploads(place: string, now = Date.now()): readonly Interrupted[] {
  try {
    const kept: unknown = JSON.parse(remembered(nameOf(place)) ?? '[]');
    return Array.isArray(kept) ? (kept as Interrupted[]).filter(({ at }) => now - at < KEPT_MS) : [];
  } catch {
    return [];
  }
}

const nameOf = (place: string): string => `uploads.${place}`;

const sameFile = (one: FileTraits, other: FileTraits): boolean =>
  one.name === other.name && one.size === other.size && one.lastModified === other.lastModified;

export const interruptedUpload = (place: string, file: FileTraits): Interrupted | undefined =>
  interruptedUploads(place).find((kept) => sameFile(kept, file));

export function noteAnnounced(place: string, file: FileTraits, attachmentId: string, now = Date.now()): void {
  const { name, size, lastModified } = file;
  const others = interruptedUploads(place, now).filter((kept) => !sameFile(kept, file));
  write(place, [{ name, size, lastModified, attachmentId, at: now }, ...others].slice(0, KEPT_MAX));
}

export function forgetInterrupted(place: string, file: FileTraits): void {
  write(
    place,
    interruptedUploads(place).filter((kept) => !sameFile(kept, file)),
  );
}

function write(place: string, kept: readonly Interrupted[]): void {
  if (kept.length === 0) forget(nameOf(place));
  else remember(nameOf(place), JSON.stringify(kept));
}
