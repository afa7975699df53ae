// The process that decodes what strangers uploaded: it holds no secret and no connection, may crash, hang or be killed,
// and is replaced. It lives as long as its stdin, so that it never outlives the server, however that ends.

import { writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { fitsInMemory, kindOf, PIXELS_MAX, SIGNATURE_BYTES } from './image-kinds.ts';
import { FRAME, frameHeader, frameReader, INPUT_BYTES_MAX } from './thumbnail-frames.ts';

/** Beyond what any image within the bounds was measured to take. */
const MEMORY_BYTES_MAX = 600_000_000;
const MEMORY_WATCH_MS = 25;
const DETAIL_CHARACTERS_MAX = 500;

const REASONS = {
  kind: 'The file is no JPEG, PNG, WebP, GIF, AVIF or TIFF image.',
  bytes: `The file is larger than ${INPUT_BYTES_MAX / 1024 / 1024} MiB.`,
  pixels: 'The image has too many pixels.',
  memory: 'The image needs too much memory.',
  damage: 'The image is damaged or incomplete.',
  abort: 'The file ended early.',
} as const;

class Refusal extends Error {}

sharp.cache(false);
sharp.concurrency(1);
// A list of what is allowed: later versions of libvips may bring loaders that nobody has thought of here.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Tiff'].map((loader) => `VipsForeignLoad${loader}Buffer`),
});

// The system takes memory only for the pages that a file has touched.
const input = Buffer.allocUnsafeSlow(INPUT_BYTES_MAX);
let inputBytes = 0;
let isAnswered = false;

/** Not process.exit(), which waits for the thread that decodes. */
function leave(): void {
  process.kill(process.pid, 'SIGKILL');
}

function answer(kind: number, payload: Buffer): void {
  isAnswered = true;
  process.stdout.write(frameHeader(kind, payload.length));
  process.stdout.write(payload);
}

function refuse(reason: string, detail = ''): void {
  answer(FRAME.refused, Buffer.from(`${reason}\n${detail.slice(0, DETAIL_CHARACTERS_MAX)}`));
}

async function thumbnailOf(bytes: Buffer, size: number): Promise<Buffer> {
  const kind = kindOf(bytes.subarray(0, SIGNATURE_BYTES));
  if (kind === undefined) throw new Refusal(REASONS.kind);
  const open = () =>
    sharp(bytes, { limitInputPixels: PIXELS_MAX, sequentialRead: true, failOn: 'error', page: 0, pages: 1 });
  const header = await open().metadata();
  // HEIC and AVIF are one container; the decoder is chosen by what is inside.
  if (kind === 'avif' && header.compression !== 'av1') throw new Refusal(REASONS.kind);
  if (!fitsInMemory(kind, header)) throw new Refusal(REASONS.pixels);
  return open()
    .autoOrient()
    .resize({ width: size, height: size, fit: 'inside', withoutEnlargement: true })
    .webp()
    .toBuffer();
}

/** The bounds above should do; this is for the image that was made to show that they do not. */
function watchMemory(): NodeJS.Timeout {
  return setInterval(() => {
    if (process.memoryUsage.rss() <= MEMORY_BYTES_MAX || isAnswered) return;
    answer(FRAME.leaving, Buffer.from(REASONS.memory));
  }, MEMORY_WATCH_MS);
}

async function work(size: number): Promise<void> {
  const watch = watchMemory();
  try {
    const thumbnail = await thumbnailOf(input.subarray(0, inputBytes), size);
    if (!isAnswered) answer(FRAME.thumbnail, thumbnail);
  } catch (error) {
    if (isAnswered) return;
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof Refusal) refuse(message);
    else refuse(message.includes('exceeds pixel limit') ? REASONS.pixels : REASONS.damage, message);
  } finally {
    clearInterval(watch);
  }
}

function take(piece: Buffer): void {
  if (isAnswered) return;
  if (inputBytes + piece.length > INPUT_BYTES_MAX) {
    refuse(REASONS.bytes);
    return;
  }
  piece.copy(input, inputBytes);
  inputBytes += piece.length;
  // At the first piece, so that a film is not sent to the end for nothing.
  const isFirst = inputBytes - piece.length < SIGNATURE_BYTES && inputBytes >= SIGNATURE_BYTES;
  if (isFirst && kindOf(input.subarray(0, SIGNATURE_BYTES)) === undefined) refuse(REASONS.kind);
}

async function finish(kind: number, payload: Buffer): Promise<void> {
  if (!isAnswered && kind === FRAME.abort) refuse(REASONS.abort);
  if (!isAnswered) await work(payload.readUInt32BE(0));
  inputBytes = 0;
  isAnswered = false;
}

const read = frameReader((kind, payload) => {
  if (kind === FRAME.data) take(payload);
  else void finish(kind, payload);
});

process.stdin.on('data', read);
for (const end of ['end', 'close', 'error']) process.stdin.on(end, leave);
process.stdout.on('error', leave);
// A terminal and service managers signal all processes at once; the server may still wait for this one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

if (process.platform === 'linux') {
  try {
    // When the machine runs out of memory, this process is the one to be killed; see proc_pid_oom_score_adj(5).
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Some containers forbid it; the server is then as likely to be chosen as without us.
  }
}
