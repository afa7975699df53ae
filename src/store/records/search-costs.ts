// What a search will cost, as far as its condition tells.

import { SEARCHED_CUT } from '../../domain/records/projections.ts';
import { type Condition, countLeaves, type SearchField } from '../../domain/search/condition.ts';
import type { Column } from '../../wire/applications.ts';
import { writtenTerm } from './search-texts.ts';

/** From here on a search takes more than half a millisecond to compile. */
const LARGE_LEAVES = 200;

export const isLarge = (condition: Condition): boolean => countLeaves(condition) >= LARGE_LEAVES;

/**
 * Whether the planner cannot estimate how many records match, because it has no statistics: for terms too short for the
 * index, for values inside Objects and Arrays, for the names of users in metadata.
 */
export function isGuess(condition: Condition): boolean {
  switch (condition.kind) {
    case 'everything':
    case 'nothing':
      return false;
    case 'and':
    case 'or':
      return condition.parts.some(isGuess);
    case 'not':
      return isGuess(condition.part);
    case 'contains': {
      const { implies } = writtenTerm(condition.term);
      const isKnown = implies !== undefined && 'every' in implies;
      return !isKnown || condition.fields.some((field) => field.kind === 'metadata');
    }
    default:
      return condition.field.kind === 'column' && isInside(condition.field.column.type);
  }
}

/** Comparisons in a sharp search, including that of the unique value. */
const SHARP_PARTS_MAX = 5;
const PLAIN_TYPES: ReadonlySet<Column['type']> = new Set([
  ...(['String', 'Number', 'Boolean', 'DateTime', 'Date', 'Time', 'Location'] as const),
]);

/**
 * Whether at most one record can match, and checking it takes only a few comparisons of short columns, however long the
 * record is. Then one cached plan suits every value, and the statement does not delay others on the same lane. A term
 * would read the whole search text: 63 of them took 0.5 s for a record of 1 MB.
 */
export function isSharp(condition: Condition): boolean {
  const parts = condition.kind === 'and' ? condition.parts : [condition];
  return parts.length <= SHARP_PARTS_MAX && parts.some(isUniqueEquality) && parts.every(isCheap);
}

function isUniqueEquality(condition: Condition): boolean {
  if (condition.kind !== 'text' || condition.operator !== '=' || condition.field.kind !== 'column') return false;
  return condition.field.column.unique && condition.field.column.type === 'String';
}

const isCheap = (condition: Condition): boolean =>
  isUniqueEquality(condition) || isShortComparison(condition.kind === 'not' ? condition.part : condition);

function isShortComparison(condition: Condition): boolean {
  switch (condition.kind) {
    case 'present':
    case 'number':
    case 'boolean':
    case 'range':
    case 'near':
      return isPlain(condition.field);
    case 'text':
      // The rest of a longer text would be read from the record itself.
      return isPlain(condition.field) && condition.value.length < SEARCHED_CUT;
    default:
      return false;
  }
}

const isPlain = (field: SearchField): boolean => field.kind === 'column' && PLAIN_TYPES.has(field.column.type);

const isInside = (type: Column['type']): boolean => type === 'Object' || type === 'Array';
