// What could stand where somebody types: searches made before, columns, operators, values and people.

import { useTranslations } from 'use-intl';
import type { CollectionDefinition } from '../api/client.ts';
import { useFrequentValues } from '../api/frequent-values.ts';
import { usePeople } from '../api/users.ts';
import { useDebounced } from '../frame/debounced.ts';
import { type Relation, relationsOf } from './chips.ts';
import { useRelationName, useSpanName, useSpans, useSubjectName } from './names.ts';
import { offeredSpans, writtenSpan } from './spans.ts';
import { type Subject, subjectsOf, writtenTerm } from './subjects.ts';
import { matching, type Typing, typingAt } from './typing.ts';

export interface Suggestion {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  /** What replaces the text between the two places. */
  readonly insert: string;
  readonly from: number;
  readonly to: number;
  /** Nothing else has to follow. */
  readonly whole: boolean;
  /** A whole search, made before. */
  readonly recent?: true;
}

const SHOWN_MAX = 10;
/** All spans of days. */
const VALUES_MAX = 16;

export interface Typed {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly text: string;
  readonly caret: number;
  readonly recent: readonly string[];
}

export function useSuggestions({ application, collection, text, caret, recent }: Typed): readonly Suggestion[] {
  const typing = typingAt(text, caret, collection.columns);
  const names = useNameSuggestions(collection);
  const typedValue = typing?.kind === 'value' ? typing : undefined;
  const isNegated = typedValue !== undefined && /(?:-|\bNOT\s+)$/.test(text.slice(0, typedValue.start));
  const values = useValueSuggestions(application, collection, typedValue, isNegated);
  const before = useTranslations('search')('recent');
  if (typing === undefined) return [];
  if (typing.kind === 'value') return values.slice(0, VALUES_MAX);
  const earlier = text.trim() === '' ? recent : recent.filter((each) => each !== text && each.startsWith(text));
  const whole = { from: 0, to: text.length, whole: true, recent: true, hint: before } as const;
  const searches = earlier.map((each) => ({ ...whole, id: `recent ${each}`, label: each, insert: each }));
  return [...searches, ...names(text, typing)].slice(0, SHOWN_MAX + searches.length);
}

function useNameSuggestions({ columns }: CollectionDefinition) {
  const subjectName = useSubjectName();
  const relationName = useRelationName();
  const column = useTranslations('search')('column');
  return (text: string, typing: Extract<Typing, { kind: 'name' }>): Suggestion[] => {
    const { from, to, typed } = typing;
    const subjects = subjectsOf(columns);
    const named = subjects.find(({ written }) => written === text.slice(from, to));
    const operators = named === undefined ? [] : operatorsOf(named);
    const similar = matching(subjects, typed, (subject) => `${subjectName(subject)} ${subject.written}`);
    return [
      ...operators.map(({ relation, insert, whole }) => {
        const label = relationName(named!, relation);
        return { id: `operator ${relation}`, label, hint: insert, insert, whole, from, to };
      }),
      ...similar
        .filter((subject) => subject !== named)
        .map((subject) => {
          const { written } = subject;
          return {
            id: `column ${written}`,
            label: subjectName(subject),
            hint: column,
            insert: written,
            whole: false,
            from,
            to,
          };
        }),
    ];
  };
}

interface OfferedOperator {
  readonly relation: Relation;
  readonly insert: string;
  readonly whole: boolean;
}

function operatorsOf(subject: Subject): OfferedOperator[] {
  return relationsOf(subject).flatMap((relation): OfferedOperator[] => {
    if (relation === 'without') return [];
    if (relation === 'some') return [{ relation, insert: `${subject.written}!=`, whole: true }];
    if (relation === 'none') return [{ relation, insert: `${subject.written}=`, whole: true }];
    return [{ relation, insert: `${subject.written}${relation}`, whole: false }];
  });
}

type TypedValue = Extract<Typing, { kind: 'value' }>;

function useValueSuggestions(
  application: string,
  collection: CollectionDefinition,
  typing: TypedValue | undefined,
  isNegated: boolean,
): Suggestion[] {
  const t = useTranslations();
  const spans = useSpans();
  const spanName = useSpanName();
  const typed = typing?.typed ?? '';
  const type = typing?.subject.type;
  const words = useDebounced(typed);
  const people = usePeople(application, words, type === 'User');
  const isListed = typing !== undefined && typing.subject.key === undefined && type !== 'User' && type !== 'Boolean';
  const frequent = useFrequentValues(application, collection.id, isListed ? typing.subject.column : undefined);
  if (typing === undefined) return [];
  const { subject, operator, from, to, start } = typing;
  const suggest = (label: string, hint: string, insert = writtenTerm(label)): Suggestion => ({
    id: `value ${insert}`,
    label,
    hint,
    insert,
    whole: true,
    from,
    to,
  });
  switch (type) {
    case 'Boolean':
      return matching(
        [suggest(t('common.yes'), 'true', 'true'), suggest(t('common.no'), 'false', 'false')],
        typed,
        ({ label, insert }) => `${label} ${insert}`,
      );
    case 'Date':
    case 'DateTime': {
      const isWithin = operator === ':' || operator === '=';
      const days = offeredSpans(spans, isWithin).map((span) => {
        const label = spanName(span.name);
        if (span.until === undefined) return suggest(label, span.text, span.text);
        // Both ends name the column, so the whole criterion is replaced.
        const both = writtenSpan(subject.written, span);
        const insert = isNegated ? `(${both})` : both;
        return { ...suggest(label, insert, insert), from: start };
      });
      return matching(days, typed, ({ label, insert }) => `${label} ${insert}`);
    }
    case 'User': {
      const me = operator === '=' || operator === '!=' ? [suggest(t('search.me'), t('search.myself'), 'me')] : [];
      const found = people.map(({ name }) => suggest(name, t('search.person')));
      return matching([...me, ...found], typed, ({ label, insert }) => `${label} ${insert}`);
    }
    default: {
      const fitting = matching(frequent, typed, ({ text }) => text).filter(({ text }) => text.length <= 200);
      return fitting.map(({ text, count }) =>
        suggest(text, count === undefined ? '' : t('search.frequent', { count })),
      );
    }
  }
}
