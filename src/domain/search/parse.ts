// Builds the syntax tree of a query by this grammar. Knows nothing of columns and types: names and terms are resolved in
// check.
//
//   query      = [ or ] ;
//   or         = and { "OR" and } ;
//   and        = not { [ "AND" ] not } ;
//   not        = ( "NOT" | "-" ) not | primary ;
//   primary    = "(" or ")" | criterion | term ;
//   criterion  = column operator [ term ] ;        (no white space around the operator)
//
// Time is linear: each token is read once, apart from looking one token ahead. SEARCH_LEVELS_MAX bounds the recursion.

import { invalidSearch } from './invalid-search.ts';
import { lex, type Token, type WrittenOperator } from './lex.ts';

/** Criteria and bare terms together. */
export const CRITERIA_MAX = 64;
/** Nested parentheses and NOT, which is also written `-`. */
export const SEARCH_LEVELS_MAX = 32;

export interface Term {
  readonly text: string;
  readonly quoted: boolean;
  readonly position: number;
}

/** A part of a name between unquoted dots: `"a.b".c` has two parts, `a.b.c` three. */
export interface NamePart {
  readonly text: string;
  readonly quoted: boolean;
}

export interface Criterion {
  readonly kind: 'criterion';
  readonly name: readonly NamePart[];
  readonly operator: WrittenOperator;
  /** May be absent only after `=` and `!=`. */
  readonly term?: Term;
  readonly position: number;
}

export type Syntax =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Syntax[] }
  | { readonly kind: 'not'; readonly part: Syntax }
  | { readonly kind: 'term'; readonly term: Term }
  | Criterion;

interface Parsing {
  readonly tokens: readonly Token[];
  at: number;
  levels: number;
  criteria: number;
}

/** undefined for a query without any token. */
export function parse(query: string): Syntax | undefined {
  const tokens = lex(query);
  if (tokens.length === 0) return undefined;
  const parsing: Parsing = { tokens, at: 0, levels: 0, criteria: 0 };
  const syntax = readOr(parsing);
  const rest = parsing.tokens[parsing.at];
  if (rest !== undefined) throw invalidSearch('This closing parenthesis has no opening one.', rest.start);
  return syntax;
}

function readOr(parsing: Parsing): Syntax {
  const parts = [readAnd(parsing)];
  while (isKeyword(parsing.tokens[parsing.at], 'OR')) {
    parsing.at += 1;
    parts.push(readAnd(parsing));
  }
  return parts.length === 1 ? parts[0]! : { kind: 'or', parts };
}

function readAnd(parsing: Parsing): Syntax {
  const parts = [readNot(parsing)];
  for (;;) {
    const token = parsing.tokens[parsing.at];
    if (token === undefined || token.kind === 'close' || isKeyword(token, 'OR')) break;
    if (isKeyword(token, 'AND')) parsing.at += 1;
    parts.push(readNot(parsing));
  }
  return parts.length === 1 ? parts[0]! : { kind: 'and', parts };
}

function readNot(parsing: Parsing): Syntax {
  const token = parsing.tokens[parsing.at];
  if (token?.kind !== 'minus' && !isKeyword(token, 'NOT')) return readPrimary(parsing);
  return readInside(parsing, () => ({ kind: 'not', part: readNot(parsing) }));
}

function readPrimary(parsing: Parsing): Syntax {
  const token = parsing.tokens[parsing.at];
  if (token === undefined || token.kind === 'close' || isAnyKeyword(token)) throw nothingToRead(parsing);
  if (token.kind === 'open') return readParentheses(parsing);
  if (token.kind === 'operator') throw strayOperator(token, parsing.tokens[parsing.at - 1]);
  parsing.criteria += 1;
  if (parsing.criteria > CRITERIA_MAX) {
    throw invalidSearch(`A search has at most ${CRITERIA_MAX} criteria and terms.`, token.start);
  }
  return readCriterionOrTerm(parsing);
}

function readParentheses(parsing: Parsing): Syntax {
  const { start } = parsing.tokens[parsing.at]!;
  const inner = readInside(parsing, () => readOr(parsing));
  if (parsing.tokens[parsing.at]?.kind !== 'close') {
    throw invalidSearch('This opening parenthesis has no closing one.', start);
  }
  parsing.at += 1;
  return inner;
}

/** Skips the token that opens a level and reads one level deeper. */
function readInside(parsing: Parsing, read: () => Syntax): Syntax {
  if (parsing.levels === SEARCH_LEVELS_MAX) {
    const message = `A search has at most ${SEARCH_LEVELS_MAX} levels of parentheses and NOT.`;
    throw invalidSearch(message, parsing.tokens[parsing.at]!.start);
  }
  parsing.levels += 1;
  parsing.at += 1;
  const inner = read();
  parsing.levels -= 1;
  return inner;
}

/** Words and quoted texts without white space between them are the name of a column if an operator follows directly. */
function readCriterionOrTerm(parsing: Parsing): Syntax {
  const pieces = readTextTokens(parsing);
  const next = adjacent(parsing);
  if (next?.kind === 'operator') {
    parsing.at += 1;
    const { operator } = next;
    const term = readTermAfter(parsing, operator);
    const position = pieces[0].start;
    return { kind: 'criterion', name: nameOf(pieces), operator, ...(term === undefined ? {} : { term }), position };
  }
  const second = pieces[1] ?? (next?.kind === 'minus' ? next : undefined);
  if (second !== undefined) throw missingWhiteSpace(second);
  return { kind: 'term', term: termOf(pieces[0]) };
}

function readTextTokens(parsing: Parsing): [TextToken, ...TextToken[]] {
  const pieces: [TextToken, ...TextToken[]] = [parsing.tokens[parsing.at] as TextToken];
  parsing.at += 1;
  for (let token = adjacent(parsing); isTextToken(token); token = adjacent(parsing)) {
    pieces.push(token);
    parsing.at += 1;
  }
  return pieces;
}

function readTermAfter(parsing: Parsing, operator: WrittenOperator): Term | undefined {
  const token = adjacent(parsing);
  const before = parsing.tokens[parsing.at - 1]!;
  if (isAnyKeyword(token)) {
    throw invalidSearch(`${token.text} is an operator; as a term it has to be quoted.`, token.start);
  }
  if (token?.kind === 'open') {
    throw invalidSearch(`"${operator}" takes one term, without parentheses.`, token.start);
  }
  if (token?.kind === 'operator') {
    throw invalidSearch(`"${token.operator}" cannot follow "${operator}"; ${HOW_TO_QUOTE}`, token.start);
  }
  if (!isTextToken(token)) {
    if (operator === '=' || operator === '!=') return undefined;
    throw invalidSearch(`"${operator}" needs a term directly after it, without white space.`, before.start);
  }
  parsing.at += 1;
  const next = adjacent(parsing);
  if (next?.kind === 'operator')
    throw invalidSearch(`"${next.operator}" cannot stand here; ${HOW_TO_QUOTE}`, next.start);
  if (next !== undefined && next.kind !== 'open' && next.kind !== 'close') throw missingWhiteSpace(next);
  return termOf(token);
}

type TextToken = Extract<Token, { kind: 'word' | 'quoted' }>;

const isTextToken = (token: Token | undefined): token is TextToken =>
  token?.kind === 'word' || token?.kind === 'quoted';

const termOf = ({ kind, text, start }: TextToken): Term => ({ text, quoted: kind === 'quoted', position: start });

/** The next token, if it follows the previous one directly. */
function adjacent({ tokens, at }: Parsing): Token | undefined {
  return tokens[at]?.start === tokens[at - 1]?.end ? tokens[at] : undefined;
}

function isKeyword(token: Token | undefined, keyword: 'AND' | 'OR' | 'NOT'): boolean {
  return token?.kind === 'word' && token.text === keyword;
}

function isAnyKeyword(token: Token | undefined): token is Extract<Token, { kind: 'word' }> {
  return isKeyword(token, 'AND') || isKeyword(token, 'OR') || isKeyword(token, 'NOT');
}

function nameOf(pieces: readonly TextToken[]): NamePart[] {
  const parts: { text: string; quoted: boolean }[] = [{ text: '', quoted: false }];
  for (const { kind, text, start } of pieces) {
    const last = parts.at(-1)!;
    const [joined, ...others] = kind === 'quoted' ? [text] : text.split('.');
    const touches = kind === 'quoted' ? last.quoted || last.text !== '' : last.quoted && joined !== '';
    if (touches) {
      throw invalidSearch('A name is quoted as a whole; only a dot can join it to another: "a b"."c d".', start);
    }
    if (!last.quoted) Object.assign(last, { text: joined, quoted: kind === 'quoted' });
    parts.push(...others.map((other) => ({ text: other, quoted: false })));
  }
  return parts;
}

const HOW_TO_QUOTE = 'a term or name that contains white space or any of ( ) " : = ! < > has to be quoted.';

const missingWhiteSpace = ({ start }: Token) => invalidSearch(`White space is missing here; ${HOW_TO_QUOTE}`, start);

/** An operator where a criterion or term should begin. */
function strayOperator({ operator, start }: Extract<Token, { kind: 'operator' }>, before: Token | undefined) {
  if (isAnyKeyword(before) && before.end === start) {
    const message = `${before.text} is an operator; a column of that name is written "${before.text}".`;
    return invalidSearch(message, before.start);
  }
  const message = `"${operator}" needs the name of a column directly before it, without white space.`;
  return invalidSearch(message, start);
}

/** A criterion or term should follow, but the query or the parentheses end, or a keyword follows. */
function nothingToRead({ tokens, at }: Parsing) {
  const token = tokens[at];
  const before = tokens[at - 1];
  if (token?.kind === 'close') {
    return before?.kind === 'open'
      ? invalidSearch('There is nothing between these parentheses.', before.start)
      : before === undefined
        ? invalidSearch('This closing parenthesis has no opening one.', token.start)
        : invalidSearch('Something is missing before this closing parenthesis.', token.start);
  }
  if (token?.kind === 'word') {
    const message = `${token.text} is an operator and needs something before it; as a term or name it has to be quoted.`;
    return invalidSearch(message, token.start);
  }
  return before?.kind === 'open'
    ? invalidSearch('This opening parenthesis has no closing one.', before.start)
    : invalidSearch('Something is missing at the end of the search.', before?.end ?? 0);
}
