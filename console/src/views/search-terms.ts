// Conditions that a view adds to the search of the person who looks.

import type { Group } from '../api/group-figures.ts';
import { quoted } from '../api/list-query.ts';
import { addDays, type Day, mondayOf } from './days.ts';

/** Both must hold, whatever operators the search has. */
export const both = (search: string, condition: string): string =>
  search === '' ? condition : `(${search}) ${condition}`;

/** `key`: a column ID, or `createdAt` and the like. */
export const fromUntil = (key: string, from: Day, until: Day): string => `$${key}>=${from} $${key}<${until}`;

export const hasValue = (key: string): string => `$${key}!=`;

/** Finds the records of one group of figures. */
export function groupCondition(key: string, group: Group, unit?: string): string {
  if (group === null) return `$${key}=`;
  if (typeof group === 'object') return `$${key}=${quoted(group.id)}`;
  if (unit === 'week' && typeof group === 'string') {
    const monday = mondayOf(group);
    return fromUntil(key, monday, addDays(monday, 7));
  }
  if (unit !== undefined) return `$${key}=${group}`;
  return `$${key}=${typeof group === 'string' ? quoted(group) : group}`;
}
