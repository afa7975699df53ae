import { useFormatter } from 'use-intl';
import type { RawSimpleValue } from '../api/client.ts';
import type { EditProps } from './edit.ts';
import { TextEditor } from './Field.tsx';
import type { ShowProps } from './where.ts';

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

export function EditDate({ column, value, onChange, problem }: EditProps) {
  const text = value?.type === 'Date' ? value.value : '';
  const change = (day: string) => onChange(day === '' ? undefined : { type: 'Date', value: day });
  return <TextEditor kind="date" label={column.name} text={text} onText={change} problem={problem} />;
}
