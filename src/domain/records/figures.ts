// Figures over records: what they are grouped by and what is measured, and sums and averages as
// exact as a Number can be. Numbers are decimals, as JSON writes them: 0.1 and 0.2 are 0.3 together.

import type { Column } from '../../wire/applications.ts';
import { UNITS, type Unit } from '../dates/units.ts';

export const AGGREGATES = ['sum', 'average', 'minimum', 'maximum'] as const;
export type Aggregate = (typeof AGGREGATES)[number];

/** What records are grouped by, as parameters name it. Whether it fits the collection is checked by `groupingOf`. */
export interface GroupBy {
  readonly name: string;
  readonly unit: Unit | undefined;
}

export type Measure = { readonly kind: 'count' } | { readonly kind: Aggregate; readonly columnId: string };

export const nameOfMeasure = (measure: Measure): string =>
  measure.kind === 'count' ? 'count' : `${measure.kind}:${measure.columnId}`;

export type Grouping =
  | { readonly kind: 'value'; readonly column: Column }
  | { readonly kind: 'user'; readonly of: Column | 'createdBy' | 'updatedBy' }
  /** In the time zone of the request, unless the column is a Date. */
  | { readonly kind: 'date'; readonly of: Column | 'createdAt' | 'updatedAt'; readonly unit: Unit };

/** The problem is a sentence about the parameter. */
export function groupingOf(
  columns: ReadonlyMap<string, Column>,
  { name, unit }: GroupBy,
): Grouping | { readonly problem: string } {
  if (name === 'createdAt' || name === 'updatedAt') {
    return unit === undefined ? { problem: unitMissing(name) } : { kind: 'date', of: name, unit };
  }
  const unitUnknown = { problem: `${name} takes no ${UNITS.join(', ')}` };
  if (name === 'createdBy' || name === 'updatedBy')
    return unit === undefined ? { kind: 'user', of: name } : unitUnknown;
  const column = columns.get(name);
  if (column === undefined) return { problem: 'the collection has no such column' };
  if (!column.searchable && !column.sortable)
    return { problem: `the column ${name} is neither searchable nor sortable` };
  switch (column.type) {
    case 'Date':
      return { kind: 'date', of: column, unit: unit ?? 'day' };
    case 'DateTime':
      return unit === undefined ? { problem: unitMissing(name) } : { kind: 'date', of: column, unit };
    case 'String':
    case 'Number':
    case 'Boolean':
      return unit === undefined ? { kind: 'value', column } : unitUnknown;
    case 'User':
      return unit === undefined ? { kind: 'user', of: column } : unitUnknown;
    default:
      return { problem: `records cannot be grouped by a column of type ${column.type}` };
  }
}

const unitMissing = (name: string): string => `${name} needs a unit, such as ${name}:month`;

/** The nearest Number to an exact decimal. There is none beyond the largest, so that one is the nearest. */
export const nearestNumber = (decimal: string): number =>
  Math.min(Math.max(Number(decimal), -Number.MAX_VALUE), Number.MAX_VALUE) + 0;

const QUOTIENT_DIGITS = 60n;

/** The exact sum of some numbers, as a decimal without an exponent, and how many they are. */
export interface Total {
  readonly sum: string;
  readonly count: number;
}

/** The Number nearest to the exact average. */
export function averageOf({ sum, count }: Total): number {
  const [whole = '', fraction = ''] = sum.split('.');
  const digits = whole + fraction;
  const divisor = count * 10 ** fraction.length;
  // The quotient of two exact numbers is the nearest there is: 0.1 µs instead of 2.5, or 40 for the longest sums.
  if (Number.isSafeInteger(Number(digits)) && Number.isSafeInteger(divisor)) return Number(digits) / divisor + 0;
  return nearestNumber(quotient(BigInt(digits), BigInt(count), fraction.length));
}

/** A decimal with more digits than the choice between two neighbouring Numbers needs. */
function quotient(digits: bigint, count: bigint, fractionDigits: number): string {
  const scaled = digits * 10n ** QUOTIENT_DIGITS;
  // What the division leaves decides between two numbers that are equally near.
  const rest = scaled % count === 0n ? '' : '1';
  return `${scaled / count}${rest}e-${Number(QUOTIENT_DIGITS) + fractionDigits + rest.length}`;
}
