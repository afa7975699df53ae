// The records of a collection, page by page. The next page is asked for while the last one is written.

import type { ListRecords, RawOperations } from '../../../../client/src/operation-types.ts';
import type { RawRecord } from '../../../../client/src/shapes.ts';
import { nextOf } from '../../records/pages.ts';
import type { Patience } from '../import/patience.ts';

const PAGE = 100;

/** `limit`: of records; all if it is absent. */
export async function* exportedPages(
  raw: RawOperations,
  query: Omit<ListRecords, 'limit' | 'skip' | 'after'>,
  { limit = Number.POSITIVE_INFINITY, patience }: { limit?: number | undefined; patience: Patience },
): AsyncGenerator<readonly RawRecord[]> {
  const ask = (after: string | undefined, size: number) =>
    patience.withRetries(() => raw.listRecords({ ...query, limit: size, ...(after === undefined ? {} : { after }) }));
  let left = limit;
  let asked = ask(undefined, Math.min(PAGE, left));
  for (;;) {
    const { body, headers } = await asked;
    left -= body.length;
    const after = left > 0 ? nextOf(headers, query.search ?? '', body) : undefined;
    if (after !== undefined) {
      asked = ask(after, Math.min(PAGE, left));
      // Its failure is thrown when its turn comes.
      asked.catch(() => undefined);
    }
    yield body;
    if (after === undefined) return;
  }
}
