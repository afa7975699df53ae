// Where the bytes of attachments are kept: on the local disk (blobs-disk) or in an S3-compatible store (blobs-s3). A
// row of the database (store/attachments/attachments) exists before the first byte and until the last is gone, so bytes without a
// row are nobody's.

import type { Readable } from 'node:stream';
import type { ByteRange } from '../../domain/attachments/byte-range.ts';

/** What is stored under one attachment: the file itself, or something beside it, as `256.webp` or `piece-<offset>-<hex>`. */
export interface BlobKey {
  readonly applicationId: string;
  readonly attachmentId: string;
  /** Absent: the file itself. `[a-z0-9.-]+` otherwise. */
  readonly part?: string;
}

export interface StoredBlob extends BlobKey {
  /** Absent for what an interrupted `put` has left, or one that is under way; its `part` ends in `uploading-…`. */
  readonly size?: number;
}

/** It does not answer, or its disk is not mounted. The settings may be right: it works again as soon as it is back. */
export class StoreAway extends Error {}

/** What the operator has to set right before anything can be stored there, as a sentence. */
export class UnusableStore extends Error {}

/** A `put` that was sent and not answered: its bytes may appear later, even after they were removed. */
export class UnknownOutcome extends Error {}

export interface PutOptions {
  /** Another server may have stored the same under this key: when the `put` rejects, what is there stays. */
  readonly shared?: boolean;
}

export interface Blobs {
  /** For the log and for people: a folder, or a bucket at its endpoint, without secrets. */
  readonly place: string;
  /** Rejects with UnusableStore when the place cannot be read and written, with StoreAway when that cannot be told now. */
  open(): Promise<void>;
  /**
   * Durable under its key when it resolves; a file of that key is replaced. When it rejects nothing of the new one is
   * left, as far as can be, and the old one may be gone. Rejects with UnknownOutcome when the new one may come yet.
   */
  put(key: BlobKey, bytes: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<void>;
  /**
   * The bytes as they are needed: nothing is read ahead of a slow reader, who has to end or destroy it. The range lies
   * within the file. undefined: there is no such blob.
   */
  read(key: BlobKey, range?: ByteRange): Promise<Readable | undefined>;
  size(key: BlobKey): Promise<number | undefined>;
  /** Also of what an interrupted `put` has left, under the key that `list` gives it. */
  remove(key: BlobKey): Promise<void>;
  /** The file of the attachment, all beside it, and what interrupted `put`s have left of them. */
  removeAll(key: Omit<BlobKey, 'part'>): Promise<void>;
  /** All beside the file of the attachment, and what interrupted `put`s have left of it; never the file itself. */
  removeBeside(key: Omit<BlobKey, 'part'>): Promise<void>;
  /** Applications of which anything is stored. */
  applications(): AsyncIterable<string>;
  /** Everything of one application, in the order of attachment identifiers where the store has one. */
  list(applicationId: string): AsyncIterable<StoredBlob>;
  close(): Promise<void>;
}
