// The statements of delete-many.

import type { Statement, Transaction } from './db.ts';
import { Params } from './params.ts';
import type { Table } from './records.ts';
import { tableOf } from './tables.ts';

/** The first records behind `after` that match, locked. One that changes while we wait for it is tested again. */
export async function lockMatching(
  tx: Transaction,
  { schema, collection }: Table,
  query: {
    readonly where: ((params: Params) => string) | undefined;
    readonly scope: string | undefined;
    readonly after: string;
    readonly limit: number;
  },
): Promise<string[]> {
  const params = new Params();
  const conditions = [
    `t.id > ${params.text(query.after)}`,
    ...(query.scope === undefined ? [] : [`t.created_by = ${params.text(query.scope)}`]),
    ...(query.where === undefined ? [] : [query.where(params)]),
  ];
  const rows = await tx.ask(
    `select t.id from ${tableOf(schema, collection.definition.id)} t where ${conditions.join(' and ')}
     order by t.id limit ${query.limit} for update of t`,
    params.values,
  );
  return rows.map((row) => row[0] as string);
}

export function removeLocked(table: Table, ids: readonly string[]): Statement {
  const name = tableOf(table.schema, table.collection.definition.id);
  return {
    text: `delete from ${name} as t using ${table.schema}.fence
      where fence.generation = $1 and t.id = any($2::text[]) returning t.id`,
    params: [table.generation, ids],
  };
}
