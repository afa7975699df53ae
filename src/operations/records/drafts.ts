// From the values of a body to what is stored: the canonical text, its hash and what is projected of them.

import type { ActivityKind } from '../../domain/activity/activity.ts';
import type { PreparedCollection } from '../../domain/definition/application.ts';
import { recordHash } from '../../domain/hash.ts';
import { canonicalJson, canonicalPieces } from '../../domain/records/canonical-json.ts';
import type { Projected } from '../../domain/records/projections.ts';
import { type DuplicatedValues, type Fault, fault } from '../../faults.ts';
import type { Steps } from '../../request/slices.ts';
import type { SubjectEntry } from '../../store/activity/logged-write.ts';
import type { Reader } from '../../store/database/handles.ts';
import { duplicatedColumns } from '../../store/records/records.ts';
import { STORED_VALUES_BYTES_MAX } from '../../wire/records.ts';
import type { Values } from '../../wire/values.ts';
import { activityEntries } from '../activity/entries.ts';
import type { InCollection } from '../in-collection.ts';

export interface Draft {
  readonly id: string;
  readonly values: Values;
  readonly valuesJson: string;
  readonly hash: string;
  readonly projected: readonly Projected[];
}

export function draft(collection: PreparedCollection, id: string, values: Values): Draft {
  const made = redraft(collection, id, values);
  refuseTooLong(made.valuesJson);
  return made;
}

/** Of values that are stored already, whatever their size. */
export function redraft(collection: PreparedCollection, id: string, values: Values): Draft {
  const valuesJson = canonicalJson(values);
  return { id, values, valuesJson, hash: recordHash(id, valuesJson), projected: projectedOf(collection, values) };
}

/** Bodies are bounded, but changes of single columns could grow a record, and every page with it, without end. */
function refuseTooLong(valuesJson: string): void {
  // No UTF-16 unit takes more than three bytes: ordinary records need not be measured.
  if (valuesJson.length * 3 <= STORED_VALUES_BYTES_MAX || Buffer.byteLength(valuesJson) <= STORED_VALUES_BYTES_MAX)
    return;
  const reason = `the values of the record would take more than ${STORED_VALUES_BYTES_MAX} bytes`;
  throw fault('INVALID_BODY', { reason, maxBytes: STORED_VALUES_BYTES_MAX });
}

/** The same, with an end to each step where it may take long. */
export function* draftInSlices({ scope, collection }: InCollection, id: string, values: Values): Steps<Draft> {
  if (!scope.heavy) return draft(collection, id, values);
  const valuesJson = yield* canonicalPieces(values);
  refuseTooLong(valuesJson);
  const projected: Projected[] = [];
  for (const projection of collection.projections.all) {
    yield;
    projected.push(projection.read(values));
  }
  return { id, values, valuesJson, hash: recordHash(id, valuesJson), projected };
}

/** In the order of the collection's projections, of which those of the unique columns are the first. */
export const projectedOf = ({ projections }: PreparedCollection, values: Values): Projected[] =>
  projections.all.map((projection) => projection.read(values));

/** Times never go backwards for one record, whatever a node's clock says. ISO times compare as text. */
export const laterOf = (one: string, other: string): string => (one > other ? one : other);

/** One entry for each record; none when the application does not log. */
export const recordEntries = (
  at: InCollection,
  { kind, recordIds }: { kind: ActivityKind; recordIds: readonly string[] },
): SubjectEntry[] =>
  activityEntries(
    at,
    { kind, member: 'recordId' },
    recordIds.map((recordId) => ({ recordId })),
  );

/**
 * DUPLICATED_VALUES when the database refused the record for a unique column, with every column that collides;
 * undefined when the error is something else.
 */
export async function duplicatedValues(
  reader: Reader,
  collection: PreparedCollection,
  { error, refused }: { error: unknown; refused: Pick<Draft, 'id' | 'projected' | 'values'> },
): Promise<Fault | undefined> {
  const columnIds = await duplicatedColumns(reader, collection, { error, row: refused });
  if (columnIds === undefined) return undefined;
  return fault('DUPLICATED_VALUES', {
    duplicatedValues: columnIds.map((columnId) => ({ columnId, value: refused.values[columnId] })),
  });
}

/** Whether the column is among those that DUPLICATED_VALUES names. */
export function isDuplicatedIn(columnId: string, { code, params }: Fault): boolean {
  if (code !== 'DUPLICATED_VALUES') return false;
  return (params as DuplicatedValues).duplicatedValues.some((duplicated) => duplicated.columnId === columnId);
}
