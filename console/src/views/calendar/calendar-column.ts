// The column by which a calendar places records, and what happens to its value when a record is moved to another day.

import type { CollectionDefinition, RawRecord, RawValue } from '../../../../client/src/shapes.ts';
import { type Day, localDay, momentOf, onDay } from '../days.ts';
import { columnsOf } from '../grouping.ts';

/** A column, or when a record was created or updated. */
export interface CalendarColumn {
  readonly id: string;
  readonly type: 'Date' | 'DateTime';
  /** What the server keeps itself cannot be moved. */
  readonly movable: boolean;
  readonly sortable: boolean;
}

const MEMBERS = ['createdAt', 'updatedAt'] as const;
export type CalendarMember = (typeof MEMBERS)[number];

/** The records of a day are found by searches, so the column must be searchable. */
export function calendarColumns(collection: CollectionDefinition): readonly CalendarColumn[] {
  const own = columnsOf(collection, 'Date', 'DateTime').filter(({ searchable }) => searchable);
  return [
    ...own.map(({ id, type, sortable }) => ({ id, type: type as CalendarColumn['type'], movable: true, sortable })),
    ...MEMBERS.map((id) => ({ id, type: 'DateTime', movable: false, sortable: true }) as const),
  ];
}

/** The moment or day of a record; undefined without one. */
export function timeOf(record: RawRecord, { id }: CalendarColumn): string | undefined {
  if (id === 'createdAt' || id === 'updatedAt') return record[id];
  const value = record.values[id];
  return value?.type === 'Date' || value?.type === 'DateTime' ? value.value : undefined;
}

export function dayOf(record: RawRecord, column: CalendarColumn, zone: string): Day | undefined {
  const time = timeOf(record, column);
  if (time === undefined) return undefined;
  return column.type === 'Date' ? time : localDay(new Date(time), zone);
}

/** The value of a record on another day. A moment keeps its time of day. */
export function movedValue(record: RawRecord, column: CalendarColumn, day: Day, zone: string): RawValue {
  const time = timeOf(record, column);
  if (column.type === 'Date' || time === undefined) return newValue(column, day, zone);
  return { type: 'DateTime', value: onDay(new Date(time), day, zone).toISOString() };
}

/** Work begins at about this hour. */
const MORNING = '09:00:00';

/** The value of a new record on a day. */
export const newValue = ({ type }: CalendarColumn, day: Day, zone: string): RawValue =>
  type === 'Date' ? { type, value: day } : { type, value: momentOf(`${day}T${MORNING}`, zone).toISOString() };
