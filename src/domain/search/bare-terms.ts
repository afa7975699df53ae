// A term without an operator's precision: it stands alone in a query, or behind the `:` of an Object. It matches where any
// of many places matches: text by containing it, numbers and dates by equality where it can be read as one.

import type { SimpleTypeName } from '../../wire/values.ts';
import type { TypedPlace } from './columns.ts';
import type { Condition, Place } from './condition.ts';
import { readDate, readDateTime, readTime } from './date-terms.ts';
import { type Clock, readDateOrWord, readDateTimeOrWord } from './date-words.ts';
import { readNumberTerm } from './number-terms.ts';
import { compareWithSpan, isProblem, type Reading, type Span } from './spans.ts';
import { contains } from './type-rules.ts';

type LeafAt = (place: Place) => Condition;
type ReadTerm = (text: string, clock: Clock) => LeafAt | undefined;

/** What a term asks of one place of each type, if it can be read as one. */
const READ: Readonly<Partial<Record<SimpleTypeName, ReadTerm>>> = {
  Number: (text) => {
    const value = readNumberTerm(text);
    return value === undefined ? undefined : (place) => ({ kind: 'number', place, operator: '=', value });
  },
  DateTime: (text, { zone }) => spanLeaf('DateTime', readDateTime(text, zone)),
  Date: (text) => spanLeaf('Date', readDate(text)),
  Time: (text) => spanLeaf('Time', readTime(text)),
};

/** Behind an operator words such as `today` are dates too. */
const READ_BEHIND_OPERATOR: typeof READ = {
  ...READ,
  DateTime: (text, clock) => spanLeaf('DateTime', readDateTimeOrWord(text, clock)),
  Date: (text, clock) => spanLeaf('Date', readDateOrWord(text, clock)),
};

function spanLeaf(type: 'DateTime' | 'Date' | 'Time', span: Reading<Span>): LeafAt | undefined {
  if (span === undefined || isProblem(span)) return undefined;
  return (place) => compareWithSpan({ place, type, operator: '=' }, span);
}

const isText = (type: SimpleTypeName): boolean => type === 'String' || type === 'User' || type === 'Attachment';

/** Texts of the record itself share one leaf, because one look at its search text answers for all of them. */
export function matchAnywhere(
  typed: readonly TypedPlace[],
  text: string,
  { clock, behindOperator }: { clock: Clock; behindOperator: boolean },
): Condition {
  const texts = typed.filter(({ type }) => isText(type));
  const own = texts.filter(({ referred }) => !referred).map(({ place }) => place);
  const leaves = [
    ...(own.length === 0 ? [] : [contains(own, text)]),
    ...texts.filter(({ referred }) => referred).map(({ place }) => contains([place], text)),
    ...matchValues(typed, text, { clock, read: behindOperator ? READ_BEHIND_OPERATOR : READ }),
  ].filter((leaf) => leaf.kind !== 'nothing');
  if (leaves.length === 0) return { kind: 'nothing' };
  return leaves.length === 1 ? leaves[0]! : { kind: 'or', parts: leaves };
}

function matchValues(
  typed: readonly TypedPlace[],
  text: string,
  { clock, read }: { clock: Clock; read: typeof READ },
): Condition[] {
  // Read once for each type and not for each of its columns: a day in a zone takes 70 µs.
  const leafAt = new Map<SimpleTypeName, LeafAt | undefined>();
  return typed.flatMap(({ type, place }) => {
    if (!leafAt.has(type)) leafAt.set(type, read[type]?.(text, clock));
    const leaf = leafAt.get(type);
    return leaf === undefined ? [] : [leaf(place)];
  });
}
