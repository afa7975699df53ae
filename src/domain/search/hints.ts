// What was probably meant by a query that can be read and finds nothing. Asked only when a page is empty, and answered from
// the query and the columns alone.

import type { Column } from '../../wire/applications.ts';
import type { SimpleTypeName } from '../../wire/values.ts';
import { clip, quoteClipped } from '../values/value-type.ts';
import { findSubject } from './columns.ts';
import { foldText } from './fold.ts';
import { firstOf, hintAtWords, isWord, suggest } from './hints-at-words.ts';
import { OTHER_QUOTES } from './names-meant.ts';
import { type Criterion, parse, type Syntax, type Term } from './parse.ts';
import { quoteText, writtenText } from './suggestion.ts';

/** A sentence about the first term that looks as if another language were meant; undefined if none does. */
export function hintFor(query: string, columns: readonly Column[]): string | undefined {
  const syntax = parse(query);
  return syntax === undefined ? undefined : hintIn(syntax, columns, query);
}

function hintIn(syntax: Syntax, columns: readonly Column[], query: string): string | undefined {
  switch (syntax.kind) {
    case 'and':
      return (
        hintAtWords(syntax.parts, columns) ??
        firstOf(syntax.parts, (part) => hintIn(part, columns, query)) ??
        textWithoutQuotes(syntax.parts, columns, query)
      );
    case 'or':
      return firstOf(syntax.parts, (part) => hintIn(part, columns, query));
    // A term that occurs nowhere is not why a negation finds nothing.
    case 'not':
      return undefined;
    case 'term':
      return syntax.term.quoted ? undefined : termHint(syntax.term, columns);
    case 'criterion':
      return criterionHint(syntax, columns);
  }
}

/** The sentence, with the query that is meant if it can be suggested. */
function withQuery(sentence: string, before: string, query: string | undefined): string {
  return query === undefined ? sentence : `${sentence}${before}${query}`;
}

function termHint(term: Term, columns: readonly Column[]): string | undefined {
  return (
    otherQuotes(term) ?? wildcard(term, '', columns) ?? tilde(term, columns) ?? alternatives(term, /\|+/, '', columns)
  );
}

/** `Kind~Cargo`: a word, because the tilde is no operator. */
function tilde({ text }: Term, columns: readonly Column[]): string | undefined {
  const [, before = '', after = ''] = /^([^~]+)~+([^~]+)$/.exec(text) ?? [];
  const column = before === '' ? undefined : columns.find(({ name }) => foldText(name) === foldText(before));
  return column === undefined ? undefined : colonMeant(writtenText(column.name), after, columns);
}

const colonMeant = (name: string, text: string, columns: readonly Column[]): string =>
  withQuery(
    '~ is an ordinary character; what contains a text is found with a colon',
    ': write ',
    suggest(`${name}:${writtenText(text)}`, columns),
  );

function criterionHint({ name, operator, term, position }: Criterion, columns: readonly Column[]): string | undefined {
  if (term === undefined || term.quoted) return undefined;
  const { typed } = findSubject(columns, name, position);
  // A place is written with commas.
  if (typed.some(({ type }) => type === 'Location')) return undefined;
  const quotes = otherQuotes(term);
  // Without its sign, a text that must differ or come before another would ask for something else.
  if (quotes !== undefined || (operator !== '=' && operator !== ':')) return quotes;
  const written = nameAsWritten(name);
  const hint = wildcard(term, written, columns);
  if (hint !== undefined) return hint;
  if (/^null$/i.test(term.text)) {
    const meant = suggest(`${written}=`, columns);
    const found = meant === undefined ? '' : `; what has no value is found by ${meant} with nothing after it`;
    return `${term.text} is an ordinary text${found}`;
  }
  if (/^~./.test(term.text)) return colonMeant(written, term.text.slice(1), columns);
  return alternatives(term, /[,|]+/, `${written}${operator}`, columns);
}

const nameAsWritten = (name: Criterion['name']): string =>
  name.map(({ text, quoted }) => (quoted ? quoteText(text) : text)).join('.');

/** Several texts written as one. `before` each of them stands the name of the column with the operator, if there is one. */
function alternatives(
  { text }: Term,
  separator: RegExp,
  before: string,
  columns: readonly Column[],
): string | undefined {
  const values = text.split(separator).filter((value) => value !== '');
  if (values.length < 2) return undefined;
  const included = text.includes(',') ? 'commas' : '|';
  const meant = values.map((value) => `${before}${writtenText(value)}`).join(' OR ');
  const sentence = `${quoteClipped(text)} is one text, ${included} included`;
  return withQuery(sentence, '; for any of several write ', suggest(`(${meant})`, columns));
}

const OTHER_QUOTE = new RegExp(`[${OTHER_QUOTES}]`);

function otherQuotes({ text }: Term): string | undefined {
  const [first = ''] = text;
  return OTHER_QUOTE.test(first) ? `${first} is an ordinary character; texts are quoted with "` : undefined;
}

/** `written`: the name of the column, if the term has one. */
function wildcard({ text }: Term, written: string, columns: readonly Column[]): string | undefined {
  const sign = text.includes('*') ? '*' : isPattern(text) ? '%' : undefined;
  if (sign === undefined) return undefined;
  const ordinary = `${sign} is an ordinary character`;
  const pieces = text.split(sign).filter((piece) => piece !== '');
  const before = written === '' ? '' : `${written}:`;
  if (pieces.length > 0) {
    const meant = pieces.map((piece) => `${before}${writtenText(piece)}`).join(' ');
    return withQuery(`${ordinary}; a part of a text is found without it`, ': write ', suggest(meant, columns));
  }
  if (written === '') return `${ordinary}; without a search the list has every record`;
  return withQuery(ordinary, '; what has a value is found by ', suggest(`${written}!=`, columns));
}

/** A pattern of SQL, and not 100%. */
const isPattern = (text: string): boolean => /^%|[^\d%]%+$/.test(text);

const TEXTS: readonly SimpleTypeName[] = ['String', 'User', 'Attachment'];

/** `Name=Red Rocket`: of two words without quotation marks, only the first is compared. */
function textWithoutQuotes(parts: readonly Syntax[], columns: readonly Column[], query: string): string | undefined {
  const characters = Array.from(query);
  const follows = (one: Term, other: Term): boolean =>
    characters
      .slice(one.position + Array.from(one.text).length, other.position)
      .join('')
      .trim() === '';
  return firstOf(parts, (part, at) => {
    if (part.kind !== 'criterion' || part.operator !== '=' || part.term === undefined || part.term.quoted)
      return undefined;
    const { typed } = findSubject(columns, part.name, part.position);
    if (!typed.some(({ type }) => TEXTS.includes(type))) return undefined;
    const words = [part.term];
    for (const next of parts.slice(at + 1)) {
      if (!isWord(next) || !follows(words.at(-1)!, next.term)) break;
      words.push(next.term);
    }
    if (words.length === 1) return undefined;
    const meant = `${nameAsWritten(part.name)}=${quoteText(words.map(({ text }) => text).join(' '))}`;
    const sentence = `${clip(words[1]!.text)} is a term of its own; a text with white space is quoted`;
    return withQuery(sentence, ': write ', suggest(meant, columns));
  });
}
