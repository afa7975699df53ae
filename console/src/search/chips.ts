// A search as a list of conditions that must all hold, each with its place in the text: chips and text are one query.

import type { ColumnDefinition } from '../../../client/src/shapes.ts';
import { type Operator, readSearch, type Syntax } from './reading.ts';
import { findSubject, type Subject, writtenTerm, writtenWord } from './subjects.ts';

/** As a person chooses it; `none` and `some` ask whether there is a value at all. */
export type Relation = Operator | 'without' | 'none' | 'some';

/** What a chip says. `term`: the text, and whether it stands for itself even where it is a word of the language. */
export type Condition =
  | { readonly kind: 'criterion'; readonly subject: Subject; readonly relation: Relation; readonly term: ChipTerm }
  | { readonly kind: 'word'; readonly text: string; readonly negated: boolean }
  /** What chips cannot express. */
  | { readonly kind: 'text'; readonly text: string };

export interface ChipTerm {
  readonly text: string;
  readonly quoted: boolean;
  /** The last day of a span that begins with `text`, where the language has no single value for the span. */
  readonly until?: string;
}

export type Chip = Condition & { readonly start: number; readonly end: number };

const NO_TERM: ChipTerm = { text: '', quoted: false };

export function chipsOf(text: string, columns: readonly ColumnDefinition[]): Chip[] {
  if (text.trim() === '') return [];
  const { syntax } = readSearch(text);
  const start = text.length - text.trimStart().length;
  const whole: Chip = { kind: 'text', text: text.trim(), start, end: text.trimEnd().length };
  if (syntax === undefined || syntax.kind === 'or') return [whole];
  const parts = syntax.kind === 'and' ? syntax.parts : [syntax];
  return withSpans(
    parts.map((part) => ({
      ...(conditionOf(part, columns) ?? { kind: 'text', text: text.slice(part.start, part.end) }),
      start: part.start,
      end: part.end,
    })),
  );
}

const isTime = ({ type }: Subject): boolean => type === 'Date' || type === 'DateTime';

/** From a day on and until another one is a single chip. */
function withSpans(chips: readonly Chip[]): Chip[] {
  const joined: Chip[] = [];
  for (const chip of chips) {
    const before = joined.at(-1);
    const from = before?.kind === 'criterion' && before.relation === '>=' ? before : undefined;
    const until = chip.kind === 'criterion' && chip.relation === '<=' && isTime(chip.subject) ? chip : undefined;
    if (from === undefined || until === undefined || from.subject.written !== until.subject.written) joined.push(chip);
    else {
      const term = { ...from.term, until: until.term.text };
      joined.splice(-1, 1, { ...from, relation: '=', term, end: until.end });
    }
  }
  return joined;
}

function conditionOf(syntax: Syntax, columns: readonly ColumnDefinition[]): Condition | undefined {
  const negated = syntax.kind === 'not';
  const inner = negated ? syntax.part : syntax;
  if (inner.kind === 'term') return { kind: 'word', text: inner.term.text, negated };
  if (inner.kind !== 'criterion') return undefined;
  const subject = findSubject(columns, inner.name);
  if (typeof subject === 'string') return undefined;
  const { operator, term } = inner;
  if (negated) {
    if (operator !== ':' || term === undefined || term.text === '') return undefined;
    return { kind: 'criterion', subject, relation: 'without', term: chipTerm(term) };
  }
  if (term === undefined) {
    return { kind: 'criterion', subject, relation: operator === '!=' ? 'some' : 'none', term: NO_TERM };
  }
  if (operator === ':' && term.text === '') return { kind: 'criterion', subject, relation: 'some', term: NO_TERM };
  return { kind: 'criterion', subject, relation: operator, term: chipTerm(term) };
}

const chipTerm = ({ text, kind }: { readonly text: string; readonly kind: string }): ChipTerm => ({
  text,
  quoted: kind === 'quoted',
});

export function writtenCondition(condition: Condition): string {
  if (condition.kind === 'text') return condition.text;
  if (condition.kind === 'word') return `${condition.negated ? '-' : ''}${writtenWord(condition.text)}`;
  const { subject, relation, term } = condition;
  if (relation === 'none') return `${subject.written}=`;
  if (relation === 'some') return `${subject.written}!=`;
  if (term.until !== undefined) {
    const [from, until] = [term.text, term.until].map(writtenTerm);
    return `${subject.written}>=${from} ${subject.written}<=${until}`;
  }
  const isMe = term.text === 'me' && !term.quoted;
  const written = isMe ? 'me' : writtenTerm(term.text);
  return relation === 'without' ? `-${subject.written}:${written}` : `${subject.written}${relation}${written}`;
}

/** The text with another condition in the place of a chip, or without the chip. */
export function replaceChip(text: string, { start, end }: Chip, condition: Condition | undefined): string {
  if (condition !== undefined) return text.slice(0, start) + writtenCondition(condition) + text.slice(end);
  const before = text.slice(0, start).replace(/(?:^|\s)AND\s*$/, ' ');
  const after = start === 0 || before.trim() === '' ? text.slice(end).replace(/^\s*AND(?=\s)/, ' ') : text.slice(end);
  return `${before.trimEnd()} ${after.trimStart()}`.trim();
}

/** A further condition; alternatives are put into parentheses, so that it holds for all of them. */
export function addCondition(text: string, condition: Condition): string {
  const before = text.trim();
  const { syntax } = readSearch(before);
  const written = writtenCondition(condition);
  if (before === '') return written;
  return syntax?.kind === 'or' ? `(${before}) ${written}` : `${before} ${written}`;
}

const TEXT: readonly Relation[] = [':', 'without', '=', '!='];
const ORDER: readonly Relation[] = ['=', '!=', '<', '<=', '>', '>='];
const HAVING: readonly Relation[] = ['some', 'none'];

/** What a person may choose for a column. */
export function relationsOf({ type, metadata }: Subject): readonly Relation[] {
  const having = metadata === undefined ? HAVING : [];
  switch (type) {
    case 'String':
    case 'Attachment':
    case 'User':
      return [...TEXT, ...having];
    case 'Object':
      return [':', 'without', ...having];
    case 'Location':
      return [':', ...having];
    case 'Boolean':
      return ['=', '!=', ...having];
    default:
      return [...ORDER, ...having];
  }
}

/** `:` and `=` are the same where a value is no text. */
export const shownRelation = ({ type }: Subject, relation: Relation): Relation =>
  relation === ':' && !['String', 'Attachment', 'User', 'Object', 'Location'].includes(type) ? '=' : relation;

/** A condition to begin with: what its editor shows first is also what it means. */
export function firstCondition(subject: Subject): Extract<Condition, { kind: 'criterion' }> {
  const text = isTime(subject) ? 'today' : subject.type === 'Boolean' ? 'true' : '';
  return { kind: 'criterion', subject, relation: relationsOf(subject)[0]!, term: { text, quoted: false } };
}
