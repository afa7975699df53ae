// Which column was probably meant where no column has the name before an operator: it lacks its quotation marks, has others,
// differs in case or only begins like the column, or is mistyped. Nothing here is asked of a query that can be read.

import { Fault } from '../../faults.ts';
import type { Column } from '../../wire/applications.ts';
import { editDistance } from '../edit-distance.ts';
import { TEXT_TO_QUOTE } from './columns.ts';
import { METADATA } from './condition.ts';
import { foldText } from './fold.ts';
import { invalidSearch } from './invalid-search.ts';
import { NEEDS_QUOTES, quoteText, suggestion, writtenText } from './suggestion.ts';

/** Quotation marks of other languages and of typesetting, for a class of a regular expression. */
export const OTHER_QUOTES = "'`‘’‚“”„«»";

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

/** The comparison with the name quoted; only the name where the comparison could not be read with it either. */
function nameToQuote(query: string, columns: readonly Column[]): string | undefined {
  const names = columns.map(({ name }) => name).filter((name) => NEEDS_QUOTES.test(name));
  const quoted = quotedUnits(query);
  // Lower case has another length in few languages; there only the exact name is recognized.
  const lower = query.toLowerCase().length === query.length ? query.toLowerCase() : query;
  for (const [text, spell] of [
    [query, (name: string) => name],
    [lower, (name: string) => name.toLowerCase()],
  ] as const) {
    for (const name of names) {
      const spelled = spell(name);
      for (let at = text.indexOf(spelled); at !== -1; at = text.indexOf(spelled, at + 1)) {
        if (quoted[at] === 1 || !beginsAt(query, at)) continue;
        const comparison = comparisonAt(query.slice(at + name.length));
        if (comparison === undefined) continue;
        const meant = suggestion(`${quoteText(name)}${comparison}`);
        return meant === undefined ? quoteText(name) : `${negationBefore(query.slice(0, at))}${meant}`;
      }
    }
  }
  return undefined;
}

const QUOTED = /"(?:[^"\\]|\\.)*(?:"|$)/gsu;

/** 1 for each UTF-16 unit after an opening quotation mark, up to the closing one. */
function quotedUnits(query: string): Uint8Array {
  const units = new Uint8Array(query.length);
  for (const { 0: text, index } of query.matchAll(QUOTED)) units.fill(1, index + 1, index + text.length);
  return units;
}

/** Whether a name can begin here, perhaps negated: not in the middle of a word. */
const beginsAt = (query: string, at: number): boolean =>
  /^$|[\s()]$|^-$|[\s()]-$/.test(query.slice(Math.max(0, at - 2), at));

/** The negation with which the text ends: what is suggested must not ask for the opposite. */
function negationBefore(text: string): string {
  const [, sign] = /(?:^|[\s()])(-|NOT\s)\s*$/.exec(text) ?? [];
  return sign === undefined ? '' : sign === '-' ? '-' : 'NOT ';
}

/**
 * The operator and the term at the beginning of the text. White space is passed over, except after `=` and `!=` that follow
 * the name directly: these need no term.
 */
function comparisonAt(text: string): string | undefined {
  const [, before, operator, after, term = ''] = COMPARISON.exec(text) ?? [];
  if (operator === undefined) return undefined;
  const isWhole = before === '' && after !== '' && (operator === '=' || operator === '!=');
  return `${operator}${isWhole ? '' : term}`;
}

const NAME = /^(?:"(?:[^"\\]|\\.)*"|[^\s()":=!<>])+/;

/** The comparison at the position, a number of code points, with the nearest name in place of the unknown one. */
function nearName(query: string, position: number, columns: readonly Column[]): string | undefined {
  const start = Array.from(query).slice(0, position).join('').length;
  const [name = ''] = NAME.exec(query.slice(start)) ?? [];
  const comparison = comparisonAt(query.slice(start + name.length));
  if (comparison === undefined) return undefined;
  const words = query
    .slice(0, start)
    .split(/\s+/)
    .filter((word) => word !== '');
  words.push(name);
  // A quoted name is the whole of it.
  const nearest = nearestLabel(name.startsWith('"') ? [name] : words, columns);
  const meant = nearest === undefined ? undefined : suggestion(`${nearest.label}${comparison}`);
  if (nearest === undefined || meant === undefined) return undefined;
  const [sign = ''] = /^[-(]*/.exec(words.at(-nearest.taken)!) ?? [];
  return `${negationBefore([...words.slice(0, -nearest.taken), sign].join(' '))}${meant}`;
}

interface Nearness {
  readonly rank: number;
  /** How many of the last words are the name. */
  readonly taken: number;
}

function nearestLabel(
  words: readonly string[],
  columns: readonly Column[],
): (Nearness & { readonly label: string }) | undefined {
  let nearest: (Nearness & { readonly label: string }) | undefined;
  const endings = endingsOf(words);
  const candidates = columns
    .filter(({ searchable }) => searchable)
    .map(({ name }) => ({ name, label: writtenText(name) }));
  for (const { name, label } of [...candidates, ...METADATA.map((known) => ({ name: known, label: `$${known}` }))]) {
    const nearness = nearnessOf(endings, name);
    if (nearness.rank < (nearest?.rank ?? Number.POSITIVE_INFINITY)) nearest = { label, ...nearness };
  }
  return nearest;
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
function nearnessOf(endings: readonly string[], name: string): Nearness {
  const count = Math.min(name.split(/\s+/).length, endings.length);
  const folded = foldText(name);
  let nearness: Nearness = { rank: Number.POSITIVE_INFINITY, taken: 1 };
  for (const [at, ending] of endings.slice(0, count).entries()) {
    const rank = resemblance(ending, folded, at + 1 === count);
    if (rank < nearness.rank) nearness = { rank, taken: at + 1 };
  }
  return nearness;
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
