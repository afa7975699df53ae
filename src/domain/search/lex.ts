// Splits the characters of a search query into tokens. Positions count code points from 0. The grammar is in parse.

import { invalidSearch } from './invalid-search.ts';

export const QUERY_CODE_POINTS_MAX = 4096;

const WRITTEN_OPERATORS = [':', '=', '!=', '<', '<=', '>', '>='] as const;
export type WrittenOperator = (typeof WRITTEN_OPERATORS)[number];

/** `end` is the position after the token: it equals the `start` of a token that follows directly. */
interface Extent {
  readonly start: number;
  readonly end: number;
}
export type Token = Extent &
  (
    | { readonly kind: 'open' | 'close' | 'minus' }
    /** Unquoted; also AND, OR and NOT. */
    | { readonly kind: 'word'; readonly text: string }
    /** The text between the quotation marks, without the escapes. */
    | { readonly kind: 'quoted'; readonly text: string }
    | { readonly kind: 'operator'; readonly operator: WrittenOperator }
  );

/** JavaScript's white space, which includes the ideographic space of Japanese keyboards. */
const WHITE_SPACE = /\s/;
const ENDS_WORD = /[\s()":=!<>]/;
const UNSTORABLE = /[\0\p{Surrogate}]/u;

export function lex(query: string): Token[] {
  const characters = charactersOf(query);
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; ) {
    if (WHITE_SPACE.test(characters[at]!)) {
      at += 1;
      continue;
    }
    const token = readToken(characters, at, tokens.at(-1));
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

/** Refuses U+0000 and lone surrogates: no stored text has them, and the database does not accept them. */
function charactersOf(query: string): string[] {
  // A code point has at most two UTF-16 units, so a query that is far too long is not split as a whole.
  const characters = Array.from(query.slice(0, 2 * QUERY_CODE_POINTS_MAX + 1));
  if (characters.length > QUERY_CODE_POINTS_MAX) {
    const message = `A search has at most ${QUERY_CODE_POINTS_MAX} characters.`;
    throw invalidSearch(message, QUERY_CODE_POINTS_MAX);
  }
  const unstorable = characters.findIndex((character) => UNSTORABLE.test(character));
  if (unstorable >= 0) {
    const number = characters[unstorable]!.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    throw invalidSearch(`A search cannot contain U+${number}, which no text can contain.`, unstorable);
  }
  return characters;
}

function readToken(characters: readonly string[], start: number, previous: Token | undefined): Token {
  const end = start + 1;
  const afterOperator = previous?.kind === 'operator' && previous.end === start;
  switch (characters[start]) {
    case '(':
      return { kind: 'open', start, end };
    case ')':
      return { kind: 'close', start, end };
    case '"':
      return readQuoted(characters, start);
    case ':':
      return { kind: 'operator', operator: ':', start, end };
    case '=':
    case '!':
    case '<':
    case '>':
      return readOperator(characters, start);
    case '-':
      return afterOperator ? readWord(characters, start) : { kind: 'minus', start, end };
    default:
      return readWord(characters, start);
  }
}

function readOperator(characters: readonly string[], start: number): Token {
  const one = characters[start];
  const two = `${one}${characters[start + 1]}`;
  const operator =
    WRITTEN_OPERATORS.find((written) => written === two) ?? WRITTEN_OPERATORS.find((written) => written === one);
  if (operator === undefined) {
    throw invalidSearch('"!" is part of "!=" only. A term that contains it has to be quoted.', start);
  }
  return { kind: 'operator', operator, start, end: start + operator.length };
}

function readWord(characters: readonly string[], start: number): Token {
  let end = start;
  while (end < characters.length && !ENDS_WORD.test(characters[end]!)) end += 1;
  return { kind: 'word', text: characters.slice(start, end).join(''), start, end };
}

/** Only `\"` and `\\` are escapes. Any other is refused, so that it stays free for a later meaning. */
function readQuoted(characters: readonly string[], start: number): Token {
  let text = '';
  for (let at = start + 1; at < characters.length; at += 1) {
    if (characters[at] === '"') return { kind: 'quoted', text, start, end: at + 1 };
    if (characters[at] === '\\') {
      const escaped = characters[at + 1];
      if (escaped !== '"' && escaped !== '\\') {
        throw invalidSearch('In quotation marks a backslash is written \\\\ and a quotation mark \\".', at);
      }
      at += 1;
    }
    text += characters[at];
  }
  throw invalidSearch('The closing quotation mark is missing.', start);
}
