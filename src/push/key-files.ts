// The key files by which an operator enables FCM and APNs, checked before the server starts.

import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isConfidential } from '../domain/loopback.ts';

/** The message follows the name of the setting: `CARTULARY_… has no keyId`. */
export class KeyFileError extends Error {}

/** The service account file of Google's console; `origin` is an addition for sending through a relay. */
export interface FcmAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly privateKey: string;
  readonly tokenUri: string;
  readonly origin: string;
}

export interface ApnsAccount {
  readonly key: string;
  readonly keyId: string;
  readonly teamId: string;
  readonly topic: string;
  readonly origin: string;
}

const FCM_ORIGIN = 'https://fcm.googleapis.com';
const GOOGLE_TOKENS = 'https://oauth2.googleapis.com/token';
const APNS_ORIGIN = 'https://api.push.apple.com';

export function readFcmAccount(file: string): FcmAccount {
  const account = readMembers(file);
  return {
    projectId: text(account, 'project_id', /^[a-z0-9:.-]+$/),
    clientEmail: text(account, 'client_email', /^\S+@\S+$/),
    privateKey: privateKey(text(account, 'private_key'), 'private_key', 'rsa'),
    tokenUri: address(account, 'token_uri', GOOGLE_TOKENS).href,
    origin: address(account, 'origin', FCM_ORIGIN).origin,
  };
}

export function readApnsAccount(file: string): ApnsAccount {
  const account = readMembers(file);
  const keyFile = account.keyFile === undefined ? undefined : text(account, 'keyFile');
  if ((keyFile === undefined) === (account.key === undefined))
    throw new KeyFileError('must have either key or keyFile');
  const key = keyFile === undefined ? text(account, 'key') : read(resolve(dirname(file), keyFile));
  return {
    key: privateKey(key, keyFile === undefined ? 'key' : 'keyFile', 'ec'),
    keyId: text(account, 'keyId', /^[A-Z0-9]{10}$/),
    teamId: text(account, 'teamId', /^[A-Z0-9]{10}$/),
    topic: text(account, 'topic', /^[\w.-]+$/),
    origin: address(account, 'origin', APNS_ORIGIN).origin,
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new KeyFileError(`cannot be read: ${(error as NodeJS.ErrnoException).code ?? ''} ${file}`);
  }
}

function readMembers(file: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(read(file));
  } catch (error) {
    if (error instanceof KeyFileError) throw error;
    throw new KeyFileError('is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new KeyFileError('is not a JSON object');
  return value as Record<string, unknown>;
}

function text(account: Record<string, unknown>, member: string, pattern = /\S/): string {
  const value = account[member];
  if (value === undefined) throw new KeyFileError(`has no ${member}`);
  if (typeof value !== 'string' || !pattern.test(value)) throw new KeyFileError(`has a ${member} in the wrong format`);
  return value;
}

/** Error messages never contain the key. */
function privateKey(pem: string, member: string, type: 'rsa' | 'ec'): string {
  try {
    const key = createPrivateKey(pem);
    const curve = key.asymmetricKeyDetails?.namedCurve;
    if (key.asymmetricKeyType === type && (type === 'rsa' || curve === 'prime256v1')) {
      return key.export({ type: 'pkcs8', format: 'pem' }) as string;
    }
  } catch {
    // Reported below.
  }
  throw new KeyFileError(`has a ${member} that is not a private ${type === 'rsa' ? 'RSA' : 'P-256'} key`);
}

/** Plain http is allowed for loopback addresses only. */
function address(account: Record<string, unknown>, member: string, fallback: string): URL {
  const value = account[member] === undefined ? fallback : text(account, member);
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && isConfidential(url)) return url;
  throw new KeyFileError(`has a ${member} that is not an https address`);
}
