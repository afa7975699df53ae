import { useFormatter } from 'use-intl';
import type { RawSimpleValue } from '../../api/client.ts';
import type { ShowProps } from '../where.ts';

type DateValue = Extract<RawSimpleValue, { type: 'Date' }>;

/** A day has no time zone: it is the same day wherever it is looked at. */
export function ShowDate({ value: { value } }: ShowProps<DateValue>) {
  const format = useFormatter();
  const day = new Date(`${value}T00:00:00Z`);
  const shown = format.dateTime(day, { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' });
  const whole = format.dateTime(day, { dateStyle: 'full', timeZone: 'UTC' });
  return (
    <time dateTime={value} title={whole} className="value-moment">
      {shown}
    </time>
  );
}
