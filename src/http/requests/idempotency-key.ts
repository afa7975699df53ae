// The header Idempotency-Key, and what makes two requests the same one.

import { sha256Hex } from '../../domain/hash.ts';
import { fault } from '../../faults.ts';
import type { Input } from './input.ts';
import type { Parameter, Parameters } from './query.ts';

const NAME = 'Idempotency-Key';
export const KEY_HEADER = 'idempotency-key';
const KEY_LENGTH_MAX = 128;
/** Of a header that was sent twice Node joins the values with a comma and a space, which no key has. */
const KEY = new RegExp(`^[!-~]{1,${KEY_LENGTH_MAX}}$`);

export const KEY_PARAMETER: Parameter = {
  schema: { type: 'string', pattern: KEY.source },
  sentence: 'Makes the request safe to repeat: the same key and body get the reply of the first time, for 24 hours.',
};

export const KEY_PARAMETERS = { [NAME]: KEY_PARAMETER } as const;

export function readKey(value: string | readonly string[]): string {
  const key = String(value);
  if (KEY.test(key)) return key;
  const reason = `must be 1 to ${KEY_LENGTH_MAX} visible ASCII characters, and be given once`;
  throw fault('INVALID_PARAMETER', { parameter: NAME, reason });
}

interface KeyedRow {
  readonly operation: string;
  readonly headers?: Parameters;
  readonly takesBytes?: true;
}

/** What is asked for, without the body: the operation, what the path names, and the headers that the operation reads. */
export function fingerprintOf(row: KeyedRow, { params, header }: Pick<Input<unknown>, 'params' | 'header'>): string {
  const names = Object.keys(row.headers ?? {}).filter((name) => name !== NAME);
  const type = row.takesBytes === true ? withoutBoundary(header('content-type')) : undefined;
  const headers = names.map((name) => [name, header(name.toLowerCase())]);
  return sha256Hex(JSON.stringify([row.operation, Object.entries(params), headers, type]));
}

/** Each form has a boundary of its own, and the type of the file inside of it. */
const withoutBoundary = (type: string | undefined): string | undefined =>
  type?.replace(/^(multipart\/[^;]*);.*$/is, '$1');
