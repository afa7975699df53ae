// A value that a new record begins with, in the address of its form: the day of a calendar, the lane of a board.

import type { CollectionDefinition, RawValue } from '../../../client/src/shapes.ts';
import { isDay } from './days.ts';

/** Of the types that views arrange records by. */
export function writeGiven(columnId: string, value: RawValue): string | undefined {
  switch (value.type) {
    case 'String':
    case 'Date':
    case 'DateTime':
      return `${columnId}:${value.value}`;
    case 'Boolean':
      return `${columnId}:${String(value.value)}`;
    default:
      return undefined;
  }
}

/** Links can hold anything: what does not fit its column is left out. */
export function readGiven(given: string | undefined, { columns }: CollectionDefinition): Record<string, RawValue> {
  const [, id, text] = /^([^:]*):(.*)$/s.exec(given ?? '') ?? [];
  const column = columns.find((each) => each.id === id);
  if (column === undefined || text === undefined) return {};
  const value = parsed(column.type, text);
  return value === undefined ? {} : { [column.id]: value };
}

function parsed(type: string, text: string): RawValue | undefined {
  if (type === 'String') return { type, value: text };
  if (type === 'Boolean' && (text === 'true' || text === 'false')) return { type, value: text === 'true' };
  if (type === 'Date' && isDay(text)) return { type, value: text };
  if (type !== 'DateTime' || Number.isNaN(Date.parse(text))) return undefined;
  return { type, value: new Date(text).toISOString() };
}
