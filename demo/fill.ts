// Turns a planned record into the body that creates it: names and keys become identifiers of the server.

import type { Collection, Column } from '../src/wire/applications.ts';
import type { NewRecord } from '../src/wire/records.ts';
import type { PlannedRecord, PlannedValue } from './record-plan.ts';

/** What exists already: people by name, records by key, pictures by the name of their file. */
export interface Known {
  readonly userIds: ReadonlyMap<string, string>;
  readonly recordIds: ReadonlyMap<string, string>;
  readonly attachmentIds: ReadonlyMap<string, string>;
}

export function fillRecord(collection: Collection, record: PlannedRecord, known: Known): NewRecord {
  const values: NewRecord['values'] = {};
  for (const [name, value] of Object.entries(record.values)) {
    if (value === undefined) continue;
    const column = collection.columns.find((one) => one.name === name);
    if (column === undefined) throw new Error(`The collection ${collection.name} has no column ${name}.`);
    values[column.id] = fillValue(column, value, known);
  }
  return { values, creatorId: identifierOf(known.userIds, record.creator) };
}

function fillValue(column: Column, value: PlannedValue, known: Known): unknown {
  if ('person' in value) return { type: value.type, id: identifierOf(known.userIds, value.person) };
  if ('fileName' in value) return { type: value.type, id: identifierOf(known.attachmentIds, value.fileName) };
  if (!('key' in value)) return value;
  const { collectionId, columnId } = referredBy(column);
  return { type: value.type, collectionId, columnId, recordId: identifierOf(known.recordIds, value.key) };
}

function referredBy(column: Column): { collectionId: string; columnId: string } {
  if ('scheme' in column && 'collectionId' in column.scheme) return column.scheme;
  throw new Error(`The column ${column.name} refers to nothing.`);
}

function identifierOf(identifiers: ReadonlyMap<string, string>, name: string): string {
  const id = identifiers.get(name);
  if (id === undefined) throw new Error(`Nothing called ${name} has been created.`);
  return id;
}
