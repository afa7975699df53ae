// Figures over the records of a collection, by the names of its columns: counts, sums and the like.

import type { CollectionSchema } from './definition.ts';
import type { CallOptions, RawOperations } from './operation-types.ts';
import type { User } from './shapes.ts';

export interface FigureOptions<Groupable extends string, Measurable extends string> extends CallOptions {
  readonly search?: string | undefined;
  /** Of dates in the search and of days, weeks, months and years; by default the application's. */
  readonly timezone?: string | undefined;
  /** A column, or `$createdAt` and the like; without it all records are one group. */
  readonly groupBy?: Groupable | undefined;
  /** The length of groups of times. Needed for DateTimes. */
  readonly unit?: 'day' | 'week' | 'month' | 'year' | undefined;
  readonly sum?: readonly Measurable[] | undefined;
  readonly average?: readonly Measurable[] | undefined;
  readonly minimum?: readonly Measurable[] | undefined;
  readonly maximum?: readonly Measurable[] | undefined;
}

/** The figures of one group. A measure over no values is null. */
export interface GroupFigures<Measurable extends string> {
  /** The value, such as `'2026-11'` for a month; null for records without one; absent without `groupBy`. */
  readonly group?: string | number | boolean | User | null;
  readonly count: number;
  readonly sum: { readonly [Column in Measurable]?: number | null };
  readonly average: { readonly [Column in Measurable]?: number | null };
  readonly minimum: { readonly [Column in Measurable]?: number | null };
  readonly maximum: { readonly [Column in Measurable]?: number | null };
}

export interface Figures<Measurable extends string> {
  /** In the order of the groups. */
  readonly groups: readonly GroupFigures<Measurable>[];
  /** Whether there are more groups, with fewer records, than the server returns (1,000). */
  readonly more: boolean;
}

const KINDS = ['sum', 'average', 'minimum', 'maximum'] as const;

export async function readFigures<Groupable extends string, Measurable extends string>(
  raw: RawOperations,
  schema: CollectionSchema,
  options: FigureOptions<Groupable, Measurable>,
): Promise<Figures<Measurable>> {
  const { search, timezone, groupBy, unit, signal } = options;
  const measures = KINDS.flatMap((kind) => (options[kind] ?? []).map((name) => `${kind}:${schema.column(name).id}`));
  const grouping = groupBy === undefined ? undefined : [groupKey(groupBy, schema), ...(unit ? [unit] : [])].join(':');
  const measure = ['count', ...measures].join(',');
  const input = { collectionId: schema.id, search, timezone, measure, groupBy: grouping };
  const { body, headers } = await raw.getFigures(input, { signal });
  const groups = body.map((figure) => groupFigures<Measurable>(figure as object as RawFigure, schema, options));
  return { groups, more: headers.get('cartulary-more') === 'true' };
}

type RawFigure = Readonly<Record<string, number | null>> & { readonly group?: GroupFigures<never>['group'] };

const groupKey = (name: string, schema: CollectionSchema): string =>
  /^\$(?:created|updated)(?:At|By)$/.test(name) ? name.slice(1) : schema.column(name).id;

function groupFigures<Measurable extends string>(
  raw: RawFigure,
  schema: CollectionSchema,
  asked: FigureOptions<string, Measurable>,
): GroupFigures<Measurable> {
  const measured = KINDS.map((kind) => {
    const values = (asked[kind] ?? []).map((name) => [name, raw[`${kind}:${schema.column(name).id}`] ?? null]);
    return [kind, Object.fromEntries(values)];
  });
  const group = raw.group === undefined ? {} : { group: raw.group };
  return { ...group, count: raw.count ?? 0, ...Object.fromEntries(measured) } as GroupFigures<Measurable>;
}
