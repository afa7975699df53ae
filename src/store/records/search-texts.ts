// Terms in the search text of a record (domain/search/search-text): narrowed down by its index, then found exactly in the
// searched sections.
//
// A long text is stored compressed and out of line, and every function call on it fetches and decompresses it again. So a
// search of many terms reads it once, in a subquery, and looks for all terms in the result.

import { SEARCH_TEXT } from '../../domain/records/projections.ts';
import type { Condition } from '../../domain/search/condition.ts';
import {
  isInSectionsAlone,
  LETTERS_MARK,
  type SearchTerm,
  searchTerm,
  sectionMark,
} from '../../domain/search/search-text.ts';
import { BoundedMap } from '../../load/bounded-map.ts';
import type { Steps } from '../../load/slices.ts';
import type { Params } from '../database/params.ts';
import type { ColumnField, Source } from './search-places.ts';

interface InText {
  readonly source: Source;
  readonly params: Params;
}

interface WrittenTerm extends SearchTerm {
  /** The patterns of `some`, as JSON. */
  readonly patterns?: string;
}

/** 4 KB at the most: that of a term of two letters, with its 73 patterns. */
const WRITTEN_MAX = 256;
const WRITTEN_LENGTH_MAX = 64;
const writtenTerms = new BoundedMap<string, WrittenTerm>(WRITTEN_MAX);

/** A search asks for each of its terms several times: writing them anew took half the time of compiling 64 numbers. */
export function writtenTerm(folded: string): WrittenTerm {
  const known = writtenTerms.get(folded);
  if (known !== undefined) return known;
  const term = searchTerm(folded);
  const { implies } = term;
  const made =
    implies !== undefined && 'some' in implies
      ? { ...term, patterns: JSON.stringify(implies.some.map(likePattern)) }
      : term;
  if (folded.length <= WRITTEN_LENGTH_MAX) writtenTerms.set(folded, made);
  return made;
}

const textOf = ({ alias, sections }: Source): string => sections ?? `${alias}.${SEARCH_TEXT}`;

/** The condition that the index can check for a term. */
export function implied(source: Source, { implies, patterns }: WrittenTerm, params: Params): string | undefined {
  const find = `${source.alias}.${SEARCH_TEXT}`;
  if (implies === undefined) return undefined;
  if ('every' in implies) {
    return implies.every.map((text) => `${find} like ${params.pattern(likePattern(text))}`).join(' and ');
  }
  // From a subquery: the planner would otherwise estimate each of the many patterns.
  return `${find} like any (array(select json_array_elements_text(${params.add(patterns!, 'json')})))`;
}

const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** A quick test whether the row's own text may contain the term. `simply`: includes a plain search for the term. */
function inOwnText({ source, params }: InText, term: WrittenTerm, simply: boolean): string | undefined {
  const known = implied(source, term, params);
  // Without the index, the 73 patterns of a two-letter term would be slow for every single record.
  const isMany = term.implies !== undefined && 'some' in term.implies;
  if (known === undefined || !(isMany || simply)) return known;
  return `strpos(${source.alias}.${SEARCH_TEXT}, ${params.text(term.text)}) > 0 and ${known}`;
}

/** Up to this number, each section has an expression of its own; with more, the statement would grow too large. */
const APART_MAX = 8;

/** Whether one of the sections contains the term. */
export function sectionsContain(fields: readonly ColumnField[], term: string, { source, params }: InText): string {
  const marks = fields.map(markOf);
  if (term === '') return hasSection(marks, { source, params });
  const isOnce = source.sections !== undefined;
  const written = writtenTerm(term);
  // A match never spans a mark, whose characters occur in no term.
  const isAnywhere = (isOnce || isDecidedByIndex(written)) && areAll(marks, source);
  if (isAnywhere && !isOnce) return implied(source, written, params)!;
  const inSections = isAnywhere ? undefined : sectionTest(marks, { source, params });
  const sought = params.text(written.text);
  const known = isOnce ? undefined : inOwnText({ source, params }, written, marks.length > APART_MAX);
  const found = known ?? `strpos(${textOf(source)}, ${sought}) > 0`;
  return inSections === undefined ? `(${found})` : `(${found} and ${inSections(sought)})`;
}

/** Whether the condition that the index can check is that the sections contain the term, and nothing less. */
function isDecidedByIndex({ text, implies }: SearchTerm): boolean {
  return implies !== undefined && 'every' in implies && implies.every[0] === text && isInSectionsAlone(text);
}

/** Whether search texts have no sections besides these. */
function areAll(marks: readonly string[], { collection }: Source): boolean {
  const { sections, isSettled } = collection.projections;
  if (!isSettled || marks.length < sections.length) return false;
  const asked = new Set(marks);
  return sections.every(({ mark }) => asked.has(mark));
}

/** Computed once for each column or key of a definition: a hash takes longer than the rest of a term. */
const marksOfColumns = new WeakMap<ColumnField['column'], Map<string | undefined, string>>();

function markOf({ column, key }: ColumnField): string {
  let marks = marksOfColumns.get(column);
  if (marks === undefined) {
    marks = new Map();
    marksOfColumns.set(column, marks);
  }
  let mark = marks.get(key);
  if (mark === undefined) {
    mark = sectionMark(column.id, key);
    marks.set(key, mark);
  }
  return mark;
}

function hasSection(marks: readonly string[], { source, params }: InText): string {
  if (marks.length > APART_MAX) return `exists (${sectionsAmong(marks, { source, params })})`;
  return `(${marks.map((mark) => `strpos(${textOf(source)}, ${params.text(mark)}) > 0`).join(' or ')})`;
}

function sectionTest(marks: readonly string[], { source, params }: InText): (sought: string) => string {
  if (marks.length > APART_MAX) {
    const among = sectionsAmong(marks, { source, params });
    return (sought) => `exists (${among} and strpos(s.text, ${sought}) > 0)`;
  }
  const texts = marks.map((mark) => `split_part(split_part(${textOf(source)}, ${params.text(mark)}, 2), chr(1), 1)`);
  return (sought) => `(${texts.map((text) => `strpos(${text}, ${sought}) > 0`).join(' or ')})`;
}

function sectionsAmong(marks: readonly string[], { source, params }: InText): string {
  const texts = marks.map((mark) => mark.slice(1));
  return `select from unnest(string_to_array(${textOf(source)}, chr(1))) as s(text)
    where left(s.text, ${texts[0]?.length}) in (select json_array_elements_text(${params.add(JSON.stringify(texts), 'json')}))`;
}

/** With fewer terms the subquery costs more than it saves for short texts. */
const TOGETHER_MIN = 6;

export interface SplitCondition {
  /** Conditions that share one reading of the search text (`readOnce`). */
  readonly together: readonly Condition[];
  readonly others: readonly Condition[];
}

/** Splits a conjunction by whether reading the search text once pays off. */
export function readTogether(condition: Condition): SplitCondition {
  const parts = condition.kind === 'and' ? condition.parts : [condition];
  const together = parts.filter(isAboutText);
  if (together.flatMap(soughtIn).length < TOGETHER_MIN) return { together: [], others: parts };
  return { together, others: parts.filter((part) => !isAboutText(part)) };
}

/**
 * Only terms in the record's own text: other conditions have their own indexes, which the planner uses only outside a
 * subquery. A negation uses no index, so it may contain other conditions.
 */
const isAboutText = (condition: Condition): boolean =>
  condition.kind === 'not' ? soughtIn(condition.part).length > 0 : isOwnText(condition);

/** Whether the condition consists of terms in the record's own text. */
export function isOwnText(condition: Condition): boolean {
  if (condition.kind === 'and' || condition.kind === 'or') return condition.parts.every(isOwnText);
  if (condition.kind !== 'contains') return false;
  return condition.fields.every(
    (field) => field.kind === 'column' && !('scheme' in field.column && 'collectionId' in field.column.scheme),
  );
}

/** Each term given to the index is rechecked against every record found, so only the longest, most selective are used. */
const NARROWED_MAX = 8;

/** The conditions that the index can check for the terms that are read together. */
export function textsNarrowed(parts: readonly Condition[], source: Source, params: Params): string[] {
  const byWeight = [...parts].sort((one, other) => weightOf(other) - weightOf(one));
  return byWeight
    .slice(0, NARROWED_MAX)
    .filter(canNarrow)
    .map((part) => narrowing(part, source, params));
}

const weightOf = (condition: Condition): number => {
  if (condition.kind === 'contains') return condition.term.length;
  return condition.kind === 'not' ? -1 : 0;
};

/** Checked before any parameter is added: the database refuses a parameter that the statement does not use. */
function canNarrow(condition: Condition): boolean {
  if (condition.kind === 'contains') return condition.term !== '' && writtenTerm(condition.term).implies !== undefined;
  if (condition.kind === 'and') return condition.parts.some(canNarrow);
  return condition.kind === 'or' && condition.parts.every(canNarrow);
}

function narrowing(condition: Condition, source: Source, params: Params): string {
  if (condition.kind === 'contains') return inOwnText({ source, params }, writtenTerm(condition.term), false) ?? 'true';
  if (condition.kind !== 'and' && condition.kind !== 'or') return 'true';
  const parts = condition.parts.filter(canNarrow).map((part) => `(${narrowing(part, source, params)})`);
  return `(${parts.join(` ${condition.kind} `)})`;
}

/**
 * A test of the search text that reads it once. `offset 0` keeps the planner from inlining the subquery. The planner
 * assumes that half of all records pass the test.
 */
export function* readOnce(
  { source, params }: InText,
  parts: readonly Condition[],
  compile: (part: Condition, source: Source) => Steps<string>,
): Steps<string> {
  const alias = `${source.alias}x`;
  const at = { source: { ...source, sections: `${alias}.sections` }, params };
  const nots = parts.filter(({ kind }) => kind === 'not');
  const groups = [
    ...parts.filter(({ kind }) => kind !== 'not').map((part) => [part]),
    ...(nots.length > 0 ? [nots] : []),
  ];
  const tests: string[] = [];
  for (const group of groups) {
    const compiled: string[] = [];
    for (const part of group) compiled.push(yield* compile(part, at.source));
    tests.push(guarded(group, at, compiled.join(' and ')));
  }
  return `(select ${tests.join(' and ')}
    from (select split_part(${source.alias}.${SEARCH_TEXT}, ${params.text(LETTERS_MARK)}, 1) as sections offset 0) ${alias})`;
}

/** In characters. Longer patterns are slow to compile. */
const PATTERN_CHARACTERS_MAX = 1_000;

/**
 * Most records contain none of the terms of a long negation or of many alternatives, and then the result is known. One
 * regular expression checks for all terms: for 64 terms and a text of 1 MB in 3 ms instead of 330, for 30,000 short texts
 * in a quarter of the time.
 */
function guarded(parts: readonly Condition[], { source, params }: InText, test: string): string {
  const terms = new Set(parts.flatMap(soughtIn));
  const pattern = [...terms].map((term) => writtenTerm(term).text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  if (terms.size < TOGETHER_MIN || pattern.length > PATTERN_CHARACTERS_MAX || !parts.every(isTermsAlone)) return test;
  return `case when ${source.sections} ~ ${params.text(pattern)} then ${test} else ${parts.every(isWithout)} end`;
}

/** Whether the condition consists only of terms in the record's own text. */
function isTermsAlone(condition: Condition): boolean {
  if (condition.kind === 'not') return isTermsAlone(condition.part);
  if (condition.kind === 'and' || condition.kind === 'or') return condition.parts.every(isTermsAlone);
  return condition.kind === 'contains' && condition.term !== '' && isOwnText(condition);
}

function soughtIn(condition: Condition): string[] {
  if (condition.kind === 'not') return soughtIn(condition.part);
  if (condition.kind === 'and' || condition.kind === 'or') return condition.parts.flatMap(soughtIn);
  return condition.kind === 'contains' ? [condition.term] : [];
}

/** The result for a record that contains none of the terms. */
function isWithout(condition: Condition): boolean {
  switch (condition.kind) {
    case 'not':
      return !isWithout(condition.part);
    case 'and':
      return condition.parts.every(isWithout);
    case 'or':
      return condition.parts.some(isWithout);
    default:
      return false;
  }
}
