// What the log is narrowed down by. Every choice goes into the address at once.

import { useState } from 'react';
import { Button, FieldError, Input, Label, TextField } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { ACTIVITY_KINDS } from '../../../src/wire/activity-kinds.ts';
import type { CollectionDefinition } from '../api/client.ts';
import { usePeople } from '../api/users.ts';
import { Choice } from '../values/edit/Choice.tsx';
import { Finder, withChosen } from '../values/edit/Finder.tsx';
import { PersonName } from '../values/show/user.tsx';
import { type ActivityAddress, recordIn } from './activity-address.ts';
import { PeriodPicker } from './PeriodPicker.tsx';
import type { Sentences } from './sentence.ts';

/** The choice that narrows nothing down. */
const ALL = 'all';

interface ActivityFiltersProps {
  readonly application: string;
  readonly collections: readonly CollectionDefinition[];
  readonly address: ActivityAddress;
  readonly sentences: Sentences;
  readonly onChange: (changes: Readonly<Record<string, string | undefined>>) => void;
}

export function ActivityFilters({ application, collections, address, sentences, onChange }: ActivityFiltersProps) {
  const t = useTranslations('activity');
  const { person, kind, collection, record, from, to } = address;
  const kinds = withPresent(ACTIVITY_KINDS, kind).map((id) => ({ id, name: sentences.kind(id) }));
  const known = collections.map(({ id, name }) => ({ id, name }));
  const gone = collection !== undefined && !known.some(({ id }) => id === collection);
  return (
    <search className="activity-filters" aria-label={t('filters')}>
      <PeriodPicker from={from} to={to} onChoose={(days) => onChange({ ...days })} />
      <PersonFilter
        key={person}
        application={application}
        chosen={person}
        sentences={sentences}
        onChoose={(id) => onChange({ person: id })}
      />
      <Choice
        isInline
        label={t('kind')}
        options={[{ id: ALL, name: t('everything') }, ...kinds]}
        value={kind ?? ALL}
        onChange={(id) => onChange({ kind: id === ALL ? undefined : id })}
      />
      <Choice
        isInline
        label={t('collection')}
        options={[
          { id: ALL, name: t('allCollections') },
          ...known,
          ...(gone ? [{ id: collection, name: collection }] : []),
        ]}
        value={collection ?? ALL}
        onChange={(id) => onChange({ collection: id === ALL ? undefined : id })}
      />
      <RecordFilter key={record} record={record} onChoose={(id) => onChange({ record: id })} />
      {Object.keys(address).length > 0 && (
        <Button
          className="button quiet filter-clear"
          onPress={() => onChange(Object.fromEntries(Object.keys(address).map((member) => [member, undefined])))}
        >
          {t('clear')}
        </Button>
      )}
    </search>
  );
}

/** A kind of a later server stays in the list that it came from. */
const withPresent = (kinds: readonly string[], present: string | undefined): readonly string[] =>
  present === undefined || kinds.includes(present) ? kinds : [...kinds, present];

const OPERATOR = 'operator';

interface PersonFilterProps {
  readonly application: string;
  readonly chosen: string | undefined;
  readonly sentences: Sentences;
  readonly onChoose: (id: string | undefined) => void;
}

function PersonFilter({ application, chosen, sentences, onChoose }: PersonFilterProps) {
  const t = useTranslations('activity');
  const name = chosen === undefined ? '' : chosen === OPERATOR ? t('operator') : sentences.named(chosen);
  const [typed, setTyped] = useState<string>();
  const text = typed ?? name;
  const searched = text === name ? '' : text;
  const users = usePeople(application, searched, true);
  const operator = { id: OPERATOR, name: t('operator') };
  const found = withChosen(chosen === undefined ? undefined : { id: chosen, name }, [
    ...users,
    ...(operator.name.toLocaleLowerCase().includes(searched.toLocaleLowerCase()) ? [operator] : []),
  ]);
  return (
    <Finder
      label={t('person')}
      placeholder={t('everyone')}
      problem={undefined}
      text={text}
      onText={setTyped}
      found={found.map((each) => ({ ...each, shown: <PersonName person={each} /> }))}
      chosen={chosen}
      onChoose={({ id }) => id !== chosen && onChoose(id)}
      onClear={() => chosen !== undefined && onChoose(undefined)}
    />
  );
}

interface RecordFilterProps {
  readonly record: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

function RecordFilter({ record = '', onChoose }: RecordFilterProps) {
  const t = useTranslations('activity');
  const [text, setText] = useState(record);
  const [problem, setProblem] = useState<string>();
  function choose(): void {
    const entered = text.trim();
    const found = recordIn(entered);
    setProblem(entered !== '' && found === undefined ? t('notARecord') : undefined);
    if ((found ?? '') !== record && (entered === '' || found !== undefined)) onChoose(found);
  }
  return (
    <TextField
      className="field"
      value={text}
      onChange={setText}
      onBlur={choose}
      onKeyDown={(event) => event.key === 'Enter' && choose()}
      isInvalid={problem !== undefined}
    >
      <Label>{t('record')}</Label>
      <Input className="input" placeholder={t('recordHint')} spellCheck="false" />
      <FieldError className="field-problem">{problem}</FieldError>
    </TextField>
  );
}
