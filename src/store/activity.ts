// The activity log's table. Entries are written in the transaction of what they report.

import type { Statement } from './db.ts';

export interface LogEntry {
  /** UUIDv7 of the entry's moment: the key is the order of time. */
  readonly id: string;
  readonly entry: string;
}

/** `from fence` keeps the insert on the application's own worker in a cluster. */
export function insertEntries(schema: string, entries: readonly LogEntry[]): Statement {
  return {
    text: `insert into ${schema}.activity (id, entry)
      select e.id, e.entry from ${schema}.fence, unnest($1::uuid[], $2::text[]) as e(id, entry) returning id`,
    params: [entries.map((e) => e.id), entries.map((e) => e.entry)],
  };
}
