// SHA-256 of a file in pieces: the browser's own takes only what is in memory as a whole, and only over HTTPS.

import type { ByteSource } from '../../../../src/moving/formats/text.ts';

const BLOCK = 64;
const K = new Uint32Array(64);
const START = new Uint32Array(8);

/** The constants are parts of the roots of the first primes (FIPS 180-4). */
function fractionOf(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}
for (let candidate = 2, found = 0; found < 64; candidate += 1) {
  let isPrime = true;
  for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) if (candidate % divisor === 0) isPrime = false;
  if (!isPrime) continue;
  if (found < 8) START[found] = fractionOf(Math.sqrt(candidate));
  K[found] = fractionOf(Math.cbrt(candidate));
  found += 1;
}

export async function contentHash(source: ByteSource): Promise<string> {
  const state = START.slice();
  const words = new Uint32Array(64);
  let rest = new Uint8Array(0);
  let length = 0;
  for await (const piece of source.read(0, source.size)) {
    length += piece.length;
    const bytes = rest.length === 0 ? piece : joined(rest, piece);
    const whole = bytes.length - (bytes.length % BLOCK);
    for (let at = 0; at < whole; at += BLOCK) mix(state, words, bytes, at);
    rest = bytes.slice(whole);
  }
  const end = padded(rest, length);
  for (let at = 0; at < end.length; at += BLOCK) mix(state, words, end, at);
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

function padded(rest: Uint8Array, length: number): Uint8Array {
  const end = new Uint8Array(Math.ceil((rest.length + 9) / BLOCK) * BLOCK);
  end.set(rest);
  end[rest.length] = 0x80;
  new DataView(end.buffer).setBigUint64(end.length - 8, BigInt(length) * 8n);
  return end;
}

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function mix(state: Uint32Array, words: Uint32Array, bytes: Uint8Array, from: number): void {
  for (let at = 0; at < 16; at += 1) {
    const byte = from + 4 * at;
    words[at] =
      ((bytes[byte] ?? 0) << 24) |
      ((bytes[byte + 1] ?? 0) << 16) |
      ((bytes[byte + 2] ?? 0) << 8) |
      (bytes[byte + 3] ?? 0);
  }
  for (let at = 16; at < 64; at += 1) {
    const [early, late] = [words[at - 15] ?? 0, words[at - 2] ?? 0];
    const one = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const two = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words[at] = (words[at - 16] ?? 0) + one + (words[at - 7] ?? 0) + two;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let at = 0; at < 64; at += 1) {
    const first =
      h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + (K[at] ?? 0) + (words[at] ?? 0);
    const second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at] ?? 0) + word;
}
