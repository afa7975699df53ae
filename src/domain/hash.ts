// Digests that are not secret: the record hash and the key of an over-long text. Passwords and tokens are hashed by functions
// of their own.

import { hash } from 'node:crypto';
import { base32hex } from './base32hex.ts';

const RECORD_HASH_CHARACTERS = 26;
const SHA256_BYTES = 32;

/** Changes exactly when the values do: all identifiers have one length, so the concatenation is unambiguous. */
export function recordHash(recordId: string, canonicalValues: string): string {
  // One call instead of the three of createHash: 1.7 µs for a record instead of 4.4.
  const digest = hash('sha256', recordId + canonicalValues, 'binary');
  const bytes = new Uint8Array(SHA256_BYTES);
  for (let index = 0; index < SHA256_BYTES; index += 1) bytes[index] = digest.charCodeAt(index);
  return base32hex(bytes, RECORD_HASH_CHARACTERS);
}

export function sha256Hex(text: string | Buffer): string {
  return hash('sha256', text, 'hex');
}
