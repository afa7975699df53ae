// The statements of joined operations: for each of several records they mean what those of store/records/records mean for
// one. Their text does not depend on how many there are.

import type { PreparedCollection } from '../../domain/definition/application.ts';
import type { Statement } from '../database/statements.ts';
import { plainArray, textArray } from '../database/text-arrays.ts';
import {
  COLUMNS,
  type Conditions,
  projectedArrays,
  type RecordRow,
  type Replacement,
  replacedText,
  type Table,
} from './records.ts';
import { sqlType, tableOf } from './tables.ts';

export interface JoinedCreate {
  readonly table: Table;
  readonly row: RecordRow;
}

export interface JoinedReplace {
  readonly table: Table;
  readonly replacement: Replacement;
  readonly conditions: Conditions;
}

export interface JoinedRemove {
  readonly table: Table;
  readonly recordId: string;
  readonly conditions: Conditions;
}

/** A part of the `from` and of the `where` of each change (store/activity/logged-write). */
export interface LockPace {
  readonly from: string;
  readonly where: string;
}

export interface JoinedTexts {
  readonly insert: string;
  readonly replace: string;
  readonly remove: string;
}

export function joinedTexts(schema: string, collection: PreparedCollection, pace: LockPace): JoinedTexts {
  const table = tableOf(schema, collection.definition.id);
  const fence = `${schema}.fence`;
  const { all } = collection.projections;
  const each = (make: (name: string, index: number, type: string) => string) =>
    all.map((projection, index) => `, ${make(projection.name, index, sqlType(projection))}`).join('');
  const arrays = (first: number) => each((_, i, type) => `$${first + i}::${type}[]`);
  const names = each((name) => name);
  const parts = { hash: 'r.hash', now: 'r.now', hashPart: 'r.hash_part', tailPart: 'r.tail_part' };
  const fulfils = `(r.scope is null or t.created_by = r.scope) and (r.if_hash is null or t.hash = r.if_hash)`;
  return {
    // A row that collides is left out, and goes alone to be refused.
    insert: `insert into ${table} (${COLUMNS}${names})
      select r.id, r.rec, r.hash, r.created_by, r.created_name, r.now, r.updated_by, r.updated_name, r.now${each((name) => `r.${name}`)}
      from ${fence}${pace.from}, unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::text[], $9::text[]${arrays(10)})
        as r(id, rec, hash, created_by, created_name, now, updated_by, updated_name${names})
      where fence.generation = $1${pace.where} on conflict do nothing returning id`,
    replace: `update ${table} as t set rec = ${replacedText(parts)},
        hash = r.hash, updated_at = greatest(t.updated_at, r.at), updated_by = r.updated_by, updated_name = r.updated_name${each((name) => `${name} = r.${name}`)}
      from ${fence}${pace.from}, unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[]${arrays(12)})
        as r(id, hash, now, at, hash_part, tail_part, scope, if_hash, updated_by, updated_name${names})
      where fence.generation = $1${pace.where} and t.id = r.id and ${fulfils}
      returning t.id, t.rec`,
    remove: `delete from ${table} as t using ${fence}${pace.from}, unnest($2::text[], $3::text[], $4::text[]) as r(id, scope, if_hash)
      where fence.generation = $1${pace.where} and t.id = r.id and ${fulfils} returning t.id`,
  };
}

const texts = (values: readonly (string | null | undefined)[]): Buffer =>
  textArray(values.map((value) => value ?? null));

export function insertStatement(text: string, members: readonly JoinedCreate[]): Statement {
  const rows = members.map(({ row }) => row);
  const { collection, generation } = members[0]!.table;
  return {
    text,
    params: [
      generation,
      plainArray(rows.map((row) => row.id)),
      texts(rows.map((row) => row.rec)),
      plainArray(rows.map((row) => row.hash)),
      plainArray(rows.map((row) => row.createdBy.id)),
      texts(rows.map((row) => row.createdBy.name)),
      plainArray(rows.map((row) => row.updatedAt)),
      plainArray(rows.map((row) => row.updatedBy.id)),
      texts(rows.map((row) => row.updatedBy.name)),
      ...projectedArrays(collection, rows),
    ],
  };
}

export function replaceStatement(text: string, members: readonly JoinedReplace[]): Statement {
  const { collection, generation } = members[0]!.table;
  const rows = members.map(({ replacement }) => replacement);
  return {
    text,
    params: [
      generation,
      plainArray(rows.map((row) => row.id)),
      plainArray(rows.map((row) => row.hash)),
      // As text for the record, and as a time for its column: a cluster casts no column of an update.
      plainArray(rows.map((row) => row.now)),
      plainArray(rows.map((row) => row.now)),
      texts(rows.map((row) => row.hashPart)),
      texts(rows.map((row) => row.tailPart)),
      plainArray(members.map(({ conditions }) => conditions.scope ?? null)),
      // As the client wrote it.
      texts(members.map(({ conditions }) => conditions.ifHash)),
      plainArray(rows.map((row) => row.updatedBy.id)),
      texts(rows.map((row) => row.updatedBy.name)),
      ...projectedArrays(collection, rows),
    ],
  };
}

export const removeStatement = (text: string, members: readonly JoinedRemove[]): Statement => ({
  text,
  params: [
    members[0]!.table.generation,
    plainArray(members.map(({ recordId }) => recordId)),
    plainArray(members.map(({ conditions }) => conditions.scope ?? null)),
    texts(members.map(({ conditions }) => conditions.ifHash)),
  ],
});
