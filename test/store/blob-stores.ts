// The two stores of blobs as tests meet them, and bytes to put into them.

import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { BlobKey, Blobs } from '../../src/store/blobs/blobs.ts';
import { fileNameOf } from '../../src/store/blobs/keys.ts';
import { createBlobs } from '../../src/store/blobs/open.ts';
import { startS3, type TestS3 } from '../support/s3.ts';

export interface TestBlobs {
  readonly blobs: Blobs;
  /** On disk only. */
  readonly folder: string;
  /** As a server would leave it that was killed in the middle of an upload. */
  interrupt(key: BlobKey): Promise<void>;
  /** Something that has the right place and not the right name. */
  litter(applicationId: string): Promise<void>;
  close(): Promise<void>;
}

export interface TestS3Blobs extends TestBlobs {
  readonly s3: TestS3;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const identifier = (letter: string) =>
  letter + Array.from(randomBytes(26), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
export const newApplicationId = (): string => identifier('p');
export const newKey = (applicationId = newApplicationId()): BlobKey => ({
  applicationId,
  attachmentId: identifier('a'),
});

export async function startDisk(): Promise<TestBlobs> {
  const folder = await mkdtemp(join(tmpdir(), 'cartulary-blobs-'));
  const blobs = createBlobs({ kind: 'disk', folder: join(folder, 'attachments') }, join(folder, 'spool'));
  await blobs.open();
  const write = async (path: string) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'half');
  };
  return {
    blobs,
    folder: join(folder, 'attachments'),
    interrupt: (key) =>
      write(join(blobs.location, key.applicationId, key.attachmentId.slice(-2), `${fileNameOf(key)}.uploading-0123`)),
    litter: (applicationId) => write(join(blobs.location, applicationId, 'ab', 'README.txt')),
    close: async () => {
      await blobs.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function startS3Blobs(prefix = 'some/where/'): Promise<TestS3Blobs> {
  const s3 = await startS3();
  const folder = await mkdtemp(join(tmpdir(), 'cartulary-spool-'));
  const { searchParams } = new URL(s3.url());
  const blobs = createBlobs(
    {
      kind: 's3',
      bucket: s3.bucket,
      prefix,
      endpoint: s3.endpoint,
      region: 'us-east-1',
      accessKeyId: searchParams.get('accessKeyId') ?? '',
      secretAccessKey: searchParams.get('secretAccessKey') ?? '',
    },
    folder,
  );
  await blobs.open();
  const send = async (method: string, path: string) => {
    const answer = await fetch(`${s3.endpoint}/${s3.bucket}/${prefix}${path}`, { method });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
  };
  return {
    blobs,
    s3,
    folder,
    interrupt: (key) => send('POST', `${key.applicationId}/${fileNameOf(key)}?uploads`),
    litter: (applicationId) => send('PUT', `${applicationId}/README.txt`),
    close: async () => {
      await blobs.close();
      await s3.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Bytes that differ everywhere, so that pieces in the wrong place are noticed. */
export const content = (size: number): Buffer => {
  const bytes = randomBytes(Math.min(size, 1_000_003));
  return Buffer.concat(Array.from({ length: Math.ceil(size / bytes.length) || 0 }, () => bytes)).subarray(0, size);
};

/** In pieces of a size that divides neither parts nor buffers, each valid until the next one is asked for. */
export async function* inPieces(bytes: Uint8Array, pieceBytes = 100_003): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    const piece = Buffer.from(bytes.subarray(from, from + pieceBytes));
    yield piece;
    piece.fill(0);
  }
}

/** Gives the bytes and then throws. */
export async function* failing(bytes: Uint8Array, error: unknown): AsyncGenerator<Uint8Array> {
  yield* inPieces(bytes);
  throw error;
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export async function bytesOf(stream: Readable | undefined): Promise<Buffer | undefined> {
  return stream === undefined ? undefined : Buffer.concat(await collect<Buffer>(stream));
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
