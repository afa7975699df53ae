// ReferenceString, ReferenceNumber and ReferenceUser: a record of the collection that the column's scheme names.
// Only the pointer is stored; the value that it resolves to is looked up for every reply.

import type { ReferenceScheme } from '../../wire/applications.ts';
import { isIdentifier, PATTERNS } from '../../wire/identifiers.ts';
import type { ReferenceTypeName, ReferenceValue } from '../../wire/values.ts';
import {
  describe,
  isJsonObject,
  type JsonObject,
  member,
  quoteClipped,
  readMembers,
  required,
  ValueProblem,
  type ValueType,
} from './value-type.ts';

export const referenceStringType = referenceType('ReferenceString');
export const referenceNumberType = referenceType('ReferenceNumber');
export const referenceUserType = referenceType('ReferenceUser');

function referenceType(name: ReferenceTypeName): ValueType<ReferenceValue, ReferenceScheme> {
  const type: ValueType<ReferenceValue, ReferenceScheme> = {
    name,
    members: ['collectionId', 'columnId', 'recordId', 'recordHash', 'value'],
    required: ['collectionId', 'columnId', 'recordId'],
    sortable: true,
    read(input, { columnId, path, targets }, scheme) {
      const members = readMembers(type, input, path);
      refuseNullInside(members, path);
      requireSame(members, { name: 'collectionId', expected: scheme.collectionId, path });
      requireSame(members, { name: 'columnId', expected: scheme.columnId, path });
      const recordId = required(members, 'recordId', path);
      if (!isIdentifier('recordId', recordId)) {
        throw new ValueProblem(
          `"recordId" must be the identifier of a record, of the form ${PATTERNS.recordId}`,
          `${path}/recordId`,
        );
      }
      const value: ReferenceValue = {
        type: name,
        collectionId: scheme.collectionId,
        columnId: scheme.columnId,
        recordId,
      };
      targets.push({
        kind: 'record',
        columnId,
        path: `${path}/recordId`,
        id: recordId,
        collectionId: scheme.collectionId,
        referredColumnId: scheme.columnId,
        value,
      });
      return value;
    },
    uniqueKey: ({ recordId }) => `=${recordId}`,
  };
  return type;
}

function requireSame(
  members: JsonObject,
  { name, expected, path }: { name: string; expected: string; path: string },
): void {
  const given = required(members, name, path);
  if (given === expected) return;
  const found = typeof given === 'string' ? quoteClipped(given) : describe(given);
  throw new ValueProblem(`"${name}" must be "${expected}", as in the column's scheme, not ${found}`, `${path}/${name}`);
}

/** The referred value is ignored on input, but null is an error anywhere inside a value. A referred value is flat. */
function refuseNullInside(members: JsonObject, path: string): void {
  const referred = member(members, 'value');
  if (!isJsonObject(referred)) return;
  for (const name of Object.keys(referred)) {
    if (referred[name] === null) throw new ValueProblem(`${quoteClipped(name)} must not be null`, `${path}/value`);
  }
}
