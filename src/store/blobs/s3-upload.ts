// Uploads of unknown length to an S3-compatible store. A part has at least 5 MiB, too much to hold in memory for each of
// many uploads, so parts pass through a spool file: while one half of it is sent, the other is filled. A file that comes in
// one chunk is sent as it is.

import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompletedPart, S3 } from '@aws-sdk/client-s3';
import { onAbort } from '../../request/signal.ts';
import { UnknownOutcome } from './blobs.ts';
import { readAt, writeAll } from './files.ts';
import {
  COMPLETION_MS,
  callWithTimeout,
  isMissing,
  isTransient,
  isUndecided,
  TRANSFER_MS,
  wasRepeated,
} from './s3-client.ts';

/** With the 10 000 parts that S3 allows, files of up to 80 GB. */
export const PART_BYTES = 8 * 1024 * 1024;
const RETRIES_MAX = 3;
const RETRY_MS = 200;

interface UploadTarget {
  readonly s3: S3;
  readonly object: { readonly Bucket: string; readonly Key: string };
  /** See PutOptions. */
  readonly shared: boolean;
}

/** Unlinked at once, so that the file vanishes with the process, however it ends. */
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
  readonly signal: AbortSignal;
  /** Called with the error of each failed attempt. */
  onFailure?(error: unknown): void;
}

/** Each attempt reads a new stream: the SDK cannot rewind a stream and so does not retry such requests. */
async function transfer<T>({ body, send, signal, onFailure }: Transfer<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    const stream = body();
    const controller = new AbortController();
    const abort = () => controller.abort(signal.reason);
    const unsubscribe = onAbort(signal, abort);
    if (signal.aborted) abort();
    // The SDK pipes the stream and ignores its errors.
    stream.on('error', (error) => controller.abort(error));
    try {
      return await callWithTimeout((options) => send(stream, options), TRANSFER_MS, controller.signal);
    } catch (error) {
      onFailure?.(error);
      if (controller.signal.aborted || attempt === RETRIES_MAX || !isTransient(error)) throw error;
    } finally {
      unsubscribe();
      stream.destroy();
    }
    await sleep(RETRY_MS * 2 ** attempt * (1 + Math.random()), undefined, { signal });
  }
}

interface Part {
  readonly uploadId: string;
  readonly number: number;
  readonly bytes: number;
  readonly signal: AbortSignal;
}

/** Parts alternate between the halves of the spool. */
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
    signal: part.signal,
  });
  if (ETag === undefined) throw new Error('the store acknowledged a part without an ETag');
  return { ETag, PartNumber: part.number };
}

const unknownOutcome = (cause: unknown) =>
  new UnknownOutcome('the store has not said whether it has stored the file', { cause });

/** `body` is called for each attempt. */
async function sendWhole({ s3, object }: UploadTarget, body: () => Readable, bytes: number): Promise<void> {
  // Set by any attempt: one without an answer may be carried out after all later ones.
  let undecided = false;
  const sending = transfer({
    body,
    send: (stream, options) => s3.putObject({ ...object, Body: stream, ContentLength: bytes }, options),
    signal: new AbortController().signal,
    onFailure: (error) => {
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
    // An earlier attempt may have created the object, so that the retry found no upload.
    const found = await callWithTimeout((options) => s3.headObject(object, options)).catch((reason: unknown) => {
      throw isMissing(reason) ? error : unknownOutcome(reason);
    });
    if (found.ContentLength !== bytes) throw error;
  }
}

/** Stores all bytes of the source, or throws and removes them again if the store can be reached. */
export async function storeBytes(
  target: UploadTarget,
  spoolFolder: string,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const chunks = source[Symbol.asyncIterator]();
  try {
    const first = await chunks.next();
    // A copy: the chunk is valid until the next is asked for.
    if (first.done !== true) first.value = Uint8Array.from(first.value);
    const second = first.done === true ? first : await chunks.next();
    const begin = [first, second].flatMap(({ done, value }) => (done === true ? [] : [value as Uint8Array]));
    const [only = new Uint8Array()] = begin;
    if (second.done === true && only.length <= PART_BYTES) await storeChunk(target, only);
    else await storeInParts(target, spoolFolder, joined(begin, chunks));
  } finally {
    await chunks.return?.();
  }
}

async function storeInParts(
  target: UploadTarget,
  spoolFolder: string,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const spool = await openSpool(spoolFolder);
  try {
    await storeThroughSpool(target, spool, source);
  } finally {
    await spool.close();
  }
}

async function* joined(begin: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* begin;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

async function storeChunk(target: UploadTarget, chunk: Uint8Array): Promise<void> {
  try {
    await sendWhole(target, () => Readable.from([chunk]), chunk.length);
  } catch (error) {
    await abandon(target, undefined, true);
    throw error;
  }
}

async function storeThroughSpool(
  target: UploadTarget,
  spool: FileHandle,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const abort = new AbortController();
  const parts: CompletedPart[] = [];
  let uploadId: string | undefined;
  let sending: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;
  let number = 1;
  let bytes = 0;
  let filled = 0;
  let finishing = false;

  const send = async (part: Part) => {
    parts.push(await sendPart(target, spool, part));
  };
  /** Starts sending the full half, after the other half has been sent. */
  const sendFilled = async () => {
    uploadId ??= await begin(target);
    await sending;
    sending = send({ uploadId, number, bytes: filled, signal: abort.signal });
    // Thrown at the next chunk rather than when the next part is full.
    sending.catch((error) => {
      failure = { error };
    });
    number += 1;
    filled = 0;
  };

  try {
    for await (const chunk of source) {
      if (failure !== undefined) throw failure.error;
      bytes += chunk.length;
      for (let rest = chunk; rest.length > 0; ) {
        // Only once there are more bytes: a file that fits in one part is stored by a single call.
        if (filled === PART_BYTES) await sendFilled();
        const head = rest.subarray(0, PART_BYTES - filled);
        await writeAll(spool.fd, head, positionOf(number) + filled);
        filled += head.length;
        rest = rest.subarray(head.length);
      }
    }
    if (uploadId === undefined) {
      finishing = true;
      await sendWhole(target, () => readAt(spool, 0, filled), filled);
      return;
    }
    await sendFilled();
    await sending;
    finishing = true;
    await complete(target, { uploadId, parts, bytes });
  } catch (error) {
    abort.abort();
    await sending?.catch(() => undefined);
    await abandon(target, uploadId, finishing);
    throw error;
  }
}

/** `finishing`: the store may have stored the object without acknowledging it. */
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
