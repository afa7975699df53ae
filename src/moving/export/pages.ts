// The records of a collection, page by page. The next page is asked for while the last one is written.

import type { ListRecords, RawOperations } from '../../../client/src/operation-types.ts';
import type { RawRecord } from '../../../client/src/shapes.ts';
import { PAGE_MAX, readPage } from '../../../client/src/walking.ts';
import type { Patience } from '../import/patience.ts';

/** `limit`: of records; all if it is absent. */
export async function* exportedPages(
  raw: RawOperations,
  query: Omit<ListRecords, 'limit' | 'skip' | 'after'>,
  { limit = Number.POSITIVE_INFINITY, patience }: { limit?: number | undefined; patience: Patience },
): AsyncGenerator<readonly RawRecord[]> {
  const ask = (after: string | undefined, size: number) =>
    patience.withRetries(() => readPage(raw, { ...query, limit: size, after }, {}));
  let left = limit;
  let asked = ask(undefined, Math.min(PAGE_MAX, left));
  for (;;) {
    const { records, after } = await asked;
    left -= records.length;
    const isLast = after === undefined || left <= 0;
    if (!isLast) {
      asked = ask(after, Math.min(PAGE_MAX, left));
      // Its failure is thrown when its turn comes.
      asked.catch(() => undefined);
    }
    yield records;
    if (isLast) return;
  }
}
