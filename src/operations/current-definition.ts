// A request during which its application is published again starts over with the new definition. The fence
// (store/records/fence) ensures that nothing was written with the old one. If something was written before the
// definition changed, the request does not start over (store/database/committed-writes).

import type { Context } from '../context.ts';
import { Fault, type FaultCode, fault, tooBusy } from '../faults.ts';
import type { WriteCounter } from '../store/database/committed-writes.ts';
import { StaleDefinition } from '../store/database/database-errors.ts';
import { fenceGeneration } from '../store/records/fence.ts';

const ATTEMPTS = 5;

/** Refusals that may be due to a stale definition. */
const REFUSALS: ReadonlySet<FaultCode> = new Set([
  'INVALID_VALUE',
  'INVALID_PARAMETER',
  'INVALID_SEARCH',
  'COLUMN_NOT_SORTABLE',
  'INVALID_UPSERT_KEY',
  'MISSING_UPSERT_KEY_VALUE',
  'FORBIDDEN',
  'COLLECTION_NOT_FOUND',
  'COLUMN_NOT_FOUND',
  'MISSING_PROPERTY',
  'UNEXPECTED_PROPERTY',
  'UNKNOWN_PROFILE',
  'UNKNOWN_TEAM',
  'FEATURE_DISABLED',
  'NOT_IN_SHARED_USERS_MODE',
]);

/** Turns a refusal by a stale definition into StaleDefinition. */
export async function recheckRefusal(
  error: unknown,
  { store, application }: Context,
  { committedWrites }: WriteCounter,
): Promise<unknown> {
  if (!(error instanceof Fault) || !REFUSALS.has(error.code)) return error;
  // The writes before the refusal passed the fence, so the definition was current then.
  if (committedWrites > 0) return error;
  const { text, params } = fenceGeneration(store.schema);
  const rows = await store.rows(text, params);
  return rows[0]?.[0] === application.generation ? error : new StaleDefinition();
}

/** For a request that cannot start over, because its body was read or its reply begun. */
export const staleAsBusy = (error: unknown): unknown => (error instanceof StaleDefinition ? tooBusy() : error);

/** `writes`: of whatever `work` writes, which must go through handles of that request. */
export async function withCurrentDefinition<T>(
  writes: WriteCounter,
  work: () => Promise<T>,
  forget: () => void,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StaleDefinition)) throw error;
      if (writes.committedWrites > 0) throw halfDone(error);
      if (attempt === ATTEMPTS) throw tooBusy();
      forget();
    }
  }
}

/** The request can neither start over nor report what was written: the result is unknown (docs/errors.md). */
function halfDone(error: StaleDefinition): Fault {
  const unknown = fault('UNAVAILABLE', { reason: 'database' }, { 'retry-after': '1' });
  unknown.cause = error;
  return unknown;
}
