import type { EditProps } from './edit-props.ts';
import { TextEditor } from './Field.tsx';

/** An empty field is no value: the interface tells the two apart, people do not. */
export function EditString({ column, value, onChange, problem }: EditProps) {
  const text = value?.type === 'String' ? value.value : '';
  const change = (entered: string) => onChange(entered === '' ? undefined : { type: 'String', value: entered });
  return <TextEditor kind="lines" label={column.name} text={text} onText={change} problem={problem} />;
}
