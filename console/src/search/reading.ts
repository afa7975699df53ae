// Reads a search while it is typed: the same grammar as the server's, but what cannot be read is told instead of thrown,
// with the tokens as far as they go. Positions count UTF-16 units, as fields do; the interface counts code points.

export const OPERATORS = [':', '=', '!=', '<', '<=', '>', '>='] as const;
export type Operator = (typeof OPERATORS)[number];

interface Extent {
  readonly start: number;
  readonly end: number;
}
export type TextToken = Extent & { readonly kind: 'word' | 'quoted'; readonly text: string };
export type Token =
  | (Extent & { readonly kind: 'open' | 'close' | 'minus' })
  | (Extent & { readonly kind: 'operator'; readonly operator: Operator })
  | TextToken;

export type ProblemKind =
  | 'tooLong'
  | 'character'
  | 'quoteEnd'
  | 'escape'
  | 'exclamation'
  | 'unopened'
  | 'unclosed'
  | 'nothing'
  | 'keyword'
  | 'noTerm'
  | 'noName'
  | 'quoting'
  | 'tooMany'
  | 'tooDeep'
  | 'unknownColumn'
  | 'ambiguous'
  | 'notSearchable'
  | 'needsKey'
  | 'number'
  | 'boolean';

export interface Problem {
  readonly kind: ProblemKind;
  readonly at: number;
  /** Typing on at the end may mend it: nothing to complain of yet. */
  readonly unfinished: boolean;
}

/** A part of a name between unquoted dots. */
export interface NamePart {
  readonly text: string;
  readonly quoted: boolean;
}

export type Criterion = Extent & {
  readonly kind: 'criterion';
  readonly name: readonly NamePart[];
  readonly operator: Operator;
  readonly term: TextToken | undefined;
};
export type Syntax =
  | (Extent & { readonly kind: 'and' | 'or'; readonly parts: readonly Syntax[] })
  | (Extent & { readonly kind: 'not' | 'group'; readonly part: Syntax })
  | (Extent & { readonly kind: 'term'; readonly term: TextToken })
  | Criterion;

export interface Reading {
  readonly tokens: readonly Token[];
  /** Undefined where it cannot be read, or is empty. */
  readonly syntax: Syntax | undefined;
  readonly problem: Problem | undefined;
}

/** The limits of the interface, docs/search.md. */
const CODE_POINTS_MAX = 4096;
const CRITERIA_MAX = 64;
const LEVELS_MAX = 32;

const WHITE_SPACE = /\s/;
const ENDS_WORD = /[\s()":=!<>]/;
const UNSTORABLE = /[\0\p{Surrogate}]/u;

export function readSearch(text: string): Reading {
  const { tokens, problem } = tokenize(text);
  if (problem !== undefined || tokens.length === 0) return { tokens, syntax: undefined, problem };
  const parsing: Parsing = { tokens, at: 0, levels: 0, criteria: 0, length: text.length };
  try {
    const syntax = readOr(parsing);
    const rest = tokens[parsing.at];
    if (rest !== undefined) throw new Unreadable('unopened', rest.start);
    return { tokens, syntax, problem: undefined };
  } catch (error) {
    if (error instanceof Unreadable) return { tokens, syntax: undefined, problem: error.problem };
    throw error;
  }
}

/** The first problem of the characters themselves comes before those of the grammar, as at the server. */
export function tokenize(text: string): { readonly tokens: readonly Token[]; readonly problem: Problem | undefined } {
  const tokens: Token[] = [];
  let problem = unstorableIn(text);
  const complain = (kind: ProblemKind, at: number, unfinished: boolean) => {
    problem ??= { kind, at, unfinished };
  };
  for (let at = 0; at < text.length; ) {
    if (WHITE_SPACE.test(text[at]!)) {
      at += 1;
      continue;
    }
    const token = readToken(text, at, tokens.at(-1), complain);
    tokens.push(token);
    at = token.end;
  }
  return { tokens, problem };
}

type Complain = (kind: ProblemKind, at: number, unfinished: boolean) => void;

function unstorableIn(text: string): Problem | undefined {
  const characters = Array.from(text.slice(0, 2 * CODE_POINTS_MAX + 1));
  if (characters.length > CODE_POINTS_MAX) {
    return { kind: 'tooLong', at: characters.slice(0, CODE_POINTS_MAX).join('').length, unfinished: false };
  }
  const index = characters.findIndex((character) => UNSTORABLE.test(character));
  if (index < 0) return undefined;
  return { kind: 'character', at: characters.slice(0, index).join('').length, unfinished: false };
}

function readToken(text: string, start: number, before: Token | undefined, complain: Complain): Token {
  const end = start + 1;
  switch (text[start]) {
    case '(':
      return { kind: 'open', start, end };
    case ')':
      return { kind: 'close', start, end };
    case '"':
      return readQuoted(text, start, complain);
    case '-':
      if (before?.kind === 'operator' && before.end === start) return readWord(text, start);
      return { kind: 'minus', start, end };
    case ':':
    case '=':
    case '!':
    case '<':
    case '>': {
      const two = OPERATORS.find((operator) => operator === text.slice(start, start + 2));
      const operator = two ?? OPERATORS.find((one) => one === text[start]);
      if (operator !== undefined) return { kind: 'operator', operator, start, end: start + operator.length };
      complain('exclamation', start, end === text.length);
      return { kind: 'word', text: '!', start, end };
    }
    default:
      return readWord(text, start);
  }
}

function readWord(text: string, start: number): Token {
  let end = start;
  while (end < text.length && !ENDS_WORD.test(text[end]!)) end += 1;
  return { kind: 'word', text: text.slice(start, end), start, end };
}

function readQuoted(text: string, start: number, complain: Complain): Token {
  let inside = '';
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '"') return { kind: 'quoted', text: inside, start, end: at + 1 };
    if (text[at] === '\\') {
      const escaped = text[at + 1];
      if (escaped === '"' || escaped === '\\') at += 1;
      else complain('escape', at, escaped === undefined);
    }
    inside += text[at];
  }
  complain('quoteEnd', start, true);
  return { kind: 'quoted', text: inside, start, end: text.length };
}

interface Parsing {
  readonly tokens: readonly Token[];
  at: number;
  levels: number;
  criteria: number;
  readonly length: number;
}

class Unreadable extends Error {
  readonly problem: Problem;
  constructor(kind: ProblemKind, at: number, unfinished = false) {
    super(kind);
    this.problem = { kind, at, unfinished };
  }
}

function readOr(parsing: Parsing): Syntax {
  const parts: [Syntax, ...Syntax[]] = [readAnd(parsing)];
  while (isKeyword(parsing.tokens[parsing.at], 'OR')) {
    parsing.at += 1;
    parts.push(readAnd(parsing));
  }
  return joined('or', parts);
}

function readAnd(parsing: Parsing): Syntax {
  const parts: [Syntax, ...Syntax[]] = [readNot(parsing)];
  for (;;) {
    const token = parsing.tokens[parsing.at];
    if (token === undefined || token.kind === 'close' || isKeyword(token, 'OR')) return joined('and', parts);
    if (isKeyword(token, 'AND')) parsing.at += 1;
    parts.push(readNot(parsing));
  }
}

function joined(kind: 'and' | 'or', parts: readonly [Syntax, ...Syntax[]]): Syntax {
  const [first] = parts;
  return parts.length === 1 ? first : { kind, parts, start: first.start, end: parts.at(-1)!.end };
}

function readNot(parsing: Parsing): Syntax {
  const token = parsing.tokens[parsing.at];
  if (token === undefined || (token.kind !== 'minus' && !isKeyword(token, 'NOT'))) return readPrimary(parsing);
  const part = readInside(parsing, token.start, () => readNot(parsing));
  return { kind: 'not', part, start: token.start, end: part.end };
}

function readPrimary(parsing: Parsing): Syntax {
  const token = parsing.tokens[parsing.at];
  if (token === undefined || token.kind === 'close' || isKeyword(token)) throw nothingToRead(parsing);
  if (token.kind === 'open') return readParentheses(parsing, token.start);
  if (token.kind === 'operator') {
    const before = parsing.tokens[parsing.at - 1];
    const named = isKeyword(before) && before?.end === token.start;
    throw named ? new Unreadable('keyword', before.start) : new Unreadable('noName', token.start);
  }
  parsing.criteria += 1;
  if (parsing.criteria > CRITERIA_MAX) throw new Unreadable('tooMany', token.start);
  return readCriterionOrTerm(parsing);
}

function readParentheses(parsing: Parsing, start: number): Syntax {
  const part = readInside(parsing, start, () => readOr(parsing));
  const close = parsing.tokens[parsing.at];
  if (close?.kind !== 'close') throw new Unreadable('unclosed', start, true);
  parsing.at += 1;
  return { kind: 'group', part, start, end: close.end };
}

function readInside(parsing: Parsing, start: number, read: () => Syntax): Syntax {
  if (parsing.levels === LEVELS_MAX) throw new Unreadable('tooDeep', start);
  parsing.levels += 1;
  parsing.at += 1;
  const inner = read();
  parsing.levels -= 1;
  return inner;
}

function readCriterionOrTerm(parsing: Parsing): Syntax {
  const pieces: [TextToken, ...TextToken[]] = [parsing.tokens[parsing.at] as TextToken];
  parsing.at += 1;
  for (let token = adjacent(parsing); isText(token); token = adjacent(parsing)) {
    pieces.push(token);
    parsing.at += 1;
  }
  const [{ start }] = pieces;
  const next = adjacent(parsing);
  if (next?.kind === 'operator') {
    parsing.at += 1;
    const { operator } = next;
    const term = readTermAfter(parsing, next);
    return { kind: 'criterion', name: nameOf(pieces), operator, term, start, end: term?.end ?? next.end };
  }
  const second = pieces[1] ?? (next?.kind === 'minus' ? next : undefined);
  if (second !== undefined) throw new Unreadable('quoting', second.start);
  return { kind: 'term', term: pieces[0], start, end: pieces[0].end };
}

function readTermAfter(parsing: Parsing, { operator, start, end }: Extent & { operator: Operator }) {
  const token = adjacent(parsing);
  if (isKeyword(token)) throw new Unreadable('keyword', token!.start, token!.end === parsing.length);
  if (token?.kind === 'open' || token?.kind === 'operator') throw new Unreadable('quoting', token.start);
  if (!isText(token)) {
    if (operator === '=' || operator === '!=') return undefined;
    throw new Unreadable('noTerm', start, end === parsing.length);
  }
  parsing.at += 1;
  const next = adjacent(parsing);
  if (next !== undefined && next.kind !== 'open' && next.kind !== 'close') throw new Unreadable('quoting', next.start);
  return token;
}

export const isText = (token: Token | undefined): token is TextToken =>
  token?.kind === 'word' || token?.kind === 'quoted';

/** The next token, if it follows the one before it directly. */
function adjacent({ tokens, at }: Parsing): Token | undefined {
  return tokens[at]?.start === tokens[at - 1]?.end ? tokens[at] : undefined;
}

function isKeyword(token: Token | undefined, keyword?: 'AND' | 'OR' | 'NOT'): boolean {
  if (token?.kind !== 'word') return false;
  return keyword === undefined ? /^(?:AND|OR|NOT)$/.test(token.text) : token.text === keyword;
}

export function nameOf(pieces: readonly TextToken[]): NamePart[] {
  const parts: { text: string; quoted: boolean }[] = [{ text: '', quoted: false }];
  for (const { kind, text, start } of pieces) {
    const last = parts.at(-1)!;
    const [first = '', ...others] = kind === 'quoted' ? [text] : text.split('.');
    const touches = kind === 'quoted' ? last.quoted || last.text !== '' : last.quoted && first !== '';
    if (touches) throw new Unreadable('quoting', start);
    if (!last.quoted) Object.assign(last, { text: first, quoted: kind === 'quoted' });
    parts.push(...others.map((other) => ({ text: other, quoted: false })));
  }
  return parts;
}

/** A criterion or term should follow, but the query or the parentheses end, or a keyword follows. */
function nothingToRead({ tokens, at, length }: Parsing): Unreadable {
  const token = tokens[at];
  const before = tokens[at - 1];
  if (token?.kind === 'close') {
    if (before?.kind === 'open') return new Unreadable('nothing', before.start);
    return new Unreadable(before === undefined ? 'unopened' : 'nothing', token.start);
  }
  if (token?.kind === 'word') return new Unreadable('keyword', token.start, token.end === length);
  if (before?.kind === 'open') return new Unreadable('unclosed', before.start, true);
  return new Unreadable('nothing', before?.end ?? 0, true);
}

export function* criteriaIn(syntax: Syntax): Generator<Criterion> {
  if (syntax.kind === 'and' || syntax.kind === 'or') for (const part of syntax.parts) yield* criteriaIn(part);
  else if (syntax.kind === 'not' || syntax.kind === 'group') yield* criteriaIn(syntax.part);
  else if (syntax.kind === 'criterion') yield syntax;
}

/** As the interface counts: in code points. */
export const codePointsBefore = (text: string, at: number): number => Array.from(text.slice(0, at)).length;
