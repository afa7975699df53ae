// A term that names no single field: it stands alone in a query, or after the `:` of an Object column. It matches when any
// of many fields matches: text that contains it, and numbers and dates that equal it if it can be read as one.

import type { SimpleTypeName } from '../../wire/values.ts';
import type { TypedField } from './columns.ts';
import type { Condition, SearchField } from './condition.ts';
import { readDateTerm, readDateTimeTerm, readTimeTerm } from './date-terms.ts';
import { readDateOrWord, readDateTimeOrWord, type SearchClock } from './date-words.ts';
import { readNumberTerm } from './number-terms.ts';
import { compareWithSpan, isProblem, type Reading, type Span } from './spans.ts';
import { contains } from './type-rules.ts';

type LeafAt = (field: SearchField) => Condition;
type ReadTerm = (text: string, clock: SearchClock) => LeafAt | undefined;

/** By type: the condition that a term makes for one field; undefined when the term cannot be read as that type. */
const READ: Readonly<Partial<Record<SimpleTypeName, ReadTerm>>> = {
  Number: (text) => {
    const value = readNumberTerm(text);
    return value === undefined ? undefined : (field) => ({ kind: 'number', field, operator: '=', value });
  },
  DateTime: (text, { zone }) => spanLeaf('DateTime', readDateTimeTerm(text, zone)),
  Date: (text) => spanLeaf('Date', readDateTerm(text)),
  Time: (text) => spanLeaf('Time', readTimeTerm(text)),
};

/** After an operator, words such as `today` are dates too. */
const READ_AFTER_OPERATOR: typeof READ = {
  ...READ,
  DateTime: (text, clock) => spanLeaf('DateTime', readDateTimeOrWord(text, clock)),
  Date: (text, clock) => spanLeaf('Date', readDateOrWord(text, clock)),
};

function spanLeaf(type: 'DateTime' | 'Date' | 'Time', span: Reading<Span>): LeafAt | undefined {
  if (span === undefined || isProblem(span)) return undefined;
  return (field) => compareWithSpan({ field, type, operator: '=' }, span);
}

const isText = (type: SimpleTypeName): boolean => type === 'String' || type === 'User' || type === 'Attachment';

/** Texts of the record itself share one leaf, because one test of its search text covers all of them. */
export function matchAnywhere(
  typed: readonly TypedField[],
  text: string,
  { clock, afterOperator }: { clock: SearchClock; afterOperator: boolean },
): Condition {
  const texts = typed.filter(({ type }) => isText(type));
  const own = texts.filter(({ referred }) => !referred).map(({ field }) => field);
  const leaves = [
    ...(own.length === 0 ? [] : [contains(own, text)]),
    ...texts.filter(({ referred }) => referred).map(({ field }) => contains([field], text)),
    ...matchValues(typed, text, { clock, read: afterOperator ? READ_AFTER_OPERATOR : READ }),
  ].filter((leaf) => leaf.kind !== 'nothing');
  if (leaves.length === 0) return { kind: 'nothing' };
  return leaves.length === 1 ? leaves[0]! : { kind: 'or', parts: leaves };
}

function matchValues(
  typed: readonly TypedField[],
  text: string,
  { clock, read }: { clock: SearchClock; read: typeof READ },
): Condition[] {
  // Read once per type, not per column: a day in a zone takes 70 µs.
  const leafAt = new Map<SimpleTypeName, LeafAt | undefined>();
  return typed.flatMap(({ type, field }) => {
    if (!leafAt.has(type)) leafAt.set(type, read[type]?.(text, clock));
    const leaf = leafAt.get(type);
    return leaf === undefined ? [] : [leaf(field)];
  });
}
