// The figures of a chart in the order in which they are drawn. Times without records are part of the axis.

import type { Group, GroupFigure } from '../../api/group-figures.ts';
import { addDays, addMonths, type Day, mondayOf, weekOf } from '../days.ts';
import type { Unit } from '../grouping.ts';

export interface Point {
  readonly key: string;
  readonly group: Group;
  readonly count: number;
  /** Null where there is nothing to measure. */
  readonly value: number | null;
}

/** A longer axis could not be read; then the gaps are left out. */
export const POINTS_MAX = 2_000;
/** More bars than these could not be told apart. */
export const BARS_MAX = 40;

export const pointKey = (group: Group): string =>
  JSON.stringify(group !== null && typeof group === 'object' ? group.id : group);

/** `isCount`: then a time without records is zero; of other measures it is unknown. */
export function seriesOf(
  groups: readonly GroupFigure[],
  unit: Unit | undefined,
  isCount: boolean,
  locale: string,
): readonly Point[] {
  const points = groups.map(({ group, count, measured }) => ({
    key: pointKey(group),
    group,
    count,
    value: isCount ? count : measured,
  }));
  const without = points.filter(({ group }) => group === null);
  const others = points.filter(({ group }) => group !== null);
  const ordered = unit === undefined ? byName(others, locale) : filled(others, unit, isCount);
  return [...ordered, ...without];
}

function byName(points: readonly Point[], locale: string): readonly Point[] {
  const { compare } = new Intl.Collator(locale, { numeric: true });
  const rank = (group: Group): string | number =>
    group !== null && typeof group === 'object' ? group.name : typeof group === 'number' ? group : String(group);
  return [...points].sort((a, b) => {
    const [first, second] = [rank(a.group), rank(b.group)];
    if (typeof first === 'number' && typeof second === 'number') return first - second;
    return compare(String(first), String(second));
  });
}

function filled(points: readonly Point[], unit: Unit, isCount: boolean): readonly Point[] {
  const known = new Map(points.map((point) => [String(point.group), point]));
  const names = [...known.keys()].sort();
  const [first, last] = [names[0], names.at(-1)];
  if (first === undefined || last === undefined) return points;
  const all: Point[] = [];
  for (let name = first; name <= last; name = nextName(name, unit)) {
    all.push(known.get(name) ?? { key: pointKey(name), group: name, count: 0, value: isCount ? 0 : null });
    if (all.length > POINTS_MAX) return points;
  }
  return all;
}

/** The first day of a group, for formatters. */
export function firstDay(name: string, unit: Unit): Day {
  if (unit === 'week') return mondayOf(name);
  return `${name}-01-01`.slice(0, 10);
}

function nextName(name: string, unit: Unit): string {
  const day = firstDay(name, unit);
  switch (unit) {
    case 'day':
      return addDays(day, 1);
    case 'week':
      return weekOf(addDays(day, 7));
    case 'month':
      return addMonths(day, 1).slice(0, 7);
    default:
      return addMonths(day, 12).slice(0, 4);
  }
}

/** What is drawn of groups that are no times: those with most records, in the order of all. */
export function drawn(points: readonly Point[], unit: Unit | undefined): readonly Point[] {
  if (unit !== undefined) return points.filter(({ group }) => group !== null);
  if (points.length <= BARS_MAX) return points;
  const largest = new Set(
    [...points]
      .sort((a, b) => b.count - a.count)
      .slice(0, BARS_MAX)
      .map(({ key }) => key),
  );
  return points.filter(({ key }) => largest.has(key));
}
