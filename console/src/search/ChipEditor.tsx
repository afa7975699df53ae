// Changes one condition of a search: column, relation, and a value by the type of the column.

import { useState } from 'react';
import { Button, Input, Label, TextField } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition } from '../api/client.ts';
import { Choice } from '../values/edit/Choice.tsx';
import { type Condition, firstCondition, type Relation, relationsOf, shownRelation } from './chips.ts';
import { useRelationName, useSubjectName } from './names.ts';
import { subjectsOf } from './subjects.ts';
import { TermEditor } from './TermEditor.tsx';

interface ChipEditorProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly condition: Condition;
  readonly onApply: (condition: Condition) => void;
}

export function ChipEditor({ application, collection, condition, onApply }: ChipEditorProps) {
  const t = useTranslations('search');
  const [draft, setDraft] = useState(condition);
  return (
    <form
      className="chip-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isWhole(draft)) onApply(draft);
      }}
    >
      {draft.kind === 'criterion' ? (
        <CriterionFields application={application} collection={collection} draft={draft} onDraft={setDraft} />
      ) : (
        <TextField
          className="field"
          value={draft.text}
          onChange={(text) => setDraft({ ...draft, text })}
          autoFocus
          spellCheck="false"
        >
          <Label>{t(draft.kind === 'word' ? 'words' : 'asText')}</Label>
          <Input className={`input ${draft.kind === 'text' ? 'mono' : ''}`} />
        </TextField>
      )}
      <Button type="submit" className="button primary" isDisabled={!isWhole(draft)}>
        {t('apply')}
      </Button>
    </form>
  );
}

type Criterion = Extract<Condition, { kind: 'criterion' }>;

function isWhole(condition: Condition): boolean {
  if (condition.kind !== 'criterion') return condition.text.trim() !== '';
  const { relation, term } = condition;
  if (relation === 'some' || relation === 'none') return true;
  return term.text.trim() !== '' && term.until?.trim() !== '';
}

interface CriterionFieldsProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly draft: Criterion;
  readonly onDraft: (draft: Criterion) => void;
}

function CriterionFields({ application, collection, draft, onDraft }: CriterionFieldsProps) {
  const t = useTranslations('search');
  const subjectName = useSubjectName();
  const relationName = useRelationName();
  const subjects = subjectsOf(collection.columns);
  const { subject } = draft;
  const relation = shownRelation(subject, draft.relation);
  const offered = relationsOf(subject);
  const relations: readonly Relation[] = offered.includes(relation) ? offered : [...offered, relation];
  const needsTerm = relation !== 'some' && relation !== 'none';
  return (
    <>
      <Choice
        label={t('whichColumn')}
        options={subjects.map((each) => ({ id: each.written, name: subjectName(each) }))}
        value={subject.written}
        onChange={(written) => {
          const other = subjects.find((each) => each.written === written) ?? subject;
          const kept = other.type === subject.type && relationsOf(other).includes(relation);
          onDraft(kept ? { ...draft, subject: other } : firstCondition(other));
        }}
      />
      <Choice
        label={t('relation')}
        options={relations.map((each) => ({ id: each, name: relationName(subject, each) }))}
        value={relation}
        onChange={(chosen) => {
          const next = relations.find((each) => each === chosen) ?? relation;
          // Before or after a span there is only a single day.
          const term = draft.term.until === undefined ? draft.term : firstCondition(subject).term;
          onDraft({ ...draft, relation: next, term });
        }}
      />
      {needsTerm && (
        <TermEditor
          key={`${subject.written} ${relation === '='}`}
          application={application}
          collection={collection}
          subject={subject}
          relation={relation}
          term={draft.term}
          onTerm={(term) => onDraft({ ...draft, relation, term })}
        />
      )}
    </>
  );
}
