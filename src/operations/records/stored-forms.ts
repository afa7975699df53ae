// Turns the values of a body into what is stored: the canonical JSON, its hash and the projected values.

import type { PreparedCollection } from '../../domain/definition/application.ts';
import { recordHash, recordHashInSlices } from '../../domain/hash.ts';
import { canonicalValues, canonicalValuesInSlices } from '../../domain/records/canonical-json.ts';
import type { Projected } from '../../domain/records/projections.ts';
import { fault } from '../../faults.ts';
import type { Steps } from '../../load/slices.ts';
import { STORED_VALUES_BYTES_MAX } from '../../wire/records.ts';
import type { Values } from '../../wire/values.ts';
import type { InCollection } from '../in-collection.ts';

export interface StoredForm {
  readonly id: string;
  readonly values: Values;
  readonly valuesJson: string;
  readonly hash: string;
  readonly projected: readonly Projected[];
}

export function draft(collection: PreparedCollection, id: string, values: Values): StoredForm {
  const made = redraft(collection, id, values);
  refuseTooLong(made.valuesJson);
  return made;
}

/** Of values that are already stored, whatever their size. */
export function redraft(collection: PreparedCollection, id: string, values: Values): StoredForm {
  const valuesJson = canonicalValues(values);
  return { id, values, valuesJson, hash: recordHash(id, valuesJson), projected: projectedOf(collection, values) };
}

/** Bodies are bounded, but updates of single columns could grow a record, and every page with it, without limit. */
function refuseTooLong(valuesJson: string): void {
  // A UTF-16 unit takes at most three bytes, so ordinary records need not be measured.
  if (valuesJson.length * 3 <= STORED_VALUES_BYTES_MAX || Buffer.byteLength(valuesJson) <= STORED_VALUES_BYTES_MAX)
    return;
  const reason = `the values of the record would take more than ${STORED_VALUES_BYTES_MAX} bytes`;
  throw fault('INVALID_BODY', { reason, maxBytes: STORED_VALUES_BYTES_MAX });
}

/** Projecting shorter values takes less than a tenth of a millisecond, which is not worth an interruption. */
const LONG_VALUES = 4 * 1024;

/** Like `draft`, but can be interrupted if the request is heavy. */
export function* draftInSlices({ scope, collection }: InCollection, id: string, values: Values): Steps<StoredForm> {
  if (!scope.heavy) return draft(collection, id, values);
  const valuesJson = yield* canonicalValuesInSlices(values);
  refuseTooLong(valuesJson);
  if (valuesJson.length < LONG_VALUES) {
    return { id, values, valuesJson, hash: recordHash(id, valuesJson), projected: projectedOf(collection, values) };
  }
  const projected: Projected[] = [];
  for (const projection of collection.projections.all) {
    yield;
    projected.push(
      projection.readInSlices === undefined ? projection.read(values) : yield* projection.readInSlices(values),
    );
  }
  return { id, values, valuesJson, hash: yield* recordHashInSlices(id, valuesJson), projected };
}

/** In the order of the collection's projections; those of the unique columns come first. */
export const projectedOf = ({ projections }: PreparedCollection, values: Values): Projected[] =>
  projections.all.map((projection) => projection.read(values));

/** Of the unique columns alone: the search text takes longer than all others together. */
export const keysOf = ({ projections, uniqueColumns }: PreparedCollection, values: Values): Projected[] =>
  uniqueColumns.map((_, index) => projections.all[index]!.read(values));

/** Times never go backwards for one record, whatever a node's clock says. ISO times compare as text. */
export const laterOf = (one: string, other: string): string => (one > other ? one : other);
