import type { RawObjectValue, RawSimpleValue, RawValue } from '../../api/client.ts';
import { EditedValue } from './EditedValue.tsx';
import type { EditProps } from './edit-props.ts';
import { partColumn } from './part-column.ts';
import { problemOfPart, problemOfWhole, problemProps } from './value-problem.ts';

/** A form for the keys. Without a value for any of them there is no object. */
export function EditObject({ column, value, onChange, problem, part: inside, where }: EditProps) {
  if (column.type !== 'Object') return null;
  const parts = value?.type === 'Object' ? value.value : {};
  const { keys } = column.scheme;
  function change(key: string, part: RawValue | undefined): void {
    const { [key]: _, ...others } = parts;
    const next = part === undefined ? others : { ...others, [key]: part as RawSimpleValue };
    onChange(Object.keys(next).length === 0 ? undefined : ({ type: 'Object', value: next } satisfies RawObjectValue));
  }
  const said =
    problem ??
    problemOfWhole(
      inside,
      keys.map(({ name }) => name),
    );
  return (
    <fieldset className="nested">
      <legend className="label">{column.name}</legend>
      {said !== undefined && <span className="field-problem">{said}</span>}
      {keys.map(({ name, type }) => (
        <EditedValue
          key={name}
          column={partColumn(name, type)}
          value={parts[name]}
          onChange={(part) => change(name, part)}
          {...problemProps(type, problemOfPart(inside, name))}
          where={where}
        />
      ))}
    </fieldset>
  );
}
