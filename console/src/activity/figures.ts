// The figures of the activity log as charts show them: every day of the period, and every kind by its count.

import type { ActivityFigure } from '../../../client/src/main.ts';
import { addDays, type Day } from '../views/days.ts';
import { kindOf } from './kinds.ts';

export interface DayTotal {
  readonly day: string;
  readonly count: number;
}

/** Days on which nothing was done are there, with 0. */
export function totalsByDay(figures: readonly ActivityFigure[], first: Day, last: Day): DayTotal[] {
  const counts = new Map<string, number>();
  for (const { day, count } of figures) counts.set(day, (counts.get(day) ?? 0) + count);
  const totals: DayTotal[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) totals.push({ day, count: counts.get(day) ?? 0 });
  return totals;
}

export interface KindTotal {
  readonly kind: string;
  readonly count: number;
}

/** Most frequent first. */
export function totalsByKind(figures: readonly ActivityFigure[]): KindTotal[] {
  const counts = new Map<string, number>();
  for (const figure of figures) counts.set(kindOf(figure), (counts.get(kindOf(figure)) ?? 0) + figure.count);
  return [...counts]
    .map(([kind, count]) => ({ kind, count }))
    .sort((one, other) => other.count - one.count || (one.kind < other.kind ? -1 : 1));
}
