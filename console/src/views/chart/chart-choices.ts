// What a chart can be of: groups and measures, as the figures of the interface name them.

import type { CollectionDefinition, ColumnDefinition } from '../../../../client/src/shapes.ts';
import { titleColumnIn } from '../../record/title.ts';
import { isMember, readBy, type Unit } from '../grouping.ts';

export const MEASURES = ['sum', 'average', 'minimum', 'maximum'] as const;
export type MeasureKind = (typeof MEASURES)[number];

export interface Grouping {
  readonly key: string;
  readonly isTime: boolean;
  /** The length of groups of times, if the address says it. */
  readonly unit: Unit | undefined;
  /** Whether the records of a group can be searched for. */
  readonly searchable: boolean;
}

export interface GroupChoice {
  readonly key: string;
  readonly isTime: boolean;
  readonly searchable: boolean;
}

const GROUPED: ReadonlySet<ColumnDefinition['type']> = new Set([
  'String',
  'Number',
  'Boolean',
  'User',
  'Date',
  'DateTime',
]);
const TIMES: ReadonlySet<ColumnDefinition['type']> = new Set(['Date', 'DateTime']);

export const groupChoices = ({ columns }: CollectionDefinition): readonly GroupChoice[] => [
  ...columns
    .filter(({ type, searchable, sortable }) => GROUPED.has(type) && (searchable || sortable))
    .map(({ id, type, searchable }) => ({ key: id, isTime: TIMES.has(type), searchable })),
  ...(['createdAt', 'updatedAt'] as const).map((key) => ({ key, isTime: true, searchable: true })),
  ...(['createdBy', 'updatedBy'] as const).map((key) => ({ key, isTime: false, searchable: true })),
];

/** From the address; otherwise the first time, or the first text with few values. */
export function groupingOf(collection: CollectionDefinition, by: string | undefined): Grouping {
  const choices = groupChoices(collection);
  const asked = readBy(by);
  const known = choices.find(({ key }) => key === asked?.key) ?? likely(collection, choices);
  if (known === undefined) return { key: 'createdAt', isTime: true, unit: undefined, searchable: true };
  return { ...known, unit: known.isTime ? asked?.unit : undefined };
}

function likely(collection: CollectionDefinition, choices: readonly GroupChoice[]): GroupChoice | undefined {
  const title = titleColumnIn(collection);
  const own = choices.filter(({ key }) => !isMember(key));
  const unique = new Set(collection.columns.filter((column) => column.unique).map(({ id }) => id));
  return own.find(({ isTime }) => isTime) ?? own.find(({ key }) => key !== title?.id && !unique.has(key));
}

export interface Measure {
  readonly kind: 'count' | MeasureKind;
  readonly column: ColumnDefinition | undefined;
}

const COUNT: Measure = { kind: 'count', column: undefined };

export const measureChoices = ({ columns }: CollectionDefinition): readonly Measure[] => [
  COUNT,
  ...columns.filter(({ type }) => type === 'Number').flatMap((column) => MEASURES.map((kind) => ({ kind, column }))),
];

export const measureText = ({ kind, column }: Measure): string =>
  column === undefined ? kind : `${kind}:${column.id}`;

export const measureOf = (collection: CollectionDefinition, text: string | undefined): Measure =>
  measureChoices(collection).find((measure) => measureText(measure) === text) ?? COUNT;
