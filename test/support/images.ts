// What the tests of thumbnails share: images made on the spot, ways to hand them over, and a look at the process that
// decodes them. No expectation lives here.
import { readdirSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { type Image, Thumbnails } from '../../src/images/thumbnails.ts';

/** What is used of node:test's context, whose type the oldest supported Node does not export. */
export interface Cleanup {
  after(clean: () => Promise<void>): void;
}

export function started(t: Cleanup, bounds: ConstructorParameters<typeof Thumbnails>[0] = {}): Thumbnails {
  const thumbnails = new Thumbnails(bounds);
  t.after(() => thumbnails.close());
  return thumbnails;
}

/** In pieces, as from a disk. */
export function streamOf(bytes: Buffer | string): Readable {
  const whole = Buffer.from(bytes);
  const pieces: Buffer[] = [];
  for (let at = 0; at < whole.length; at += 50_000) pieces.push(whole.subarray(at, at + 50_000));
  return Readable.from(pieces, { objectMode: false });
}

let images = 0;

/** Each of a name of its own. */
export function imageOf(source: Readable, tenant = 'one'): Image {
  images += 1;
  return { name: `image ${images}`, tenant, open: async () => source };
}

export const RED = { r: 220, g: 20, b: 20 };
export const BLUE = { r: 20, g: 20, b: 220 };

/** Red on the left half, blue on the right. */
export function twoColours(width: number, height: number): Sharp {
  const half = { create: { width: Math.floor(width / 2), height, channels: 3 as const, background: BLUE } };
  return sharp({ create: { width, height, channels: 3, background: RED } }).composite([
    { input: half, left: Math.ceil(width / 2), top: 0 },
  ]);
}

export function noise(width: number, height: number): Sharp {
  return sharp({
    create: { width, height, channels: 3, background: RED, noise: { type: 'gaussian', mean: 128, sigma: 40 } },
  });
}

/** The colour of one pixel, as `red`, `blue`, `clear` or its numbers. */
export async function colourAt(image: Buffer, left: number, top: number): Promise<string> {
  const [r = 0, g = 0, b = 0, a = 255] = await sharp(image)
    .extract({ left, top, width: 1, height: 1 })
    .raw()
    .toBuffer();
  if (a < 40) return 'clear';
  if (r > 150 && g < 90 && b < 90) return 'red';
  return b > 150 && r < 90 && g < 90 ? 'blue' : `${r} ${g} ${b} ${a}`;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** A PNG of one bit per pixel that says how large it is, with as many bytes of pixels as wanted. */
export function pngOf(width: number, height: number, pixelBytes: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(1, 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(pixelBytes))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** All black, a hundred million pixels: seconds of decoding from a few kilobytes. */
export const largest = (): Buffer => pngOf(10_000, 10_000, 10_000 * (1 + 1250));

/** A GIF whose one frame says how large it is, and holds next to nothing. */
export function gifOf(width: number, height: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  const bytes = (hex: string) => Buffer.from(hex, 'hex');
  const screen = [Buffer.from('GIF89a'), size, bytes('800000'), bytes('000000ffffff')];
  return Buffer.concat([...screen, bytes('2c00000000'), size, bytes('00'), bytes('02024c0100'), bytes('3b')]);
}

/** Living processes that decode images for the process `parent`. */
export function workersOf(parent: number = process.pid): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const isOurs = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('thumbnail-worker.js');
        return isOurs && Number(ppid) === parent && state !== 'Z';
      } catch {
        return false;
      }
    });
}

export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}

export async function eventually(done: () => boolean, what: string, boundMs = 15_000): Promise<void> {
  for (const deadline = Date.now() + boundMs; !done(); await sleep(15)) {
    if (Date.now() > deadline) throw new Error(`Waited ${boundMs} ms in vain for: ${what}`);
  }
}
