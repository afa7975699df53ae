// Creates identifiers from a given clock and source of randomness. The store finds out whether a short one is taken. The
// forms accepted on input are in wire/identifiers.

import { base32hex } from './base32hex.ts';

export interface IdSource {
  /** Prefix and 26 characters holding a UUIDv7: strictly increasing within one source. */
  long(prefix: 'p' | 'r' | 'a' | 'u' | 'v'): string;
  /** Prefix and 7 random characters of `[a-z0-9]`: about 36 bits, so a collision must be expected and retried. */
  short(prefix: 't' | 'c' | 'u'): string;
  /** A UUIDv7 as 36 characters, from the same increasing sequence as the long identifiers. */
  uuid(): string;
}

const LONG_CHARACTERS = 26;
const SHORT_CHARACTERS = 7;
const SHORT_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
/** The largest multiple of 36 in a byte: the remainder of a larger byte would favour the first letters. */
const UNBIASED_BELOW = 252;
/** One byte in 64 is refused; this many in a row mean that the randomness is broken. */
const REFUSED_IN_A_ROW_MAX = 256;

/** RFC 9562 section 6.2 method 1: rand_a (12 bits) and the first 6 bits of rand_b count, the other 56 are random. */
const COUNTER_MAX = 2 ** 18 - 1;
/** Starting in the lower half leaves 131,072 identifiers in a millisecond, about fifty times what one core can create. */
const COUNTER_SEED_MASK = 2 ** 17 - 1;
const MILLISECONDS_MAX = 2 ** 48 - 1;

/** One call to the system's randomness costs more than an identifier, so one call serves hundreds. */
const POOL_BYTES = 4096;

export function createIdSource(now: () => number, random: (bytes: Uint8Array) => void): IdSource {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  const uuidBytes = new Uint8Array(16);
  const uuidBuffer = Buffer.from(uuidBytes.buffer); // the same memory
  let milliseconds = 0;
  let counter = 0;

  function randomByte(): number {
    if (used === POOL_BYTES) {
      random(pool);
      used = 0;
    }
    const byte = pool[used]!;
    used += 1;
    return byte;
  }

  function startMillisecond(value: number): void {
    if (value > MILLISECONDS_MAX) throw new Error('The clock is past what 48 bits of milliseconds hold');
    milliseconds = value;
    counter = ((randomByte() << 16) | (randomByte() << 8) | randomByte()) & COUNTER_SEED_MASK;
  }

  function advance(): void {
    const clock = Math.floor(now());
    if (clock > milliseconds) startMillisecond(clock);
    else if (counter < COUNTER_MAX) counter += 1;
    // A clock that stands still or steps back may not repeat or reorder: the sequence runs ahead of it instead.
    else startMillisecond(milliseconds + 1);
  }

  function fillNext(): void {
    advance();
    uuidBuffer.writeUIntBE(milliseconds, 0, 6);
    uuidBytes[6] = 0x70 | (counter >>> 14);
    uuidBytes[7] = counter >>> 6;
    uuidBytes[8] = 0x80 | (counter & 0x3f);
    for (let index = 9; index < 16; index += 1) uuidBytes[index] = randomByte();
  }

  function shortCharacter(): string {
    for (let refused = 0; refused < REFUSED_IN_A_ROW_MAX; refused += 1) {
      const byte = randomByte();
      if (byte < UNBIASED_BELOW) return SHORT_ALPHABET[byte % SHORT_ALPHABET.length]!;
    }
    throw new Error('The source of randomness repeats itself');
  }

  return {
    long(prefix) {
      fillNext();
      return prefix + base32hex(uuidBytes, LONG_CHARACTERS);
    },
    short(prefix) {
      let text: string = prefix;
      for (let index = 0; index < SHORT_CHARACTERS; index += 1) text += shortCharacter();
      return text;
    },
    uuid() {
      fillNext();
      const hex = uuidBuffer.toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    },
  };
}

/** The time of a UUIDv7, in milliseconds since 1970. */
export const uuidMilliseconds = (uuid: string): number => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);

/** A lower bound of all UUIDv7 of that millisecond and later; every earlier one is below it. */
export function firstUuidAt(milliseconds: number): string {
  const hex = Math.min(Math.max(0, milliseconds), MILLISECONDS_MAX).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** After every UUID. */
export const LAST_KEY = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
