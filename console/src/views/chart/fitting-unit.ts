// The unit in which the times of a chart are grouped, as long as nobody has chosen one.

import type { GroupFigure } from '../../api/group-figures.ts';
import type { Unit } from '../grouping.ts';

/** So many of the first and of the last records may be typing errors, and do not stretch the axis. */
const STRAY_SHARE = 0.005;
/** Up to so many months, in this order, the unit makes a chart that can be read. */
const MONTHS_MAX: readonly (readonly [Unit, number])[] = [
  ['day', 2],
  ['week', 9],
  ['month', 96],
];

/** `months`: how many records there are in each month, `2026-11`. */
export function fittingUnit(months: readonly GroupFigure[]): Unit {
  const counted = months
    .flatMap(({ group, count }) => (typeof group === 'string' ? [{ month: group, count }] : []))
    .sort((a, b) => (a.month < b.month ? -1 : 1));
  const strays = counted.reduce((sum, { count }) => sum + count, 0) * STRAY_SHARE;
  const first = edgeOf(counted, strays);
  const last = edgeOf(counted.toReversed(), strays);
  if (first === undefined || last === undefined) return 'month';
  const length = monthNumber(last) - monthNumber(first) + 1;
  return MONTHS_MAX.find(([, max]) => length <= max)?.[0] ?? 'year';
}

/** The first month that is more than strays. */
function edgeOf(counted: readonly { readonly month: string; readonly count: number }[], strays: number) {
  let passed = 0;
  return counted.find(({ count }) => {
    passed += count;
    return passed > strays;
  })?.month;
}

function monthNumber(name: string): number {
  const [year = 0, month = 1] = name.split('-').map(Number);
  return year * 12 + month;
}
