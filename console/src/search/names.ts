// What the parts of a search are called on the page.

import { useLocale, useTranslations } from 'use-intl';
import { useZone } from '../messages/time-zone.tsx';
import { firstWeekday, localDay } from '../views/days.ts';
import type { ChipTerm, Condition, Relation } from './chips.ts';
import { shownRelation } from './chips.ts';
import { type Span, type SpanName, spanOf, spansAt } from './spans.ts';
import type { Metadata, Subject } from './subjects.ts';

const METADATA_NAMES = {
  createdAt: 'grid.created',
  updatedAt: 'grid.updated',
  createdBy: 'grid.createdBy',
  updatedBy: 'grid.updatedBy',
  id: 'search.id',
} as const satisfies Record<Metadata, string>;

export function useSubjectName(): (subject: Subject) => string {
  const t = useTranslations();
  return ({ column, key, metadata }) => {
    if (metadata !== undefined) return t(METADATA_NAMES[metadata]);
    return key === undefined ? (column?.name ?? '') : `${column?.name} · ${key}`;
  };
}

const TEXTS = { '=': 'is', '!=': 'isNot', '<': 'less', '<=': 'atMost', '>': 'more', '>=': 'atLeast' } as const;
const TIMES = { '=': 'on', '!=': 'notOn', '<': 'before', '<=': 'until', '>': 'after', '>=': 'from' } as const;

export function useRelationName(): (subject: Subject, relation: Relation) => string {
  const t = useTranslations('search.relations');
  return (subject, relation) => {
    const shown = shownRelation(subject, relation);
    if (shown === 'some' || shown === 'none' || shown === 'without') return t(shown);
    if (shown === ':') return t(subject.type === 'Location' ? 'near' : 'contains');
    const isTime = subject.type === 'Date' || subject.type === 'DateTime' || subject.type === 'Time';
    return t(isTime ? TIMES[shown] : TEXTS[shown]);
  };
}

/** As they are today. Weeks begin as in the calendar. */
export function useSpans(): readonly Span[] {
  const locale = useLocale();
  return spansAt(localDay(new Date(), useZone()), firstWeekday(locale));
}

const COUNTED = {
  last7: ['last', 7],
  last30: ['last', 30],
  next7: ['next', 7],
  ago7: ['ago', 7],
  ago30: ['ago', 30],
} as const;
const isCounted = (name: SpanName): name is keyof typeof COUNTED => Object.hasOwn(COUNTED, name);

export function useSpanName(): (name: SpanName) => string {
  const t = useTranslations('search.days');
  return (name) => {
    if (!isCounted(name)) return t(name);
    const [sentence, count] = COUNTED[name];
    return t(sentence, { count });
  };
}

/** A term as people read it: yes for true, today for today. */
function useTermName(): (subject: Subject, term: ChipTerm) => string {
  const t = useTranslations();
  const spans = useSpans();
  const spanName = useSpanName();
  return ({ type }, term) => {
    const { text, quoted, until } = term;
    if (type === 'Boolean') return text === 'true' ? t('common.yes') : text === 'false' ? t('common.no') : text;
    if (type === 'User' && text === 'me' && !quoted) return t('search.me');
    if (type !== 'Date' && type !== 'DateTime') return text;
    const span = spanOf(spans, term);
    if (span !== undefined) return spanName(span.name);
    return until === undefined ? text : `${text} – ${until}`;
  };
}

/** What a chip says, and the sentence that it says it by: their order is that of the language. */
interface Phrase {
  readonly sentence: 'phrase' | 'phraseOfValue' | 'phraseOfWords' | undefined;
  readonly subject: string;
  readonly relation: string;
  readonly value: string;
}

export function usePhrase(): (condition: Condition) => Phrase {
  const subjectName = useSubjectName();
  const relationName = useRelationName();
  const termName = useTermName();
  const without = useTranslations('search.relations')('without');
  return (condition) => {
    if (condition.kind !== 'criterion') {
      const isNegated = condition.kind === 'word' && condition.negated;
      const sentence = isNegated ? 'phraseOfWords' : undefined;
      return { sentence, subject: '', relation: without, value: condition.text };
    }
    const { subject, relation, term } = condition;
    const named = { subject: subjectName(subject), relation: relationName(subject, relation) };
    if (relation === 'some' || relation === 'none') return { sentence: 'phraseOfValue', ...named, value: '' };
    return { sentence: 'phrase', ...named, value: termName(subject, term) };
  };
}
