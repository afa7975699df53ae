// Which column was probably meant where no column has the name before an operator: it lacks its quotation marks, has others,
// differs in case or only begins like the column, or is mistyped. Nothing here is asked of a query that can be read.

import { Fault } from '../../faults.ts';
import type { Column } from '../../wire/applications.ts';
import { editDistance } from '../edit-distance.ts';
import { clip } from '../values/value-type.ts';
import { TEXT_TO_QUOTE } from './columns.ts';
import { METADATA } from './condition.ts';
import { foldText } from './fold.ts';
import { invalidSearch } from './invalid-search.ts';

/** Quotation marks of other languages and of typesetting, for a class of a regular expression. */
export const OTHER_QUOTES = "'`‘’‚“”„«»";

const NEEDS_QUOTES = /[\s()":=!<>]|^[-$]/;
const COMPARISON = /^(\s*)(!=|[<>]=|[:=<>])(\s*)("(?:[^"\\]|\\.)*"|[^\s()]*)/;

/** The error of a query, with the query that was probably meant if a name in it resembles that of a column. */
export function withNameMeant(error: unknown, query: string, columns: readonly Column[]): unknown {
  if (!(error instanceof Fault) || error.code !== 'INVALID_SEARCH') return error;
  const { message, position } = error.params as { message: string; position: number };
  const said = message.replace(TEXT_TO_QUOTE, '');
  const quoted = nameToQuote(query, columns);
  if (quoted !== undefined)
    return invalidSearch(`${said} The name of the column has to be quoted: ${quoted}`, position);
  const near = said === message ? undefined : nearName(query, position, columns);
  return near === undefined ? error : invalidSearch(`${said} Perhaps this is meant: ${near}`, position);
}

/** A name as it is written in a query. */
export const writtenName = (name: string): string => (NEEDS_QUOTES.test(name) ? quoteTerm(name) : name);

export const quoteTerm = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

function nameToQuote(query: string, columns: readonly Column[]): string | undefined {
  const names = columns.map(({ name }) => name).filter((name) => NEEDS_QUOTES.test(name));
  // Lower case has another length in few languages; there only the exact name is recognized.
  const lower = query.toLowerCase().length === query.length ? query.toLowerCase() : query;
  for (const [text, spell] of [
    [query, (name: string) => name],
    [lower, (name: string) => name.toLowerCase()],
  ] as const) {
    for (const name of names) {
      const comparison = comparisonAfter(spell(name), text, query);
      if (comparison !== undefined) return `${quoteTerm(name)}${comparison}`;
    }
  }
  return undefined;
}

/** What follows the first unquoted occurrence of the name before an operator; undefined if there is none. */
function comparisonAfter(name: string, text: string, query: string): string | undefined {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const comparison = text[at - 1] === '"' ? undefined : comparisonAt(query.slice(at + name.length));
    if (comparison !== undefined) return comparison;
  }
  return undefined;
}

/** The operator and the term at the beginning of the text. A space after the operator counts only beside one before it. */
function comparisonAt(text: string): string | undefined {
  const [, before, operator, after, term = ''] = COMPARISON.exec(text) ?? [];
  if (operator === undefined) return undefined;
  return clip(`${operator}${before === '' && after !== '' ? '' : term}`);
}

const NAME = /^(?:"(?:[^"\\]|\\.)*"|[^\s()":=!<>])+/;

/** The comparison at the position, a number of code points, with the nearest name in place of the unknown one. */
function nearName(query: string, position: number, columns: readonly Column[]): string | undefined {
  const start = Array.from(query).slice(0, position).join('').length;
  const [name = ''] = NAME.exec(query.slice(start)) ?? [];
  const comparison = comparisonAt(query.slice(start + name.length));
  if (comparison === undefined) return undefined;
  // A quoted name is the whole of it.
  const words = name.startsWith('"')
    ? []
    : query
        .slice(0, start)
        .split(/\s+/)
        .filter((word) => word !== '');
  const label = nearestLabel([...words, name], columns);
  return label === undefined ? undefined : `${label}${comparison}`;
}

function nearestLabel(words: readonly string[], columns: readonly Column[]): string | undefined {
  let nearest: { label: string; rank: number } | undefined;
  const endings = endingsOf(words);
  const candidates = columns
    .filter(({ searchable }) => searchable)
    .map(({ name }) => ({ name, label: writtenName(name) }));
  for (const { name, label } of [...candidates, ...METADATA.map((known) => ({ name: known, label: `$${known}` }))]) {
    const rank = rankOf(endings, name);
    if (rank < (nearest?.rank ?? Number.POSITIVE_INFINITY)) nearest = { label, rank };
  }
  return nearest?.label;
}

/** Longer texts are compared with no name, so that a mistake in a long query costs little. */
const ENDING_LENGTH_MAX = 100;

/** The last word, the last two words and so on, as far as they may be a name. */
function endingsOf(words: readonly string[]): string[] {
  const endings: string[] = [];
  for (let taken = 1; taken <= words.length; taken += 1) {
    const ending = words.slice(-taken).join(' ');
    if (ending.length > ENDING_LENGTH_MAX) break;
    endings.push(bare(ending));
  }
  return endings;
}

/** The lowest rank of the last words, of as many as the name has or fewer. */
function rankOf(endings: readonly string[], name: string): number {
  const count = Math.min(name.split(/\s+/).length, endings.length);
  const folded = foldText(name);
  const ranks = endings.slice(0, count).map((ending, at) => resemblance(ending, folded, at + 1 === count));
  return Math.min(Number.POSITIVE_INFINITY, ...ranks);
}

const MARKS = `["${OTHER_QUOTES}]+`;
const MARKS_AROUND = new RegExp(`^[-(]*${MARKS}|${MARKS}$|^[-(]+`, 'gu');
const bare = (text: string): string => foldText(text.replaceAll(MARKS_AROUND, ''));

/** Each letter of one text is compared with each of the other: with 200 columns, 4 ms at most. */
const MISTYPED_LENGTH_MAX = 24;
const BEGINS_LIKE = 100;

/** 0 for equal texts; whole words at the beginning come before typing errors, and those before a part of a word. */
function resemblance(given: string, name: string, whole: boolean): number {
  if (given === name) return 0;
  const begins = given.length >= 2 && name.startsWith(given);
  if (begins && !/^[\p{L}\p{N}]/u.test(name.slice(given.length))) return 0.5;
  if (whole && given.length <= MISTYPED_LENGTH_MAX && Math.abs(given.length - name.length) * 3 <= given.length) {
    const distance = editDistance(given, name);
    if (distance * 3 <= given.length) return distance;
  }
  return begins ? BEGINS_LIKE : Number.POSITIVE_INFINITY;
}
