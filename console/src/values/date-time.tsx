import { useFormatter } from 'use-intl';
import type { RawSimpleValue } from '../api/client.ts';
import type { EditProps } from './edit.ts';
import { TextEditor } from './Field.tsx';
import type { ShowProps } from './where.ts';

type DateTimeValue = Extract<RawSimpleValue, { type: 'DateTime' }>;

export function ShowDateTime({ value: { value } }: ShowProps<DateTimeValue>) {
  return <Moment at={value} />;
}

/** A moment in the viewer's time zone. Hovering tells it with zone and in UTC. */
export function Moment({ at }: { readonly at: string }) {
  const format = useFormatter();
  const date = new Date(at);
  const seconds = date.getTime() % 60_000 === 0 ? {} : ({ second: '2-digit' } as const);
  const shown = format.dateTime(date, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...seconds,
  });
  const exact = `${format.dateTime(date, { dateStyle: 'full', timeStyle: 'long' })}\n${at}`;
  return (
    <time dateTime={at} title={exact} className="value-moment">
      {shown}
    </time>
  );
}

const two = (number: number): string => String(number).padStart(2, '0');

/** As the field of the browser wants it, in the viewer's time zone. */
function localText(at: string): string {
  const date = new Date(at);
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function EditDateTime({ column, value, onChange, problem }: EditProps) {
  const text = value?.type === 'DateTime' ? localText(value.value) : '';
  const change = (local: string) =>
    onChange(local === '' ? undefined : { type: 'DateTime', value: new Date(local).toISOString() });
  return (
    <TextEditor kind="datetime-local" step="1" label={column.name} text={text} onText={change} problem={problem} />
  );
}
