// Uploads: a small file in one request that can be repeated, a large one in parts that continue where a connection was cut
// (tus), and a stream in one request that cannot.

import { CartularyError, ConnectionError } from './errors.ts';
import type { Bytes, CallOptions, RawOperations } from './operation-types.ts';
import { RETRY_LIMITS, sleep } from './retry.ts';
import type { AttachmentMetadata } from './shapes.ts';
import { base64 } from './transport.ts';

/** What can be uploaded. A stream's bytes cannot be sent again; everything else can. */
export type FileSource = Bytes | AsyncIterable<Uint8Array>;

export interface UploadOptions extends CallOptions {
  /** By default that of a `File`. */
  readonly name?: string | undefined;
  /** By default that of a `Blob`, or `application/octet-stream`. */
  readonly contentType?: string | undefined;
  /** The user to record as the creator; admins only. */
  readonly creatorId?: string | undefined;
  /** Called with the bytes that the server has, and all bytes. Only for files that are sent in parts. */
  readonly onProgress?: ((sentBytes: number, totalBytes: number) => void) | undefined;
  /** Called before the first byte of a file that is sent in parts: with the ID, another process can resume the upload. */
  readonly onAnnounced?: ((attachmentId: string) => void) | undefined;
}

/** The size of a part, which is also what the server makes durable at once. Smaller files are sent in one request. */
const PART_BYTES = 8 * 1024 * 1024;
/** The server takes 1,000 parts. Half of them are for what is sent again. */
const PARTS_MAX = 500;
const WAIT_MS_MAX = 10_000;

export async function uploadFile(
  raw: RawOperations,
  collectionId: string,
  source: FileSource,
  options: UploadOptions,
): Promise<AttachmentMetadata> {
  const body = sendable(source);
  const name = options.name ?? (body instanceof Blob && 'name' in body ? String(body.name) : undefined);
  const contentType = options.contentType ?? (body instanceof Blob && body.type !== '' ? body.type : undefined);
  const { creatorId, signal } = options;
  if (body instanceof Blob && body.size > PART_BYTES) {
    return uploadInParts(raw, collectionId, body, { ...options, name, contentType });
  }
  const contentDisposition = name === undefined ? undefined : dispositionOf(name);
  const input = { collectionId, body, contentType: contentType ?? 'application/octet-stream', contentDisposition };
  return (await raw.uploadAttachment({ ...input, creatorId }, { signal })).body;
}

/** Bytes that are all there become a Blob, of which parts can be taken without copying them. */
function sendable(source: FileSource): Blob | ReadableStream<Uint8Array> {
  if (source instanceof Blob || source instanceof ReadableStream) return source;
  if (typeof source === 'string' || source instanceof ArrayBuffer) return new Blob([source]);
  if (source instanceof Uint8Array) return new Blob([source as Uint8Array<ArrayBuffer>]);
  const iterator = source[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel(reason) {
      await iterator.return?.(reason);
    },
  });
}

/** `filename*` (RFC 8187) keeps every character; `filename` is for readers that know only ASCII. */
function dispositionOf(name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\]/g, '_');
  const wellFormed = name.replaceAll(/\p{Surrogate}/gu, '\ufffd');
  const encoded = encodeURIComponent(wellFormed).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

async function uploadInParts(
  raw: RawOperations,
  collectionId: string,
  file: Blob,
  options: UploadOptions,
): Promise<AttachmentMetadata> {
  const { name, contentType, creatorId, signal } = options;
  const pairs = Object.entries({ filename: name, filetype: contentType });
  const uploadMetadata = pairs
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key} ${base64(value)}`]))
    .join(',');
  const announcement = {
    collectionId,
    uploadLength: file.size,
    ...(uploadMetadata === '' ? {} : { uploadMetadata }),
    creatorId,
  };
  const { body: metadata } = await raw.announceUpload(announcement, { signal });
  options.onAnnounced?.(metadata.id);
  await sendParts(raw, { collectionId, attachmentId: metadata.id }, file, { ...options, offset: 0 });
  return metadata;
}

/** Continues an upload that was announced earlier, also by another process. */
export async function resumeUpload(
  raw: RawOperations,
  upload: { readonly collectionId: string; readonly attachmentId: string },
  file: Blob,
  options: UploadOptions,
): Promise<AttachmentMetadata> {
  const { headers } = await raw.getUpload(upload, { signal: options.signal });
  const announced = Number(headers.get('upload-length'));
  if (announced !== file.size) {
    throw new TypeError(`The upload was announced with ${announced} bytes, and the file has ${file.size}.`);
  }
  await sendParts(raw, upload, file, { ...options, offset: Number(headers.get('upload-offset')) });
  const told = metadataOf(headers.get('upload-metadata') ?? '');
  const name = told.get('filename') ?? told.get('name') ?? '';
  const contentType = told.get('filetype') ?? told.get('contentType') ?? 'application/octet-stream';
  return { id: upload.attachmentId, name, contentType, size: file.size };
}

function metadataOf(header: string): Map<string, string> {
  const pairs = header.split(',').map((pair) => pair.trim().split(' '));
  const decode = (text: string) =>
    new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
  return new Map(pairs.map(([key = '', value = '']) => [key, decode(value)]));
}

async function sendParts(
  raw: RawOperations,
  upload: { readonly collectionId: string; readonly attachmentId: string },
  file: Blob,
  { offset: begin, signal, onProgress }: UploadOptions & { readonly offset: number },
): Promise<void> {
  const partBytes = Math.max(PART_BYTES, Math.ceil(file.size / PARTS_MAX));
  let offset = begin;
  let failures = 0;
  onProgress?.(offset, file.size);
  while (offset < file.size) {
    const before = offset;
    try {
      const body = file.slice(offset, offset + partBytes);
      const { headers } = await raw.appendToUpload({ ...upload, uploadOffset: offset, body }, { signal });
      offset = Number(headers.get('upload-offset'));
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      failures += 1;
      if (failures > RETRY_LIMITS.retries || !isPassing(error)) throw error;
      await sleep(pauseMs(error, failures), signal);
      offset = await currentOffset(raw, upload, error, signal);
    }
    if (offset > before) failures = 0;
    onProgress?.(offset, file.size);
  }
}

/** The server is there or will be, and knows how far the upload is. */
const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  (error instanceof CartularyError && [409, 423, 429, 502, 503, 504].includes(error.status));

function pauseMs(error: unknown, failures: number): number {
  if (error instanceof CartularyError && error.is('UPLOAD_OFFSET_MISMATCH')) return 0;
  const asked = error instanceof CartularyError ? error.retryAfterSeconds : undefined;
  return Math.min(WAIT_MS_MAX, asked === undefined ? Math.random() * 200 * 2 ** failures : asked * 1000);
}

async function currentOffset(
  raw: RawOperations,
  upload: { readonly collectionId: string; readonly attachmentId: string },
  error: unknown,
  signal: AbortSignal | undefined,
): Promise<number> {
  if (error instanceof CartularyError && error.is('UPLOAD_OFFSET_MISMATCH')) return error.params.offset;
  const { headers } = await raw.getUpload(upload, { signal });
  return Number(headers.get('upload-offset'));
}
