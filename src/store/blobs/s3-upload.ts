// Bytes of unknown length on their way into an S3-compatible store. Parts have to be 5 MiB at least, too much to hold in
// memory for each of many uploads, so they pass through a file: while one half of it is sent, the other is filled.

import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompletedPart, S3 } from '@aws-sdk/client-s3';
import { onAbort } from '../../request/signal.ts';
import { UnknownOutcome } from './blobs.ts';
import { readAt, writeAt } from './files.ts';
import {
  COMPLETION_MS,
  callWithTimeout,
  isMissing,
  isTransient,
  isUndecided,
  TRANSFER_MS,
  wasRepeated,
} from './s3-client.ts';

/** Of the 10 000 parts that S3 allows, this makes files of 80 GB. */
export const PART_BYTES = 8 * 1024 * 1024;
const REPETITIONS_MAX = 3;
const REPETITION_MS = 200;

interface UploadTarget {
  readonly s3: S3;
  readonly object: { readonly Bucket: string; readonly Key: string };
  /** See PutOptions. */
  readonly shared: boolean;
}

/** Without a name from the start, so that it vanishes with the process, however that ends. */
export async function openSpool(folder: string): Promise<FileHandle> {
  const path = join(folder, `.spool-${randomBytes(8).toString('hex')}`);
  const handle = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

interface Transfer<T> {
  body(): Readable;
  send(body: Readable, options: { abortSignal: AbortSignal }): Promise<T>;
  readonly cancel: AbortSignal;
  /** Hears why each attempt failed. */
  failed?(error: unknown): void;
}

/** Each attempt with a stream of its own: the SDK repeats no request whose body is a stream, as it cannot rewind. */
async function transfer<T>({ body, send, cancel, failed }: Transfer<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    const stream = body();
    const broken = new AbortController();
    const stop = () => broken.abort(cancel.reason);
    const unsubscribe = onAbort(cancel, stop);
    if (cancel.aborted) stop();
    // The SDK pipes the stream and does not hear when it fails.
    stream.on('error', (error) => broken.abort(error));
    try {
      return await callWithTimeout((options) => send(stream, options), TRANSFER_MS, broken.signal);
    } catch (error) {
      failed?.(error);
      if (broken.signal.aborted || attempt === REPETITIONS_MAX || !isTransient(error)) throw error;
    } finally {
      unsubscribe();
      stream.destroy();
    }
    await sleep(REPETITION_MS * 2 ** attempt * (1 + Math.random()), undefined, { signal: cancel });
  }
}

interface Part {
  readonly uploadId: string;
  readonly number: number;
  readonly bytes: number;
  readonly cancel: AbortSignal;
}

/** Parts take the halves of the spool in turn. */
const positionOf = (part: number): number => ((part - 1) % 2) * PART_BYTES;

async function sendPart(target: UploadTarget, spool: FileHandle, part: Part): Promise<CompletedPart> {
  const { ETag } = await transfer({
    body: () => readAt(spool, positionOf(part.number), part.bytes),
    send: (body, options) =>
      target.s3.uploadPart(
        {
          ...target.object,
          UploadId: part.uploadId,
          PartNumber: part.number,
          Body: body,
          ContentLength: part.bytes,
        },
        options,
      ),
    cancel: part.cancel,
  });
  if (ETag === undefined) throw new Error('the store acknowledged a part without an ETag');
  return { ETag, PartNumber: part.number };
}

const unknownOutcome = (cause: unknown) =>
  new UnknownOutcome('the store has not said whether it has stored the file', { cause });

async function sendWhole({ s3, object }: UploadTarget, spool: FileHandle, bytes: number): Promise<void> {
  // Of any attempt: one that was not answered may be carried out after all that follow.
  let undecided = false;
  const sending = transfer({
    body: () => readAt(spool, 0, bytes),
    send: (body, options) => s3.putObject({ ...object, Body: body, ContentLength: bytes }, options),
    cancel: new AbortController().signal,
    failed: (error) => {
      undecided ||= isUndecided(error);
    },
  });
  await sending.catch((error: unknown) => {
    throw undecided ? unknownOutcome(error) : error;
  });
}

async function begin({ s3, object }: UploadTarget): Promise<string> {
  const { UploadId } = await callWithTimeout((options) => s3.createMultipartUpload(object, options));
  if (UploadId === undefined) throw new Error('the store began an upload without an identifier');
  return UploadId;
}

interface Completion {
  readonly uploadId: string;
  readonly parts: CompletedPart[];
  readonly bytes: number;
}

async function complete({ s3, object }: UploadTarget, { uploadId, parts, bytes }: Completion): Promise<void> {
  const command = { ...object, UploadId: uploadId, MultipartUpload: { Parts: parts } };
  try {
    await callWithTimeout((options) => s3.completeMultipartUpload(command, options), COMPLETION_MS);
  } catch (error) {
    if (!wasRepeated(error)) throw isUndecided(error) ? unknownOutcome(error) : error;
    if (!isMissing(error)) throw unknownOutcome(error);
    // The attempt before may have made the object of the upload, so that there was none for the repetition.
    const found = await callWithTimeout((options) => s3.headObject(object, options)).catch((reason: unknown) => {
      throw isMissing(reason) ? error : unknownOutcome(reason);
    });
    if (found.ContentLength !== bytes) throw error;
  }
}

/** Stores what the source gives, or throws and leaves nothing, as far as the store can be reached. */
export async function storeThroughSpool(
  target: UploadTarget,
  spool: FileHandle,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const cancel = new AbortController();
  const parts: CompletedPart[] = [];
  let uploadId: string | undefined;
  let sending: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;
  let number = 1;
  let taken = 0;
  let filled = 0;
  let finishing = false;

  const send = async (part: Part) => {
    parts.push(await sendPart(target, spool, part));
  };
  /** Gives the full half away and waits until the other one is free. */
  const handOver = async () => {
    uploadId ??= await begin(target);
    await sending;
    sending = send({ uploadId, number, bytes: filled, cancel: cancel.signal });
    // Heard with the next bytes, and not only when the next part is full.
    sending.catch((error) => {
      failure = { error };
    });
    number += 1;
    filled = 0;
  };

  try {
    for await (const chunk of source) {
      if (failure !== undefined) throw failure.error;
      taken += chunk.length;
      for (let rest = chunk; rest.length > 0; ) {
        // Only once there is more: what fits in one part goes without the ceremony of many.
        if (filled === PART_BYTES) await handOver();
        const piece = rest.subarray(0, PART_BYTES - filled);
        await writeAt(spool, piece, positionOf(number) + filled);
        filled += piece.length;
        rest = rest.subarray(piece.length);
      }
    }
    if (uploadId === undefined) {
      finishing = true;
      await sendWhole(target, spool, filled);
      return;
    }
    await handOver();
    await sending;
    finishing = true;
    await complete(target, { uploadId, parts, bytes: taken });
  } catch (error) {
    cancel.abort();
    await sending?.catch(() => undefined);
    await abandon(target, uploadId, finishing);
    throw error;
  }
}

/** `finishing`: the store may have stored what it never acknowledged. */
async function abandon(
  { s3, object, shared }: UploadTarget,
  uploadId: string | undefined,
  finishing: boolean,
): Promise<void> {
  const attempts: Promise<unknown>[] = [];
  if (uploadId !== undefined) {
    attempts.push(callWithTimeout((options) => s3.abortMultipartUpload({ ...object, UploadId: uploadId }, options)));
  }
  if (finishing && !shared) attempts.push(callWithTimeout((options) => s3.deleteObject(object, options)));
  await Promise.allSettled(attempts);
}
