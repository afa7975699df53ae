// What a person is typing at the caret: the name of a column, or a value after an operator. And what could stand there.

import type { ColumnDefinition } from '../../../client/src/shapes.ts';
import { isText, type Operator, type TextToken, type Token, tokenize } from './reading.ts';
import { findSubject, type Subject } from './subjects.ts';

interface Place {
  /** What the suggestion replaces. */
  readonly from: number;
  readonly to: number;
  /** What is typed of it, without quotation marks. */
  readonly typed: string;
}

export type Typing =
  | (Place & { readonly kind: 'name' })
  | (Place & {
      readonly kind: 'value';
      readonly subject: Subject;
      readonly operator: Operator;
      /** Where the criterion and its operator begin. */
      readonly start: number;
      readonly operatorAt: number;
    });

/** Undefined where nothing can be suggested. */
export function typingAt(text: string, caret: number, columns: readonly ColumnDefinition[]): Typing | undefined {
  const { tokens } = tokenize(text.slice(0, caret));
  const last = tokens.at(-1);
  const nothing: Typing = { kind: 'name', from: caret, to: caret, typed: '' };
  if (last === undefined || last.end < caret || last.kind === 'open' || last.kind === 'minus') return nothing;
  if (last.kind === 'close') return undefined;
  const run = adjacentRun(tokens);
  const at = run.findIndex(({ kind }) => kind === 'operator');
  const operator = run[at];
  if (operator?.kind !== 'operator') {
    const pieces = run.filter(isText);
    if (pieces.length === 0 || isKeyword(last)) return undefined;
    const typed = pieces.map((piece) => piece.text).join('');
    return { kind: 'name', from: pieces[0]!.start, to: endOf(text, last), typed };
  }
  const value = run[at + 1];
  if (run.length > at + 2 || (value !== undefined && !isText(value))) return undefined;
  const pieces = run.slice(0, at).filter(isText);
  const subject = pieces.length === 0 ? undefined : subjectNamed(pieces, columns);
  if (subject === undefined) return undefined;
  const place =
    value === undefined
      ? { from: caret, to: caret, typed: '' }
      : { from: value.start, to: endOf(text, value), typed: value.text };
  const { start: operatorAt, operator: written } = operator;
  return { kind: 'value', ...place, subject, operator: written, start: pieces[0]!.start, operatorAt };
}

const isKeyword = (token: Token): boolean => token.kind === 'word' && /^(?:AND|OR|NOT)$/.test(token.text);

/** The tokens at the end that have no white space between them, from the last that begins something. */
function adjacentRun(tokens: readonly Token[]): readonly Token[] {
  let first = tokens.length - 1;
  while (first > 0) {
    const before = tokens[first - 1]!;
    if (before.end !== tokens[first]!.start || !(isText(before) || before.kind === 'operator')) break;
    first -= 1;
  }
  return tokens.slice(first);
}

/** A word or quoted text is replaced as a whole, also what stands after the caret. */
function endOf(text: string, { start, end }: Token): number {
  const whole = tokenize(text).tokens.find((token) => token.start === start);
  return Math.max(end, whole?.end ?? end);
}

function subjectNamed(pieces: readonly TextToken[], columns: readonly ColumnDefinition[]): Subject | undefined {
  const parts = pieces.flatMap(({ kind, text }) =>
    kind === 'quoted'
      ? [{ text, quoted: true }]
      : text
          .split('.')
          .filter((part, index, all) => part !== '' || all.length === 1 || (index > 0 && index < all.length - 1))
          .map((part) => ({ text: part, quoted: false })),
  );
  const found = findSubject(columns, parts);
  return typeof found === 'string' ? undefined : found;
}

const fold = (text: string): string => text.normalize('NFKC').toLocaleLowerCase();

/** Those that begin with what is typed come before those that contain it. */
export function matching<One>(all: readonly One[], typed: string, textOf: (one: One) => string): One[] {
  const wanted = fold(typed);
  if (wanted === '') return [...all];
  const places = all.map((one) => ({ one, at: fold(textOf(one)).indexOf(wanted) })).filter(({ at }) => at >= 0);
  return [...places.filter(({ at }) => at === 0), ...places.filter(({ at }) => at > 0)].map(({ one }) => one);
}

export interface Written {
  readonly text: string;
  readonly caret: number;
}

/** Puts a suggestion into the text. After what is whole there is a space, to type on. */
export function withInserted(
  text: string,
  { from, to }: Omit<Place, 'typed'>,
  insert: string,
  whole: boolean,
): Written {
  const rest = text.slice(to);
  const space = whole && !/^\s/.test(rest) ? ' ' : '';
  const before = text.slice(0, from) + insert + space;
  return { text: before + rest, caret: before.length + (whole && space === '' ? 1 : 0) };
}
