// The activity log's table. Entries are written in the transaction of what they report.

import type { LogEntry } from '../domain/activity.ts';
import type { Statement } from './db.ts';

/** `from fence` keeps the insert on the application's own worker in a cluster. */
export function insertEntries(schema: string, entries: readonly LogEntry[]): Statement {
  return {
    text: `insert into ${schema}.activity (id, entry)
      select e.id, e.entry from ${schema}.fence, unnest($1::uuid[], $2::text[]) as e(id, entry) returning id`,
    params: [entries.map((e) => e.id), entries.map((e) => e.entry)],
  };
}
