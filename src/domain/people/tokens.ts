// API tokens: `<TOKEN_ID>.<SECRET_TOKEN>`. Only a SHA-256 of the secret is ever stored; with 256 random bits nothing
// slower is needed.

import { hash, timingSafeEqual } from 'node:crypto';

const TOKEN = /^([0-9a-z]{1,64})\.([A-Za-z0-9_-]{16,128})$/;

export const SECRET_BYTES = 32;

export interface PresentedToken {
  readonly id: string;
  readonly secret: string;
}

export function readToken(text: string): PresentedToken | undefined {
  const parts = TOKEN.exec(text);
  return parts?.[1] !== undefined && parts[2] !== undefined ? { id: parts[1], secret: parts[2] } : undefined;
}

export const secretHash = (secret: string): Uint8Array => hash('sha256', secret, 'buffer');

export const secretMatches = (secret: string, stored: Uint8Array): boolean =>
  timingSafeEqual(secretHash(secret), stored);
