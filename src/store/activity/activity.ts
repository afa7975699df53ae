// The activity log's table. Entries are written in the transaction of what they report.

import type { LogEntry } from '../../domain/activity/activity.ts';
import { firstUuidAt } from '../../domain/ids.ts';
import type { Reader } from '../database/handles.ts';
import type { Statement } from '../database/statements.ts';

/** `from fence` keeps the insert on the application's own worker in a cluster. */
export function insertEntries(schema: string, entries: readonly LogEntry[]): Statement {
  return {
    text: `insert into ${schema}.activity (id, entry)
      select e.id, e.entry from ${schema}.fence, unnest($1::uuid[], $2::text[]) as e(id, entry) returning id`,
    params: [entries.map((e) => e.id), entries.map((e) => e.entry)],
  };
}

const PAGE = 100;

export interface EntriesPage {
  /** Each with its line end. */
  readonly lines: string;
  /** The key behind which to go on; undefined when there is nothing more. */
  readonly last: string | undefined;
}

/**
 * In the order of keys, those of the span of time that are behind `after`. Planned anew: which months it reads depends on
 * the time. Small pages: rows that survive a minor garbage collection pile up until the next major one; with 250 rows a
 * page that was 100 MB.
 */
export async function readEntries(
  reader: Reader,
  { start, end, after }: { start: number; end: number; after: string | undefined },
): Promise<EntriesPage> {
  const [rows = []] = await reader.longQuery({
    text: `select string_agg(entry, E'\\n' order by id), (array_agg(id order by id desc))[1], count(*)::int
      from (select id, entry from ${reader.schema}.activity
        where id ${after === undefined ? '>=' : '>'} $1 and id < $2 order by id limit ${PAGE}) as page`,
    params: [after ?? firstUuidAt(start), firstUuidAt(end)],
  });
  const [lines, last, count] = rows[0] as [string | null, string | null, number];
  return { lines: lines === null ? '' : `${lines}\n`, last: count < PAGE || last === null ? undefined : last };
}
