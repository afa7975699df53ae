import type { EditProps } from './edit-props.ts';
import { TextEditor } from './Field.tsx';

export function EditTime({ column, value, onChange, problem }: EditProps) {
  const text = value?.type === 'Time' ? value.value : '';
  // Browsers leave the seconds out when they are 0.
  const change = (time: string) =>
    onChange(time === '' ? undefined : { type: 'Time', value: time.length === 5 ? `${time}:00` : time });
  return <TextEditor kind="time" step="1" label={column.name} text={text} onText={change} problem={problem} />;
}
