// Words and signs that are operators in other languages and terms in a search: `a or b`, `a & b`, `Kind IS NULL`,
// `Bought between 2023 and 2024`.

import type { Column } from '../../wire/applications.ts';
import { readSearch } from './check.ts';
import { METADATA } from './condition.ts';
import { foldText } from './fold.ts';
import type { Syntax, Term } from './parse.ts';
import { quoteText, suggestion, writtenText } from './suggestion.ts';

/** The query if it can be suggested: these columns accept it. When it is asked, and by whom, decides nothing. */
export const suggest = (query: string, columns: readonly Column[]): string | undefined =>
  suggestion(query, (text) => readSearch(text, { columns, zone: 'UTC', now: 0, callerId: '' }));

/** `parts` must all hold. */
export function hintAtWords(parts: readonly Syntax[], columns: readonly Column[]): string | undefined {
  const comparison = firstOf(parts, (_, at) => isNull(parts, at, columns) ?? between(parts, at, columns));
  return comparison ?? firstOf(parts, otherOperator);
}

export function firstOf<T>(
  parts: readonly T[],
  hintOf: (part: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, part] of parts.entries()) {
    const hint = hintOf(part, index);
    if (hint !== undefined) return hint;
  }
  return undefined;
}

/** A term that is not quoted, in lower case and in capitals. */
export function isWord(part: Syntax | undefined, word?: string): part is { kind: 'term'; term: Term } {
  if (part?.kind !== 'term' || part.term.quoted) return false;
  return word === undefined || part.term.text.toLowerCase() === word;
}

function isNull(parts: readonly Syntax[], at: number, columns: readonly Column[]): string | undefined {
  if (!isWord(parts[at], 'is')) return undefined;
  const [next, last] = parts.slice(at + 1);
  // NOT in capitals is the operator.
  const negated = next?.kind === 'not' ? isWord(next.part, 'null') : isWord(next, 'not') && isWord(last, 'null');
  if (!negated && !isWord(next, 'null')) return undefined;
  const name = columnBefore(parts.slice(0, at), columns);
  if (name === undefined) return undefined;
  const meant = suggest(negated ? `${name}!=` : `${name}=`, columns);
  if (meant === undefined) return undefined;
  const [operator, what] = negated ? ['IS NOT NULL', 'a value'] : ['IS NULL', 'no value'];
  return `${operator} is text to look for; what has ${what} is found by ${meant} with nothing after it`;
}

function between(parts: readonly Syntax[], at: number, columns: readonly Column[]): string | undefined {
  if (!isWord(parts[at], 'between')) return undefined;
  // AND in capitals is the operator.
  const [from, to] = parts.slice(at + 1, at + 4).filter((part) => !isWord(part, 'and'));
  const name = columnBefore(parts.slice(0, at), columns);
  if (name === undefined || from?.kind !== 'term' || to?.kind !== 'term') return undefined;
  const meant = suggest(`${name}>=${termAsWritten(from.term)} ${name}<=${termAsWritten(to.term)}`, columns);
  return meant === undefined ? undefined : `between is a word to look for; write ${meant}`;
}

const termAsWritten = ({ text, quoted }: Term): string => (quoted ? quoteText(text) : text);

/** The longest name of a column with which the terms end, as it is written in a query. */
function columnBefore(parts: readonly Syntax[], columns: readonly Column[]): string | undefined {
  const said = foldText(parts.map((part) => (part.kind === 'term' ? ` ${part.term.text}` : '')).join(''));
  const metadata = METADATA.map((name) => ({ name: `$${name}`, written: `$${name}` }));
  const named = [...columns.map(({ name }) => ({ name, written: writtenText(name) })), ...metadata]
    .filter(({ name }) => said.endsWith(` ${foldText(name)}`))
    .sort((one, other) => other.name.length - one.name.length);
  return named[0]?.written;
}

const OPERATORS: Readonly<Record<string, string>> = {
  and: 'AND',
  '&': 'AND',
  '&&': 'AND',
  or: 'OR',
  '|': 'OR',
  '||': 'OR',
  not: 'NOT',
};

function otherOperator(part: Syntax): string | undefined {
  if (!isWord(part) || !Object.hasOwn(OPERATORS, part.term.text)) return undefined;
  return `${part.term.text} is a word to look for; the operator is ${OPERATORS[part.term.text]}`;
}
