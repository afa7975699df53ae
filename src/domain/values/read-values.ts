// Reads the `values` of a record from a request: refuses unknown columns and wrong values. Only here does a problem with a
// value become a fault. The operations look up the users, attachments and records that values name.

import { fault } from '../../faults.ts';
import type { Column } from '../../wire/applications.ts';
import type { Value, Values } from '../../wire/values.ts';
import { arrayType } from './array.ts';
import { objectType } from './object.ts';
import { readSimple } from './simple-types.ts';
import { clip, type LookupTarget, type ReadContext, ValueProblem } from './value-type.ts';
import { REFERENCE_VALUE_TYPES } from './value-types.ts';

export interface ReadValues {
  /** As stored; members that the server fills in are '' or 0 until the lookup. */
  values: Values;
  /** Columns with a null entry, in input order. */
  removed: string[];
  /** What has to be looked up, in input order. */
  targets: LookupTarget[];
}

/**
 * Checks the `values` of an input against the collection's columns and reports the first problem in input order as
 * INVALID_VALUE. `nullRemoves`: whether a null entry is allowed, which it is with `replace` false.
 */
export function readValues(
  columns: ReadonlyMap<string, Column>,
  input: Record<string, unknown>,
  options: { nullRemoves: boolean },
): ReadValues {
  const read: ReadValues = { values: {}, removed: [], targets: [] };
  for (const columnId of Object.keys(input)) {
    const column = columns.get(columnId);
    if (column === undefined) throw unknownColumn(columns, columnId);
    const entry = input[columnId];
    if (entry !== null) {
      read.values[columnId] = readEntry(column, entry, { columnId, path: '', targets: read.targets });
    } else if (options.nullRemoves) {
      read.removed.push(columnId);
    } else {
      throw invalid(
        columnId,
        'null, which removes a value, is only allowed with "replace": false; leave the column out',
      );
    }
  }
  return read;
}

function readEntry(column: Column, entry: unknown, context: ReadContext): Value {
  try {
    switch (column.type) {
      case 'Object':
        return objectType.read(entry, context, column.scheme);
      case 'Array':
        return arrayType.read(entry, context, column.scheme);
      case 'ReferenceString':
      case 'ReferenceNumber':
      case 'ReferenceUser':
        return REFERENCE_VALUE_TYPES[column.type].read(entry, context, column.scheme);
      default:
        return readSimple(column.type, entry, context);
    }
  } catch (problem) {
    if (problem instanceof ValueProblem) throw invalid(context.columnId, problem.reason, problem.path);
    throw problem;
  }
}

/** Values are keyed by the IDs of columns; a name is a frequent mistake. */
function unknownColumn(columns: ReadonlyMap<string, Column>, given: string) {
  const reason = 'the collection has no such column';
  const ids = [...columns.values()].filter(({ name }) => name === given).map(({ id }) => id);
  if (ids.length === 0) return invalid(given, reason);
  const found = ids.length === 1 ? 'the column of that name has the ID' : 'the columns of that name have the IDs';
  return invalid(given, `${reason}; ${found} ${ids.join(', ')}`);
}

function invalid(columnId: string, reason: string, path = '') {
  return fault('INVALID_VALUE', { columnId: clip(columnId), reason, ...(path === '' ? {} : { path }) });
}
