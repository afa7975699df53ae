// The statements of delete-many.

import type { Reader, Transaction } from '../database/handles.ts';
import { Params } from '../database/params.ts';
import type { Statement } from '../database/statements.ts';
import type { Table } from './records.ts';
import { tableOf } from './tables.ts';

export interface Selection {
  readonly where: ((params: Params) => string) | undefined;
  /** The creator whose records alone are meant. */
  readonly scope: string | undefined;
}

function conditionsOf({ where, scope }: Selection, params: Params): string[] {
  return [
    ...(scope === undefined ? [] : [`t.created_by = ${params.text(scope)}`]),
    ...(where === undefined ? [] : [where(params)]),
  ];
}

/**
 * The first records behind `after` that match; nothing is locked. `collect`: all are found first and then put in order,
 * for searches of which the database cannot tell how many match (store/records/lists).
 */
export async function findMatching(
  reader: Reader,
  { schema, collection }: Table,
  query: Selection & { readonly after: string; readonly limit: number; readonly collect: boolean },
): Promise<string[]> {
  const params = new Params();
  const where = [`t.id > ${params.text(query.after)}`, ...conditionsOf(query, params)].join(' and ');
  const hits = `select t.id from ${tableOf(schema, collection.definition.id)} t where ${where}`;
  const order = `order by id limit ${query.limit}`;
  const text = query.collect ? `with hits as materialized (${hits}) select id from hits ${order}` : `${hits} ${order}`;
  const [rows = []] = await reader.ask({ text, params: params.values });
  return rows.map((row) => row[0] as string);
}

/** Those of the records that still match, locked in the order of their identifiers. */
export async function lockMatching(
  tx: Transaction,
  { schema, collection }: Table,
  { ids, ...selection }: Selection & { readonly ids: readonly string[] },
): Promise<string[]> {
  const params = new Params();
  const among = `t.id in (select json_array_elements_text(${params.add(JSON.stringify(ids), 'json')}))`;
  const where = [among, ...conditionsOf(selection, params)].join(' and ');
  const [rows = []] = await tx.ask({
    text: `select t.id from ${tableOf(schema, collection.definition.id)} t where ${where} order by t.id for update of t`,
    params: params.values,
  });
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
