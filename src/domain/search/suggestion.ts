// A query that is suggested in place of one that is refused or finds nothing. People copy it, also into a deletion, so it is
// given only as it can be read and only if it negates nothing: `*-001` must not lead to `-001`.

import { Fault } from '../../faults.ts';
import { parse, type Syntax } from './parse.ts';

/** A suggestion is given whole or not at all. It must fit the header, where a character may take twelve. */
const SUGGESTION_LENGTH_MAX = 200;

/** The query if it can be suggested. `read` throws INVALID_SEARCH where it is refused. */
export function suggestion(query: string, read: (query: string) => unknown = parse): string | undefined {
  if (query.length > SUGGESTION_LENGTH_MAX) return undefined;
  try {
    read(query);
    const syntax = parse(query);
    return syntax === undefined || negates(syntax) ? undefined : query;
  } catch (error) {
    if (error instanceof Fault && error.code === 'INVALID_SEARCH') return undefined;
    throw error;
  }
}

function negates(syntax: Syntax): boolean {
  if (syntax.kind === 'not') return true;
  return (syntax.kind === 'and' || syntax.kind === 'or') && syntax.parts.some(negates);
}

/** What ends a word, or is read as something else at the beginning of one. */
export const NEEDS_QUOTES = /[\s()":=!<>]|^[-$]/;
const KEYWORD = /^(?:AND|OR|NOT)$/;

/** A name or a term as it is written in a query. */
export const writtenText = (text: string): string =>
  NEEDS_QUOTES.test(text) || KEYWORD.test(text) ? quoteText(text) : text;

export const quoteText = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
