// The statements of delete-many.

import type { Condition } from '../../domain/search/condition.ts';
import type { Reader, Transaction } from '../database/handles.ts';
import { Params } from '../database/params.ts';
import type { Statement } from '../database/statements.ts';
import type { Table } from './records.ts';
import type { Where } from './search.ts';
import { isGuess } from './search-costs.ts';
import { tableOf } from './tables.ts';

export interface Selection {
  readonly condition: Condition;
  /** The condition in SQL; undefined if every record matches. */
  readonly where: Where | undefined;
  /** Only records of this creator are selected. */
  readonly scope: string | undefined;
}

function conditionsOf({ where, scope }: Selection, params: Params): string[] {
  return [
    ...(scope === undefined ? [] : [`t.created_by = ${params.text(scope)}`]),
    ...(where === undefined ? [] : [where(params)]),
  ];
}

/**
 * The first matching records after `after`, without locking them. If the planner cannot estimate how many match, all are
 * found first and then sorted (store/records/list-statements).
 */
export async function findMatching(
  reader: Reader,
  table: Table,
  query: Selection & { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const params = new Params();
  const where = [`t.id > ${params.text(query.after)}`, ...conditionsOf(query, params)].join(' and ');
  const hits = `select t.id from ${tableOf(table.schema, table.collection.definition.id)} t where ${where}`;
  const order = `order by id limit ${query.limit}`;
  const text = isGuess(query.condition)
    ? `with hits as materialized (${hits}) select id from hits ${order}`
    : `${hits} ${order}`;
  const [rows = []] = await reader.longQuery({ text, params: params.values });
  return rows.map((row) => row[0] as string);
}

/** Locks the records that still match, in the order of their identifiers. */
export async function lockMatching(
  tx: Transaction,
  table: Table,
  { ids, ...selection }: Selection & { readonly ids: readonly string[] },
): Promise<string[]> {
  const params = new Params();
  const among = `t.id in (select json_array_elements_text(${params.add(JSON.stringify(ids), 'json')}))`;
  const where = [among, ...conditionsOf(selection, params)].join(' and ');
  const [rows = []] = await tx.longQuery({
    text: `select t.id from ${tableOf(table.schema, table.collection.definition.id)} t where ${where} order by t.id for update of t`,
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
