// From the key of a blob to its name in the store, and back. Every path and object key is checked here, so that no key
// reaches beyond its application.

import { isIdentifier } from '../../wire/identifiers.ts';
import type { BlobKey } from './blobs.ts';

/** With the identifier and the suffix of an interrupted `put`, a name stays well below the 255 bytes of a file name. */
const PART = /^[a-z0-9.-]{1,100}$/;
const INTERRUPTED = /(?:^|\.)uploading-[^.]*$/;

/** Whether a listed part is the rest of an interrupted `put`. */
export const isInterrupted = (part: string | undefined): boolean => part !== undefined && INTERRUPTED.test(part);

export function checkApplication(applicationId: string): void {
  if (!isIdentifier('applicationId', applicationId)) throw new Error('not the identifier of an application');
}

function isKey({ applicationId, attachmentId, part }: BlobKey): boolean {
  return (
    isIdentifier('applicationId', applicationId) &&
    isIdentifier('attachmentId', attachmentId) &&
    (part === undefined || PART.test(part))
  );
}

/** An invalid key is a bug: identifiers are checked where requests enter. */
export function checkKey(key: BlobKey): void {
  if (!isKey(key)) throw new Error('not the key of a blob');
}

/** A key under which a blob may be put. */
export function checkNewKey(key: BlobKey): void {
  checkKey(key);
  if (isInterrupted(key.part)) throw new Error('the name is reserved for interrupted uploads');
}

/** `<attachmentId>[.<part>]`. */
export const fileNameOf = ({ attachmentId, part }: BlobKey): string =>
  part === undefined ? attachmentId : `${attachmentId}.${part}`;

/** undefined for names that this store did not create. */
export function keyOfFileName(applicationId: string, name: string): BlobKey | undefined {
  const dot = name.indexOf('.');
  const key: BlobKey =
    dot < 0
      ? { applicationId, attachmentId: name }
      : { applicationId, attachmentId: name.slice(0, dot), part: name.slice(dot + 1) };
  return isKey(key) ? key : undefined;
}
