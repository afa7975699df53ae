// The program that decodes uploaded images in a process of its own. It holds no secrets and no connections; it may crash,
// hang or be killed, and is replaced. It exits when its stdin closes, so it never outlives the server.

import { writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { fitsInMemory, kindOf, PIXELS_MAX, SIGNATURE_BYTES } from './image-kinds.ts';
import { FRAME, frameHeader, frameReader, INPUT_BYTES_MAX } from './thumbnail-frames.ts';

/** More than any image within the bounds was measured to need. */
const MEMORY_BYTES_MAX = 600_000_000;
const MEMORY_WATCH_MS = 25;
const DETAIL_CHARACTERS_MAX = 500;

const REASONS = {
  kind: 'The file is not a JPEG, PNG, WebP, GIF, AVIF or TIFF image.',
  bytes: `The file is larger than ${INPUT_BYTES_MAX / 1024 / 1024} MiB.`,
  pixels: 'The image has too many pixels.',
  memory: 'The image needs too much memory.',
  damage: 'The image is damaged or incomplete.',
  abort: 'The file ended early.',
} as const;

class Refusal extends Error {}

sharp.cache(false);
sharp.concurrency(1);
// An allowlist: later versions of libvips may bring loaders that have not been reviewed.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Tiff'].map((loader) => `VipsForeignLoad${loader}Buffer`),
});

// Virtual memory: only the pages that a file has touched are resident.
const input = Buffer.allocUnsafeSlow(INPUT_BYTES_MAX);
let inputBytes = 0;
let hasReplied = false;

/** `process.exit()` would wait for the decoding thread. */
function exitAtOnce(): void {
  process.kill(process.pid, 'SIGKILL');
}

function reply(kind: number, payload: Buffer): void {
  hasReplied = true;
  process.stdout.write(frameHeader(kind, payload.length));
  process.stdout.write(payload);
}

function refuse(reason: string, detail = ''): void {
  reply(FRAME.refused, Buffer.from(`${reason}\n${detail.slice(0, DETAIL_CHARACTERS_MAX)}`));
}

async function thumbnailOf(bytes: Buffer, size: number): Promise<Buffer> {
  const kind = kindOf(bytes.subarray(0, SIGNATURE_BYTES));
  if (kind === undefined) throw new Refusal(REASONS.kind);
  const open = () =>
    sharp(bytes, { limitInputPixels: PIXELS_MAX, sequentialRead: true, failOn: 'error', page: 0, pages: 1 });
  const header = await open().metadata();
  // HEIC and AVIF share a container format; the compression tells them apart.
  if (kind === 'avif' && header.compression !== 'av1') throw new Refusal(REASONS.kind);
  if (!fitsInMemory(kind, header)) throw new Refusal(REASONS.pixels);
  return open()
    .autoOrient()
    .resize({ width: size, height: size, fit: 'inside', withoutEnlargement: true })
    .webp()
    .toBuffer();
}

/** A second defence, for an image crafted to need more memory than `fitsInMemory` predicts. */
function watchMemory(): NodeJS.Timeout {
  return setInterval(() => {
    if (process.memoryUsage.rss() <= MEMORY_BYTES_MAX || hasReplied) return;
    reply(FRAME.leaving, Buffer.from(REASONS.memory));
  }, MEMORY_WATCH_MS);
}

async function work(size: number): Promise<void> {
  const watch = watchMemory();
  try {
    const thumbnail = await thumbnailOf(input.subarray(0, inputBytes), size);
    if (!hasReplied) reply(FRAME.thumbnail, thumbnail);
  } catch (error) {
    if (hasReplied) return;
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof Refusal) refuse(message);
    else refuse(message.includes('exceeds pixel limit') ? REASONS.pixels : REASONS.damage, message);
  } finally {
    clearInterval(watch);
  }
}

function receive(chunk: Buffer): void {
  if (hasReplied) return;
  if (inputBytes + chunk.length > INPUT_BYTES_MAX) {
    refuse(REASONS.bytes);
    return;
  }
  chunk.copy(input, inputBytes);
  inputBytes += chunk.length;
  // Checked as soon as the signature has arrived, so that a video is not transferred in full.
  const isFirst = inputBytes - chunk.length < SIGNATURE_BYTES && inputBytes >= SIGNATURE_BYTES;
  if (isFirst && kindOf(input.subarray(0, SIGNATURE_BYTES)) === undefined) refuse(REASONS.kind);
}

async function finish(kind: number, payload: Buffer): Promise<void> {
  if (!hasReplied && kind === FRAME.abort) refuse(REASONS.abort);
  if (!hasReplied) await work(payload.readUInt32BE(0));
  inputBytes = 0;
  hasReplied = false;
}

const read = frameReader((kind, payload) => {
  if (kind === FRAME.data) receive(payload);
  else void finish(kind, payload);
});

process.stdin.on('data', read);
for (const end of ['end', 'close', 'error']) process.stdin.on(end, exitAtOnce);
process.stdout.on('error', exitAtOnce);
// Terminals and service managers signal the whole process group; a server that is shutting down may still wait for this job.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

if (process.platform === 'linux') {
  try {
    // When memory runs out, the kernel kills this process first; see proc_pid_oom_score_adj(5).
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Some containers forbid it.
  }
}
