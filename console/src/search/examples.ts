// Examples of searches made from a collection's own columns.

import type { ColumnDefinition } from '../../../client/src/shapes.ts';
import { quoted } from '../api/list-query.ts';
import type { Day } from '../views/days.ts';
import { spansAt, writtenSpan } from './spans.ts';
import { type Subject, subjectsOf, writtenWord } from './subjects.ts';

/** A sentence of messages `search.sheet`, about a column or the whole. */
export interface Example {
  readonly kind:
    | 'words'
    | 'phrase'
    | 'contains'
    | 'exactly'
    | 'none'
    | 'some'
    | 'atLeast'
    | 'between'
    | 'yes'
    | 'today'
    | 'last7'
    | 'thisMonth'
    | 'me'
    | 'key'
    | 'created'
    | 'changed'
    | 'and'
    | 'or'
    | 'not';
  readonly subject?: Subject;
  readonly search: string;
}

/** `word`: in the language of the page. */
export function examplesOf(columns: readonly ColumnDefinition[], word: string, today: Day): Example[] {
  const spans = spansAt(today, 1);
  const subjects = subjectsOf(columns).filter(({ metadata }) => metadata === undefined);
  const ofType = (...types: Subject['type'][]) =>
    subjects.find(({ type, key, column }) => types.includes(type) && key === undefined && column?.type !== 'Array');
  const about = (subject: Subject | undefined, write: (subject: Subject) => Omit<Example, 'subject'>[]): Example[] =>
    subject === undefined ? [] : write(subject).map((example) => ({ ...example, subject }));
  const text = ofType('String');
  const number = ofType('Number');
  const day = ofType('Date', 'DateTime');
  const part = writtenWord(word);
  const condition = [
    ...(text === undefined ? [] : [`${text.written}:${part}`]),
    ...(number === undefined ? [] : [`${number.written}>=10`]),
    ...(day === undefined ? [] : [`${day.written}>=today`]),
    '$createdBy=me',
  ];
  return [
    { kind: 'words', search: `${part} 2026` },
    { kind: 'phrase', search: quoted(`${word} 2026`) },
    ...about(text, ({ written }) => [
      { kind: 'contains', search: `${written}:${part}` },
      { kind: 'exactly', search: `${written}=${quoted(`${word} 1`)}` },
    ]),
    ...about(number, ({ written }) => [
      { kind: 'atLeast', search: `${written}>=10` },
      { kind: 'between', search: `${written}>=10 ${written}<20` },
    ]),
    ...about(ofType('Boolean'), ({ written }) => [{ kind: 'yes', search: `${written}:true` }]),
    ...about(day, (subject) => [
      { kind: 'today', search: `${subject.written}:today` },
      ...(['last7', 'thisMonth'] as const).map((name) => ({
        kind: name,
        search: writtenSpan(subject.written, spans.find((span) => span.name === name)!),
      })),
    ]),
    ...about(ofType('User'), ({ written }) => [{ kind: 'me', search: `${written}=me` }]),
    ...about(
      subjects.find(({ key, type }) => key !== undefined && type === 'String'),
      ({ written }) => [{ kind: 'key', search: `${written}:${part}` }],
    ),
    ...about(subjects[0], ({ written }) => [
      { kind: 'none', search: `${written}=` },
      { kind: 'some', search: `${written}!=` },
    ]),
    { kind: 'created', search: '$createdBy=me' },
    { kind: 'changed', search: '$updatedAt>now-1h' },
    { kind: 'and', search: condition.slice(0, 2).join(' ') },
    { kind: 'or', search: [condition[0], part].join(' OR ') },
    { kind: 'not', search: `-${condition[0]}` },
  ];
}
