// Lists of records, page after page, as they are needed.

import type { RawOperations } from '../../../client/src/operation-types.ts';
import type { CollectionDefinition, RawRecord } from '../../../client/src/shapes.ts';
import { positionAfter } from '../../../client/src/walking.ts';
import { findNamed } from '../commands/names.ts';
import { usageFailure } from '../failure.ts';
import { findColumn } from './columns-of.ts';

export interface RecordListOptions {
  readonly search?: string;
  readonly timezone?: string;
  readonly order?: string;
  readonly limit?: string;
}

const PAGE = 100;
export const LIMIT_DEFAULT = 100;

const SORT_KEYS = ['createdAt', 'updatedAt', 'createdBy', 'updatedBy'] as const;

/** `all`, or how many. */
export function readLimit(given: string | undefined): number {
  if (given === undefined) return LIMIT_DEFAULT;
  if (given === 'all') return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw usageFailure('--limit must be a whole number from 1, or "all".');
}

/** `Title`, `-Started` for descending, `createdAt`. */
export function readOrder(collection: CollectionDefinition, given: string | undefined) {
  if (given === undefined) return {};
  const whole = findNamed('column', given, collection.columns);
  const isDescending = whole === undefined && given.startsWith('-');
  const name = isDescending ? given.slice(1) : given;
  const sortOrder = isDescending ? ('descending' as const) : ('ascending' as const);
  const sortKey = SORT_KEYS.find((key) => key === name);
  if (sortKey !== undefined) return { sortKey, sortOrder };
  return { sortKey: 'column' as const, sortOrder, sortColumnId: findColumn(collection, name).id };
}

/** The records up to `--limit`, page by page. `isCut`: whether there are more. */
export async function* recordPages(
  raw: RawOperations,
  collection: CollectionDefinition,
  options: RecordListOptions,
): AsyncGenerator<{ records: readonly RawRecord[]; isCut: boolean; hint: string | null }> {
  const { search, timezone } = options;
  const query = { collectionId: collection.id, search, timezone, ...readOrder(collection, options.order) };
  let left = readLimit(options.limit);
  let after: string | undefined;
  do {
    const page = { ...query, limit: Math.min(PAGE, left), after };
    const { body, headers } = await raw.listRecords(page);
    left -= body.length;
    after = positionAfter(headers, body, page);
    yield { records: body, isCut: after !== undefined && left <= 0, hint: headers.get('cartulary-hint') };
  } while (after !== undefined && left > 0);
}
