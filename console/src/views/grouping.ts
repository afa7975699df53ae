// What stands in an address as `by`: a column or a member of every record, with a unit where it is a time.

import type { CollectionDefinition, ColumnDefinition } from '../../../client/src/shapes.ts';

export const UNITS = ['day', 'week', 'month', 'year'] as const;
export type Unit = (typeof UNITS)[number];

export const isUnit = (text: string | undefined): text is Unit => UNITS.some((unit) => unit === text);

export interface By {
  readonly key: string;
  readonly unit: Unit | undefined;
}

export function readBy(by: string | undefined): By | undefined {
  if (by === undefined) return undefined;
  const [key = '', unit] = by.split(':');
  return { key, unit: isUnit(unit) ? unit : undefined };
}

export const writeBy = ({ key, unit }: By): string => (unit === undefined ? key : `${key}:${unit}`);

/** The members of every record, with the sentences that name them. */
export const MEMBER_NAMES = {
  createdAt: 'created',
  updatedAt: 'updated',
  createdBy: 'createdBy',
  updatedBy: 'updatedBy',
} as const;
export type Member = keyof typeof MEMBER_NAMES;

export const isMember = (key: string): key is Member => Object.hasOwn(MEMBER_NAMES, key);

export const columnsOf = (
  { columns }: CollectionDefinition,
  ...types: readonly ColumnDefinition['type'][]
): readonly ColumnDefinition[] => columns.filter(({ type }) => types.includes(type));
