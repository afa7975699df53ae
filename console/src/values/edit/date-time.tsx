import type { EditProps } from './edit-props.ts';
import { TextEditor } from './Field.tsx';

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
