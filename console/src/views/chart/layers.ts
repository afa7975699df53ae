// The parts of which the bars of a chart are made up, by the values of a second column. The interface groups by one column,
// so each part is a request of its own; the smaller values are one part together.

import type { CollectionDefinition, ColumnDefinition } from '../../../../client/src/shapes.ts';
import type { Figures, Group, GroupFigure } from '../../api/group-figures.ts';
import { titleColumnIn } from '../../record/title.ts';
import type { Measure } from './chart-choices.ts';
import { type Point, pointKey } from './series.ts';

/** More could not be told apart, and each is a request. */
export const LAYERS_MAX = 6;

const SPLIT: ReadonlySet<ColumnDefinition['type']> = new Set(['String', 'Boolean', 'User']);

/** The keys that the bars of `key` can be split by: the parts are searched for. */
export function splitChoices(collection: CollectionDefinition, key: string): readonly string[] {
  // Titles are as many as records.
  const title = titleColumnIn(collection)?.id;
  const few = collection.columns.filter(
    ({ id, type, searchable, unique }) => SPLIT.has(type) && searchable && !unique && id !== title,
  );
  return [...few.map(({ id }) => id), 'createdBy', 'updatedBy'].filter((each) => each !== key);
}

/** Parts add up to a whole only where numbers or sums do. */
export function splitOf(
  collection: CollectionDefinition,
  { split, key, measure }: { readonly split: string | undefined; readonly key: string; readonly measure: Measure },
): string | undefined {
  const isSum = measure.kind === 'count' || measure.kind === 'sum';
  return isSum ? splitChoices(collection, key).find((each) => each === split) : undefined;
}

/** The values with most records, in the order of the interface. */
export function layerGroups({ groups }: Figures): readonly Group[] {
  const largest = new Set([...groups].sort((a, b) => b.count - a.count).slice(0, LAYERS_MAX));
  return groups.filter((group) => largest.has(group)).map(({ group }) => group);
}

export interface Layer {
  readonly key: string;
  /** Undefined for all the others together. */
  readonly group: Group | undefined;
  readonly values: ReadonlyMap<string, number>;
}

/** A layer with its name. */
export interface Part extends Omit<Layer, 'group'> {
  readonly name: string;
}

interface Figured {
  readonly groups: readonly Group[];
  /** Of each of these groups. */
  readonly figures: readonly (readonly GroupFigure[])[];
  /** Whether there are other groups than these. */
  readonly hasOthers: boolean;
  readonly isCount: boolean;
}

export function layersOf(points: readonly Point[], { groups, figures, hasOthers, isCount }: Figured): readonly Layer[] {
  const layers = groups.map((group, index) => ({
    key: `layer${index}`,
    group,
    values: new Map(
      (figures[index] ?? []).map((figure) => [pointKey(figure.group), (isCount ? figure.count : figure.measured) ?? 0]),
    ),
  }));
  if (!hasOthers) return layers;
  const rest = points.map(({ key, value }): [string, number] => {
    const known = layers.reduce((sum, { values }) => sum + (values.get(key) ?? 0), 0);
    return [key, (value ?? 0) - known];
  });
  return [...layers, { key: `layer${layers.length}`, group: undefined, values: new Map(rest) }];
}
