import { useState } from 'react';
import { usePeople } from '../../api/users.ts';
import { PersonName } from '../show/user.tsx';
import type { EditProps } from './edit-props.ts';
import { Finder, withChosen } from './Finder.tsx';

/** People are found by a part of their name. */
export function EditUser({ column, value, onChange, problem, where }: EditProps) {
  const chosen = value?.type === 'User' ? value : undefined;
  const [text, setText] = useState(chosen?.name ?? '');
  const searched = text === chosen?.name ? '' : text;
  const people = withChosen(chosen, usePeople(where.application, searched, true));
  return (
    <Finder
      label={column.name}
      problem={problem}
      text={text}
      onText={setText}
      onClear={() => onChange(undefined)}
      found={people.map((person) => ({ ...person, shown: <PersonName person={person} /> }))}
      chosen={chosen?.id}
      onChoose={({ id, name }) => {
        setText(name);
        onChange({ type: 'User', id, name });
      }}
    />
  );
}
