import type { RawSimpleValue } from '../api/client.ts';
import type { EditProps } from './edit.ts';
import { TextEditor } from './Field.tsx';
import type { ShowProps } from './where.ts';

type StringValue = Extract<RawSimpleValue, { type: 'String' }>;

/** Long texts are cut in a cell before they reach the page: a text may have a million characters. */
const CELL_MAX = 300;

export function ShowString({ value: { value }, where }: ShowProps<StringValue>) {
  if (where.in === 'page') return <span className="value-text">{value}</span>;
  return <span>{value.length > CELL_MAX ? `${value.slice(0, CELL_MAX)}…` : value}</span>;
}

/** An empty field is no value: the interface tells the two apart, people do not. */
export function EditString({ column, value, onChange, problem }: EditProps) {
  const text = value?.type === 'String' ? value.value : '';
  const change = (entered: string) => onChange(entered === '' ? undefined : { type: 'String', value: entered });
  return <TextEditor kind="lines" label={column.name} text={text} onText={change} problem={problem} />;
}
