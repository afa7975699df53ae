import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RawSimpleValue, ReferenceTypeName } from '../../api/client.ts';
import { collectionOf, definitionQuery } from '../../api/definition.ts';
import { beginningSearch, nearestFirst } from '../../api/nearest.ts';
import { referableBy, referableQuery } from '../../api/records.ts';
import { useDebounced } from '../../frame/debounced.ts';
import type { EditProps } from './edit-props.ts';
import { Finder, withChosen } from './Finder.tsx';

const nameOf = (value: RawSimpleValue | undefined): string => {
  if (value === undefined) return '';
  if (value.type === 'User') return value.name;
  return 'value' in value ? String(value.value) : '';
};

interface Scheme {
  readonly collectionId: string;
  readonly columnId: string;
}

function useReferable(application: string, scheme: Scheme | undefined, typed: string) {
  const searched = useDebounced(typed);
  const { collectionId = '', columnId = '' } = scheme ?? {};
  const definition = useQuery(definitionQuery(application)).data;
  const column = definition && collectionOf(definition, collectionId)?.columns.find(({ id }) => id === columnId);
  const beginning = beginningSearch(column, searched);
  const byWords = useQuery({
    ...referableQuery(application, collectionId, searched),
    enabled: scheme !== undefined,
    placeholderData: (before) => before,
  });
  const byBeginning = useQuery({
    ...referableBy(application, collectionId, beginning ?? '', column?.sortable === true ? columnId : undefined),
    enabled: beginning !== undefined,
  });
  const found = [...((beginning === undefined ? undefined : byBeginning.data) ?? []), ...(byWords.data ?? [])];
  const records = new Map(
    found.map(({ id, values }) => {
      const value = values[columnId] as RawSimpleValue | undefined;
      return [id, { id, name: nameOf(value) || id, value }];
    }),
  );
  return nearestFirst([...records.values()], typed);
}

/** Records to refer to are found by words of any of their searchable columns. */
export function EditReference({ column, value, onChange, problem, where }: EditProps) {
  const reference = value !== undefined && 'recordId' in value ? value : undefined;
  const scheme = 'scheme' in column && 'columnId' in column.scheme ? column.scheme : undefined;
  const chosen = reference && { id: reference.recordId, name: nameOf(reference.value), value: reference.value };
  const [text, setText] = useState(chosen?.name ?? '');
  const searched = text === chosen?.name ? '' : text.trim();
  const records = useReferable(where.application, scheme, searched);
  if (scheme === undefined) return null;
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
