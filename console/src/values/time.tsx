import { useFormatter } from 'use-intl';
import type { RawSimpleValue } from '../api/client.ts';
import type { EditProps } from './edit.ts';
import { TextEditor } from './Field.tsx';
import type { ShowProps } from './where.ts';

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

export function EditTime({ column, value, onChange, problem }: EditProps) {
  const text = value?.type === 'Time' ? value.value : '';
  // Browsers leave the seconds out when they are 0.
  const change = (time: string) =>
    onChange(time === '' ? undefined : { type: 'Time', value: time.length === 5 ? `${time}:00` : time });
  return <TextEditor kind="time" step="1" label={column.name} text={text} onText={change} problem={problem} />;
}
