// One rule for each type of value: which operators and terms a criterion may have, and the leaf of the condition that it
// makes. A Reference follows the rule of the type that it refers to, an Array the rule of its elements.

import { isIdentifier } from '../../wire/identifiers.ts';
import type { SimpleTypeName } from '../../wire/values.ts';
import type { Condition, Operator, SearchField } from './condition.ts';
import { readTimeTerm } from './date-terms.ts';
import { readDateOrWord, readDateTimeOrWord } from './date-words.ts';
import { foldText } from './fold.ts';
import { readNear } from './location-terms.ts';
import { readNumberTerm } from './number-terms.ts';
import type { Term } from './parse.ts';
import { compareWithSpan, isProblem, type Reading, type Span, type TermProblem } from './spans.ts';

/** What the meaning of a term depends on, besides the columns. */
export interface TermContext {
  readonly zone: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly callerId: string;
}

export interface Comparison {
  readonly field: SearchField;
  /** `!=` is compiled as the complement of `=`. */
  readonly operator: ':' | Operator;
  readonly term: Term;
  readonly context: TermContext;
}

interface TypeRule {
  /** Which terms fit, as the end of an error message. */
  readonly fits: string;
  /** undefined: the term does not fit. */
  readonly toCondition: (question: Comparison) => Condition | TermProblem | undefined;
}

export const contains = (fields: readonly SearchField[], text: string): Condition => ({
  kind: 'contains',
  fields,
  term: foldText(text),
});

/** By name, except that `=` also accepts the ID, and unquoted `me` for the caller. */
function userCondition({ field, operator, term, context }: Comparison): Condition {
  if (operator === ':') return contains([field], term.text);
  if (operator !== '=') return { kind: 'text', field, operator, value: term.text };
  if (term.text === 'me' && !term.quoted) return { kind: 'user', field, id: context.callerId };
  const id = isIdentifier('userId', term.text) ? { id: term.text } : {};
  return { kind: 'user', field, name: term.text, ...id };
}

function textCondition({ field, operator, term }: Comparison): Condition {
  if (operator === ':') return contains([field], term.text);
  return { kind: 'text', field, operator, value: term.text };
}

function numberCondition({ field, operator, term }: Comparison): Condition | undefined {
  const value = readNumberTerm(term.text);
  return value === undefined ? undefined : { kind: 'number', field, operator: exact(operator), value };
}

function booleanCondition({ field, operator, term }: Comparison): Condition | undefined {
  if (term.text !== 'true' && term.text !== 'false') return undefined;
  return { kind: 'boolean', field, operator: exact(operator), value: term.text === 'true' };
}

function locationCondition({ field, operator, term }: Comparison): Condition | TermProblem | undefined {
  if (operator !== ':') return { problem: 'it can only be asked for with ":"' };
  const near = readNear(term.text);
  return near === undefined || isProblem(near) ? near : { kind: 'near', field, ...near };
}

/** Words such as `today` also count when quoted: quotation marks keep a term together without changing its meaning. */
function spanCondition(
  type: 'DateTime' | 'Date' | 'Time',
  read: (text: string, context: TermContext) => Reading<Span>,
) {
  return ({ field, operator, term, context }: Comparison): Condition | TermProblem | undefined => {
    const span = read(term.text, context);
    if (span === undefined || isProblem(span)) return span;
    return compareWithSpan({ field, type, operator: exact(operator) }, span);
  };
}

/** For types other than text, `:` means equals. */
const exact = (operator: ':' | Operator): Operator => (operator === ':' ? '=' : operator);

const ANY_TEXT = 'any text';
const SOME_DATE = 'a day, month or year such as 2024-01-05, 2024-01 or 2024';
const SOME_WORDS = 'a word such as today, yesterday, tomorrow or now, each with an optional offset such as -7d or +1mo';

export const TYPE_RULES: Readonly<Record<SimpleTypeName, TypeRule>> = {
  String: { fits: ANY_TEXT, toCondition: textCondition },
  Attachment: { fits: ANY_TEXT, toCondition: textCondition },
  User: { fits: ANY_TEXT, toCondition: userCondition },
  Number: { fits: 'a number as JSON writes it, such as 12, -0.5 or 1e6', toCondition: numberCondition },
  Boolean: { fits: 'true or false', toCondition: booleanCondition },
  DateTime: {
    fits: `${SOME_DATE}, a date-time such as "2024-01-05T10:30", or ${SOME_WORDS}`,
    toCondition: spanCondition('DateTime', readDateTimeOrWord),
  },
  Date: {
    fits: `${SOME_DATE}, or ${SOME_WORDS}`,
    toCondition: spanCondition('Date', readDateOrWord),
  },
  Time: { fits: 'a time such as "10:30" or "10:30:15"', toCondition: spanCondition('Time', readTimeTerm) },
  Location: {
    fits: 'latitude, longitude and a distance in m or km, such as "35.68,139.76,5km"',
    toCondition: locationCondition,
  },
};
