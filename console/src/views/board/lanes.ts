// The lanes of a board: one for each value of a column, and one for records without a value.

import type { CollectionDefinition, ColumnDefinition, RawRecord, RawValue } from '../../../../client/src/shapes.ts';
import type { Group, GroupFigure } from '../../api/group-figures.ts';
import { titleColumnIn } from '../../record/title.ts';
import { columnsOf } from '../grouping.ts';

export interface Lane {
  readonly key: string;
  readonly group: Group;
  readonly count: number;
}

export interface NamedLane extends Lane {
  readonly name: string;
  /** What stands in the address of the form for a new record in this lane. */
  readonly newRecord: string | undefined;
}

/** More would be a very wide page; the others are chosen from a menu. */
export const LANES_SHOWN = 50;

/** Lanes are found by searches, so the column must be searchable. A unique one would give each card its own lane. */
export const laneColumns = (collection: CollectionDefinition): readonly ColumnDefinition[] =>
  columnsOf(collection, 'String', 'Boolean', 'User').filter(({ searchable, unique }) => searchable && !unique);

/** The first that is likely to have few values: not the title, and not a text that is too long to be sorted by. */
export function laneColumn(collection: CollectionDefinition, by: string | undefined): ColumnDefinition | undefined {
  const columns = laneColumns(collection);
  const title = titleColumnIn(collection);
  const likely = columns.find(({ id, type, sortable }) => type === 'String' && sortable && id !== title?.id);
  return (
    columns.find(({ id }) => id === by) ?? likely ?? columns.find(({ type }) => type !== 'String') ?? columns.at(-1)
  );
}

/** The name of a user may change; the ID does not. */
export const laneKey = (group: Group): string =>
  JSON.stringify(group !== null && typeof group === 'object' ? { id: group.id } : group);

/** The lane of a record. */
export function groupOf({ values }: RawRecord, { id }: ColumnDefinition): Group {
  const value = values[id];
  switch (value?.type) {
    case 'String':
    case 'Boolean':
      return value.value;
    case 'User':
      return { id: value.id, name: value.name };
    default:
      return null;
  }
}

/** What a record gets in a lane; null for no value. */
export function laneValue(group: Group): RawValue | null {
  if (typeof group === 'string') return { type: 'String', value: group };
  if (typeof group === 'boolean') return { type: 'Boolean', value: group };
  return group !== null && typeof group === 'object' ? { type: 'User', ...group } : null;
}

const nameOf = (group: Group): string => (group !== null && typeof group === 'object' ? group.name : String(group));

/** By name; no value comes last. `known`: groups that are empty now and were not, or that a person has added. */
export function lanesOf(
  figures: readonly GroupFigure[],
  known: readonly Group[],
  type: ColumnDefinition['type'],
  locale: string,
): readonly Lane[] {
  const always: readonly Group[] = type === 'Boolean' ? [true, false, null] : [null];
  const groups = new Map<string, Lane>();
  for (const { group, count } of figures) groups.set(laneKey(group), { key: laneKey(group), group, count });
  for (const group of [...always, ...known]) {
    const key = laneKey(group);
    if (!groups.has(key)) groups.set(key, { key, group, count: 0 });
  }
  const { compare } = new Intl.Collator(locale, { numeric: true });
  return [...groups.values()].sort(
    (a, b) => Number(a.group === null) - Number(b.group === null) || compare(nameOf(a.group), nameOf(b.group)),
  );
}

/** Which lanes are on the page: those with most records, and those that were asked for. */
export function shownLanes(lanes: readonly Lane[], asked: ReadonlySet<string>): readonly Lane[] {
  if (lanes.length <= LANES_SHOWN) return lanes;
  const largest = [...lanes].sort((a, b) => b.count - a.count).slice(0, LANES_SHOWN);
  const shown = new Set([...largest.map(({ key }) => key), ...asked]);
  return lanes.filter(({ key }) => shown.has(key));
}
