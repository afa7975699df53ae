// The fault for a record that the database refused because another record has its unique value.

import type { PreparedCollection } from '../../domain/definition/application.ts';
import { type DuplicatedValues, type Fault, fault } from '../../faults.ts';
import type { Reader } from '../../store/database/handles.ts';
import { duplicatedColumns } from '../../store/records/records.ts';
import type { StoredForm } from './stored-forms.ts';

/**
 * DUPLICATED_VALUES with every colliding column, if the database refused the record for a unique value; undefined if the
 * error is something else.
 */
export async function duplicatedValues(
  reader: Reader,
  collection: PreparedCollection,
  { error, refused }: { error: unknown; refused: Pick<StoredForm, 'id' | 'projected' | 'values'> },
): Promise<Fault | undefined> {
  const columnIds = await duplicatedColumns(reader, collection, { error, row: refused });
  if (columnIds === undefined) return undefined;
  return fault('DUPLICATED_VALUES', {
    duplicatedValues: columnIds.map((columnId) => ({ columnId, value: refused.values[columnId] })),
  });
}

/** Whether the fault is a DUPLICATED_VALUES that names the column. */
export function isDuplicatedIn(columnId: string, { code, params }: Fault): boolean {
  if (code !== 'DUPLICATED_VALUES') return false;
  return (params as DuplicatedValues).duplicatedValues.some((duplicated) => duplicated.columnId === columnId);
}
