// What was probably meant by a query that can be read and finds nothing. Asked only when a page is empty.

import type { Column } from '../../wire/applications.ts';
import { clip, quoteClipped } from '../values/value-type.ts';
import { findSubject } from './columns.ts';
import { quoteTerm } from './names-meant.ts';
import { type Criterion, parse, type Syntax, type Term } from './parse.ts';

/** A sentence about the first term that looks as if another language were meant; undefined if none does. */
export function hintFor(query: string, columns: readonly Column[]): string | undefined {
  const syntax = parse(query);
  return syntax === undefined ? undefined : hintIn(syntax, columns);
}

function hintIn(syntax: Syntax, columns: readonly Column[]): string | undefined {
  switch (syntax.kind) {
    case 'and':
      return lowercaseOperator(syntax.parts) ?? firstOf(syntax.parts, (part) => hintIn(part, columns));
    case 'or':
      return firstOf(syntax.parts, (part) => hintIn(part, columns));
    // A term that occurs nowhere is not why a negation finds nothing.
    case 'not':
      return undefined;
    case 'term':
      return syntax.term.quoted ? undefined : (otherQuotes(syntax.term) ?? wildcard(syntax.term, ''));
    case 'criterion':
      return criterionHint(syntax, columns);
  }
}

function firstOf<T>(parts: readonly T[], hintOf: (part: T) => string | undefined): string | undefined {
  for (const part of parts) {
    const hint = hintOf(part);
    if (hint !== undefined) return hint;
  }
  return undefined;
}

function criterionHint(criterion: Criterion, columns: readonly Column[]): string | undefined {
  const { name, operator, term, position } = criterion;
  if (term === undefined || term.quoted) return undefined;
  const { typed } = findSubject(columns, name, position);
  // A place is written with commas.
  if (typed.some(({ type }) => type === 'Location')) return undefined;
  const written = name.map(({ text, quoted }) => (quoted ? quoteTerm(text) : text)).join('.');
  const hint = otherQuotes(term) ?? wildcard(term, written);
  if (hint !== undefined || (operator !== '=' && operator !== ':')) return hint;
  const values = term.text.split(',').filter((value) => value !== '');
  if (values.length < 2) return undefined;
  const alternatives = values.map((value) => `${written}${operator}${value}`).join(' OR ');
  return `${quoteClipped(term.text)} is one text, commas included; for any of several write (${clip(alternatives)})`;
}

function otherQuotes({ text }: Term): string | undefined {
  const [first = ''] = text;
  if (!/['`‘’‚“”„«»]/.test(first)) return undefined;
  return `${first} is an ordinary character; texts are quoted with "`;
}

/** `written`: the name of the column, if the term has one. */
function wildcard({ text }: Term, written: string): string | undefined {
  if (!text.includes('*')) return undefined;
  const pieces = text.split('*').filter((piece) => piece !== '');
  const parts = written === '' ? pieces : pieces.map((piece) => `${written}:${piece}`);
  const means = parts.length === 0 ? `${written}!= finds what has a value` : `write ${clip(parts.join(' '))}`;
  return `* is an ordinary character; a part of a text is found without it: ${means}`;
}

const OPERATORS = new Set(['and', 'or', 'not']);

function lowercaseOperator(parts: readonly Syntax[]): string | undefined {
  return firstOf(parts, (part) => {
    if (part.kind !== 'term' || part.term.quoted || !OPERATORS.has(part.term.text)) return undefined;
    return `${part.term.text} is a word to look for; the operator is ${part.term.text.toUpperCase()}`;
  });
}
