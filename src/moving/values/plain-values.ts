// From a value to a cell: the form that reading a file understands again.

import { localTime } from '../../domain/dates/time-zones.ts';
import { type Cell, SheetDate } from '../formats/table.ts';
import type { WireValue } from './cell-values.ts';

export interface Writing {
  /** Undefined for UTC. */
  readonly timeZone: string | undefined;
  readonly user: (id: string, name: string) => string;
  /** The path of the file that the export writes for the attachment. */
  readonly attachment: (value: WireValue) => string;
}

/** `reference`: what stands for a referred record. */
export function plainCell(
  value: WireValue | undefined,
  writing: Writing,
  reference?: (value: WireValue) => Cell,
): Cell {
  if (value === undefined) return undefined;
  switch (value.type) {
    case 'Date':
      return new SheetDate('date', String(value.value));
    case 'Time':
      return new SheetDate('time', String(value.value));
    case 'Location':
      return placeText(value);
    default:
      return value.type.startsWith('Reference') ? reference?.(value) : plainValue(value, writing);
  }
}

const placeText = ({ latitude, longitude, altitude }: WireValue): string =>
  [latitude, longitude, ...(altitude === undefined ? [] : [altitude])].join(', ');

function plainValue(value: WireValue, writing: Writing): Cell {
  switch (value.type) {
    case 'Array':
      return (value.value as WireValue[]).map((element) => plainValue(element, writing));
    case 'Object': {
      const entries = Object.entries(value.value as Record<string, WireValue>);
      return Object.fromEntries(entries.map(([key, element]) => [key, plainValue(element, writing)]));
    }
    case 'DateTime':
      return timeText(String(value.value), writing.timeZone);
    case 'User':
      return writing.user(String(value.id), String(value.name));
    case 'Attachment':
      return writing.attachment(value);
    case 'Location':
      return placeText(value);
    default:
      return value.value;
  }
}

/** ISO 8601 with the offset of the zone at that moment. */
export function timeText(utc: string, timeZone: string | undefined): string {
  if (timeZone === undefined) return utc;
  const instant = Date.parse(utc);
  const local = localTime(timeZone, instant);
  const minutes = Math.round((local - instant) / 60_000);
  // An offset of seconds, as before standard time, cannot be written.
  if (minutes * 60_000 !== local - instant) return utc;
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const offset = `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
  return new Date(local).toISOString().replace('Z', offset);
}
