import type { EditProps } from './edit-props.ts';
import { TextEditor } from './Field.tsx';

export function EditDate({ column, value, onChange, problem }: EditProps) {
  const text = value?.type === 'Date' ? value.value : '';
  const change = (day: string) => onChange(day === '' ? undefined : { type: 'Date', value: day });
  return <TextEditor kind="date" label={column.name} text={text} onText={change} problem={problem} />;
}
