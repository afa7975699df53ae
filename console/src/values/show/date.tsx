import { useFormatter } from 'use-intl';
import type { RawSimpleValue } from '../../api/client.ts';
import type { ShowProps } from '../where.ts';
import { DAY_FORM } from './forms.ts';
import { titled } from './titled.ts';

type DateValue = Extract<RawSimpleValue, { type: 'Date' }>;

export function ShowDate({ value: { value } }: ShowProps<DateValue>) {
  const format = useFormatter();
  const day = new Date(`${value}T00:00:00Z`);
  const inFull = () => format.dateTime(day, { dateStyle: 'full', timeZone: 'UTC' });
  return (
    <time dateTime={value} className="value-moment" onPointerEnter={titled(inFull)}>
      {format.dateTime(day, DAY_FORM)}
    </time>
  );
}
