import { useFormatter } from 'use-intl';
import type { RawSimpleValue } from '../../api/client.ts';
import type { ShowProps } from '../where.ts';

type TimeValue = Extract<RawSimpleValue, { type: 'Time' }>;

export function ShowTime({ value: { value } }: ShowProps<TimeValue>) {
  const format = useFormatter();
  const seconds = value.endsWith(':00') ? {} : ({ second: '2-digit' } as const);
  const time = new Date(`1970-01-01T${value}Z`);
  return (
    <time dateTime={value} className="value-moment">
      {format.dateTime(time, { hour: '2-digit', minute: '2-digit', ...seconds, timeZone: 'UTC' })}
    </time>
  );
}
