// What was probably meant by a query that can be read and finds nothing. Asked only when a page is empty. Also the addition to
// an error that an unquoted name has caused.

import { Fault } from '../../faults.ts';
import type { Column } from '../../wire/applications.ts';
import { clip, quoteClipped } from '../values/value-type.ts';
import { findSubject, TEXT_TO_QUOTE } from './columns.ts';
import { invalidSearch } from './invalid-search.ts';
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

const NEEDS_QUOTES = /[\s()":=!<>]|^[-$]/;
const OPERATOR_NEXT = /^\s*(?:!=|[:=<>])\S*/;

/** An error of a query in which the name of a column stands before an operator and lacks its quotation marks. */
export function withNameToQuote(error: unknown, query: string, columns: readonly Column[]): unknown {
  if (!(error instanceof Fault) || error.code !== 'INVALID_SEARCH') return error;
  const { message, position } = error.params as { message: string; position: number };
  for (const { name } of columns) {
    const comparison = NEEDS_QUOTES.test(name) ? comparisonAfter(name, query) : undefined;
    if (comparison === undefined) continue;
    const meant = `${quoteTerm(name)}${clip(comparison.trim())}`;
    return invalidSearch(
      `${message.replace(TEXT_TO_QUOTE, '')} The name of the column has to be quoted: ${meant}`,
      position,
    );
  }
  return error;
}

/** The operator and the term after the unquoted name; undefined if it does not occur before an operator. */
function comparisonAfter(name: string, query: string): string | undefined {
  for (let at = query.indexOf(name); at !== -1; at = query.indexOf(name, at + 1)) {
    const comparison = query[at - 1] === '"' ? null : OPERATOR_NEXT.exec(query.slice(at + name.length));
    if (comparison !== null) return comparison[0];
  }
  return undefined;
}

const quoteTerm = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
