// The characters of a search query made into tokens. Positions count code points from 0. What tokens mean together is
// parse.ts.

import { invalidSearch } from './invalid-search.ts';

export const QUERY_CODE_POINTS_MAX = 4096;

const WRITTEN_OPERATORS = [':', '=', '!=', '<', '<=', '>', '>='] as const;
export type WrittenOperator = (typeof WRITTEN_OPERATORS)[number];

/** `end` is the position behind the token, so that two tokens without anything between them share a number. */
interface Extent {
  readonly start: number;
  readonly end: number;
}
export type Token = Extent &
  (
    | { readonly kind: 'open' | 'close' | 'minus' }
    /** Unquoted; also AND, OR and NOT. */
    | { readonly kind: 'word'; readonly text: string }
    /** Its text is what stands between the quotation marks, without the escapes. */
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

/** No stored text has U+0000 or half of a surrogate pair, and the database would not even take them. */
function charactersOf(query: string): string[] {
  // At most two UTF-16 units make a code point: what is far too long is not even taken apart.
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
  const behindOperator = previous?.kind === 'operator' && previous.end === start;
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
      return behindOperator ? readWord(characters, start) : { kind: 'minus', start, end };
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

/** Only `\"` and `\\` are escapes. Any other is refused, so that none has to keep today's accidental meaning. */
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
