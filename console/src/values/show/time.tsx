import { useFormatter } from 'use-intl';
import type { RawSimpleValue } from '../../api/client.ts';
import type { ShowProps } from '../where.ts';
import { dateOfTime, timeForm } from './forms.ts';

type TimeValue = Extract<RawSimpleValue, { type: 'Time' }>;

export function ShowTime({ value: { value } }: ShowProps<TimeValue>) {
  const format = useFormatter();
  return (
    <time dateTime={value} className="value-moment">
      {format.dateTime(dateOfTime(value), timeForm(value))}
    </time>
  );
}
