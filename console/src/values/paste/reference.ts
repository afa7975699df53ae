import type { RawRecord, RawReferenceValue, RawSimpleValue, ReferenceScheme } from '../../../../client/src/shapes.ts';
import type { Read } from './reading.ts';
import type { Sought } from './user.ts';

/** Records are asked of the server, by the value that a reference shows. */
export const readReference = (text: string): Read => ({ seek: text.trim() });

export const RECORD_ID = /^r[a-z0-9]{26}$/;

/** What a reference shows, as text. */
export function referredText(value: RawSimpleValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (value.type === 'User') return value.name;
  return 'value' in value ? String(value.value) : undefined;
}

interface Wanted {
  readonly text: string;
  readonly type: RawReferenceValue['type'];
  readonly scheme: ReferenceScheme;
}

/** The one record whose value is the text, or whose ID it is. */
export function referenceOf({ text, type, scheme }: Wanted, records: readonly RawRecord[]): Sought<RawReferenceValue> {
  const value = ({ values }: RawRecord) => values[scheme.columnId] as RawSimpleValue | undefined;
  const fitting = records.filter((record) => record.id === text || referredText(value(record)) === text);
  const [only] = fitting;
  if (only === undefined) return { problem: 'noRecord' };
  if (fitting.length > 1) return { problem: 'severalRecords' };
  const shown = value(only);
  return { found: { type, ...scheme, recordId: only.id, ...(shown === undefined ? {} : { value: shown }) } };
}
