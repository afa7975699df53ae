// The value of a condition, edited by the type of the column.

import { useState } from 'react';
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover, Radio, RadioGroup } from 'react-aria-components';
import { useLocale, useTranslations } from 'use-intl';
import type { CollectionDefinition } from '../api/client.ts';
import { useFrequentValues } from '../api/frequent-values.ts';
import { usePeople } from '../api/users.ts';
import { useDebounced } from '../frame/debounced.ts';
import { TextEditor } from '../values/edit/Field.tsx';
import { numberOf, numberText } from '../values/number-text.ts';
import type { ChipTerm, Relation } from './chips.ts';
import { DayTerm } from './DayTerm.tsx';
import type { Subject } from './subjects.ts';

interface TermEditorProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly subject: Subject;
  readonly relation: Relation;
  readonly term: ChipTerm;
  readonly onTerm: (term: ChipTerm) => void;
}

const plain = (text: string): ChipTerm => ({ text, quoted: false });

export function TermEditor(props: TermEditorProps) {
  switch (props.subject.type) {
    case 'Boolean':
      return <YesOrNo {...props} />;
    case 'Number':
      return <NumberTerm {...props} />;
    case 'Date':
    case 'DateTime':
      return <DayTerm {...props} />;
    case 'Time':
      return <TimeTerm {...props} />;
    case 'Location':
      return <NearTerm {...props} />;
    case 'User':
      return <PersonTerm {...props} />;
    default:
      return <TextTerm {...props} />;
  }
}

function YesOrNo({ term, onTerm }: TermEditorProps) {
  const t = useTranslations();
  return (
    <RadioGroup className="field" value={term.text} onChange={(text) => onTerm(plain(text))} orientation="horizontal">
      <Label>{t('search.value')}</Label>
      <div className="choices">
        {(['true', 'false'] as const).map((answer) => (
          <Radio key={answer} value={answer} className="choice">
            {t(answer === 'true' ? 'common.yes' : 'common.no')}
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}

/** As people write numbers; the search writes them as JSON does. */
function NumberTerm({ term, onTerm }: TermEditorProps) {
  const t = useTranslations();
  const locale = useLocale();
  const [text, setText] = useState(() => (term.text === '' ? '' : numberText(Number(term.text), locale)));
  const wrong = text.trim() !== '' && numberOf(text, locale) === undefined;
  return (
    <TextEditor
      kind="text"
      label={t('search.value')}
      text={text}
      problem={wrong ? t('values.notANumber') : undefined}
      onText={(entered) => {
        setText(entered);
        const number = numberOf(entered, locale);
        onTerm(plain(number === undefined ? '' : String(number)));
      }}
    />
  );
}

function TimeTerm({ term, onTerm }: TermEditorProps) {
  const label = useTranslations('search')('value');
  return (
    <TextEditor kind="time" label={label} text={term.text} problem={undefined} onText={(text) => onTerm(plain(text))} />
  );
}

function NearTerm({ term, onTerm }: TermEditorProps) {
  const t = useTranslations();
  const [parts, setParts] = useState(() => {
    const [latitude = '', longitude = '', distance = ''] = term.text.split(',').map((part) => part.trim());
    const [, length = '1', unit = 'km'] = /^([\d.]+)\s*(km|m)$/.exec(distance) ?? [];
    return { latitude, longitude, distance: unit === 'm' ? String(Number(length) / 1000) : length };
  });
  const change = (changes: Partial<typeof parts>) => {
    const next = { ...parts, ...changes };
    setParts(next);
    const numbers = [next.latitude, next.longitude, next.distance].map((text) =>
      text.trim() === '' ? NaN : Number(text),
    );
    onTerm(plain(numbers.every(Number.isFinite) ? `${numbers[0]},${numbers[1]},${numbers[2]}km` : ''));
  };
  return (
    <>
      <TextEditor
        kind="text"
        label={t('values.latitude')}
        text={parts.latitude}
        problem={undefined}
        onText={(latitude) => change({ latitude })}
      />
      <TextEditor
        kind="text"
        label={t('values.longitude')}
        text={parts.longitude}
        problem={undefined}
        onText={(longitude) => change({ longitude })}
      />
      <TextEditor
        kind="text"
        label={t('search.distance')}
        text={parts.distance}
        problem={undefined}
        onText={(distance) => change({ distance })}
      />
    </>
  );
}

const ME = 'me';

function PersonTerm({ application, term, onTerm }: TermEditorProps) {
  const t = useTranslations('search');
  const isMe = term.text === 'me' && !term.quoted;
  const [text, setText] = useState(isMe ? t('me') : term.text);
  const people = usePeople(application, useDebounced(text === t('me') ? '' : text), true);
  return (
    <Suggested
      text={text}
      onText={(entered) => {
        setText(entered);
        onTerm({ text: entered, quoted: true });
      }}
      offered={[{ id: ME, name: t('me') }, ...people.map(({ id, name }) => ({ id, name }))]}
      onChoose={({ id, name }) => {
        setText(name);
        onTerm(id === ME ? plain('me') : { text: name, quoted: true });
      }}
    />
  );
}

function TextTerm({ application, collection, subject, term, onTerm }: TermEditorProps) {
  const frequent = useFrequentValues(
    application,
    collection.id,
    subject.key === undefined ? subject.column : undefined,
  );
  const wanted = term.text.toLocaleLowerCase();
  const fitting = frequent.filter(({ text }) => text.toLocaleLowerCase().includes(wanted));
  return (
    <Suggested
      text={term.text}
      onText={(text) => onTerm({ text, quoted: true })}
      offered={fitting.slice(0, 20).map(({ text }) => ({ id: text, name: text }))}
      onChoose={({ name }) => onTerm({ text: name, quoted: true })}
    />
  );
}

interface SuggestedProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly offered: readonly { readonly id: string; readonly name: string }[];
  readonly onChoose: (one: { readonly id: string; readonly name: string }) => void;
}

/** Any text, with what is there already to choose from. */
function Suggested({ text, onText, offered, onChoose }: SuggestedProps) {
  const label = useTranslations('search')('value');
  return (
    <ComboBox
      className="field"
      items={offered}
      inputValue={text}
      onInputChange={onText}
      onSelectionChange={(key) => {
        const one = offered.find(({ id }) => id === key);
        if (one !== undefined) onChoose(one);
      }}
      allowsCustomValue
      menuTrigger="input"
    >
      <Label>{label}</Label>
      <Input className="input" />
      <Popover className="popover">
        <ListBox<{ id: string; name: string }> className="combo-list">
          {({ id, name }) => (
            <ListBoxItem id={id} textValue={name} className="menu-item">
              {name}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
