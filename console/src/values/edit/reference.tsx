import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RawSimpleValue, ReferenceTypeName } from '../../api/client.ts';
import { referableQuery } from '../../api/records.ts';
import type { EditProps } from './edit-props.ts';
import { Finder, withChosen } from './Finder.tsx';

const nameOf = (value: RawSimpleValue | undefined): string => {
  if (value === undefined) return '';
  if (value.type === 'User') return value.name;
  return 'value' in value ? String(value.value) : '';
};

/** Records to refer to are found by words of any of their searchable columns. */
export function EditReference({ column, value, onChange, problem, where }: EditProps) {
  const reference = value !== undefined && 'recordId' in value ? value : undefined;
  const scheme = 'scheme' in column && 'columnId' in column.scheme ? column.scheme : undefined;
  const chosen = reference && { id: reference.recordId, name: nameOf(reference.value), value: reference.value };
  const [text, setText] = useState(chosen?.name ?? '');
  const searched = text === chosen?.name ? '' : text.trim();
  const found = useQuery({
    ...referableQuery(where.application, scheme?.collectionId ?? '', searched),
    enabled: scheme !== undefined,
    placeholderData: (before) => before,
  });
  if (scheme === undefined) return null;
  const records = (found.data ?? []).map(({ id, values }) => {
    const referred = values[scheme.columnId] as RawSimpleValue | undefined;
    return { id, name: nameOf(referred) || id, value: referred };
  });
  const all = withChosen(chosen, records);
  return (
    <Finder
      label={column.name}
      problem={problem}
      text={text}
      onText={setText}
      onClear={() => onChange(undefined)}
      found={all.map(({ id, name }) => ({ id, name, shown: name }))}
      chosen={chosen?.id}
      onChoose={({ id, name }) => {
        setText(name);
        const referred = all.find((each) => each.id === id)?.value;
        const type = column.type as ReferenceTypeName;
        onChange({ type, ...scheme, recordId: id, ...(referred === undefined ? {} : { value: referred }) });
      }}
    />
  );
}
