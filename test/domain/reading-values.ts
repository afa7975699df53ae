// Reads one value into its column and looks at what comes back, for the tests of values. Not a test itself.

import assert from 'node:assert/strict';
import { readValues } from '../../src/domain/values/read-values.ts';
import { Fault } from '../../src/faults.ts';
import type { Value } from '../../src/wire/values.ts';
import { COLUMNS, columnIdOf } from './value-columns.ts';

export const USER = 'u1234567';
export const ATTACHMENT = `a${'0'.repeat(26)}`;
export const RECORD = `r${'0'.repeat(26)}`;

/** Reads one value sent as JSON text would be. */
export function read(label: string, input: unknown) {
  return readValues(COLUMNS, { [columnIdOf(label)]: input }, { nullRemoves: false });
}

export function stored(label: string, input: unknown): Value | undefined {
  return read(label, input).values[columnIdOf(label)];
}

export function refusal(action: () => unknown): { columnId: string; reason: string; path?: string } {
  try {
    action();
  } catch (error) {
    assert.ok(error instanceof Fault && error.code === 'INVALID_VALUE', String(error));
    return error.params as { columnId: string; reason: string; path?: string };
  }
  assert.fail('accepted');
}

export function assertRefused(label: string, input: unknown, reason: RegExp, path?: string): void {
  const params = refusal(() => stored(label, input));
  const shown = `${label} ${JSON.stringify(input)?.slice(0, 100)}`;
  assert.equal(params.columnId, columnIdOf(label), shown);
  assert.match(params.reason, reason, shown);
  assert.equal(params.path, path, shown);
  assert.equal(Object.hasOwn(params, 'path'), path !== undefined, shown);
}
