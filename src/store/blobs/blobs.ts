// The interface to the store of attachment bytes: the local disk (store/blobs/disk) or an S3-compatible store
// (store/blobs/s3). A row of the database exists before the first byte and until the last is removed
// (store/attachments/attachments), so bytes without a row belong to no attachment.

import type { Readable } from 'node:stream';
import type { ByteRange } from '../../domain/attachments/byte-range.ts';

/** The file of an attachment, or a part beside it, such as `256.webp` or `piece-<offset>-<hex>`. */
export interface BlobKey {
  readonly applicationId: string;
  readonly attachmentId: string;
  /** Absent: the file itself. Otherwise `[a-z0-9.-]+`. */
  readonly part?: string;
}

export interface StoredBlob extends BlobKey {
  /** Absent for a `put` that was interrupted or is in progress; its `part` ends in `uploading-…`. */
  readonly size?: number;
}

/** The store does not answer, or its disk is not mounted. The settings may be right; it may be back later. */
export class StoreUnavailable extends Error {}

/** The operator has to correct something first; the message is a sentence for the operator. */
export class StoreUnusable extends Error {}

/** A `put` that was sent and not acknowledged: its bytes may appear later, even after a removal. */
export class UnknownOutcome extends Error {}

export interface PutOptions {
  /** Another node may store the same bytes under this key: when the `put` rejects, a file under the key stays. */
  readonly shared?: boolean;
}

export interface Blobs {
  /** For messages: a folder, or a bucket at its endpoint, without secrets. */
  readonly location: string;
  /** Rejects with StoreUnusable when the store cannot be read and written, with StoreUnavailable when it does not answer. */
  open(): Promise<void>;
  /**
   * Durable when it resolves; an existing blob under the key is replaced. When it rejects, the new bytes are removed if
   * possible, and the old ones may be gone. Rejects with UnknownOutcome when the new bytes may still appear.
   */
  put(key: BlobKey, bytes: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<void>;
  /**
   * Stores bytes from memory under a key that has no blob. Durable when it resolves, and exactly these bytes; when it
   * rejects, they are removed if possible. Undefined for a store whose bytes have to be read back to be sure of them.
   */
  readonly putNew?: (key: BlobKey, bytes: Uint8Array) => Promise<void>;
  /**
   * Reads no further than the reader consumes; the reader has to end or destroy the stream. The range lies within the
   * file. undefined: there is no such blob.
   */
  read(key: BlobKey, range?: ByteRange): Promise<Readable | undefined>;
  /** All bytes of a small blob. The caller must not change them. undefined: there is no such blob, or none of this size. */
  readWhole(key: BlobKey, size?: number): Promise<Buffer | undefined>;
  size(key: BlobKey): Promise<number | undefined>;
  /** Also removes the rest of an interrupted `put`, under the key that `list` gives it. */
  remove(key: BlobKey): Promise<void>;
  /** Removes the file of the attachment, all its parts, and the rest of interrupted `put`s. */
  removeAll(key: Omit<BlobKey, 'part'>): Promise<void>;
  /** Removes all parts of the attachment and the rest of interrupted `put`s, but not the file itself. */
  removeParts(key: Omit<BlobKey, 'part'>): Promise<void>;
  /** Applications with at least one blob. */
  applications(): AsyncIterable<string>;
  /** All blobs of one application, in the order of attachment identifiers where the store has an order. */
  list(applicationId: string): AsyncIterable<StoredBlob>;
  close(): Promise<void>;
}
