// The tables that the migrations make, read back from the catalogs as text: one file to see and to compare what a
// migration changes. Made for reading, not for loading.

import pg from 'pg';
import type { TestDatabase } from './database.ts';

interface Catalogs {
  sql(text: string, params: unknown[]): Promise<unknown[][]>;
}

/**
 * The system schema, and the schema of one application without collections under the name `application`; without the
 * months of its activity log, which are others every month.
 */
export async function dumpSchemas({ connection }: TestDatabase, applicationSchema: string): Promise<string> {
  // Without a search path every name is written in full, whatever the role is called.
  const client = new pg.Client({ ...connection, options: '-c search_path=' });
  await client.connect();
  const catalogs: Catalogs = {
    sql: async (text, values) => (await client.query({ text, values, rowMode: 'array' })).rows as unknown[][],
  };
  try {
    const system = await dumpSchema(catalogs, 'cartulary');
    const application = await dumpSchema(catalogs, applicationSchema);
    return `${system}\n${application.replaceAll(applicationSchema, 'application')}`;
  } finally {
    await client.end();
  }
}

async function dumpSchema(catalogs: Catalogs, schema: string): Promise<string> {
  const relations = await catalogs.sql(
    `select c.relname::text, c.relkind::text from pg_class c
     where c.relnamespace = $1::regnamespace and c.relkind not in ('i', 'I')
       and c.relname !~ '^activity_\\d{4}_\\d\\d$' order by c.relname collate "C"`,
    [schema],
  );
  const parts = [`create schema ${schema};`];
  for (const [name, kind] of relations as [string, string][]) {
    if (!['r', 'p'].includes(kind)) parts.push(`-- relation of kind ${kind}: ${schema}.${name}`);
    else parts.push(await dumpTable(catalogs, schema, name));
  }
  return `${parts.join('\n\n')}\n`;
}

async function dumpTable(catalogs: Catalogs, schema: string, table: string): Promise<string> {
  const relation = `${schema}.${table}`;
  const lines = [...(await columnLines(catalogs, relation)), ...(await constraintLines(catalogs, relation))];
  const indexes = await catalogs.sql(
    `select pg_get_indexdef(i.indexrelid) from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = $1::regclass
       and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
     order by c.relname collate "C"`,
    [relation],
  );
  const place = await placeOf(catalogs, relation);
  const text = `create table ${relation} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n)${place};`;
  return [text, ...indexes.map(([definition]) => `${definition};`)].join('\n');
}

/** By what it is divided, or what part it is of another. */
async function placeOf(catalogs: Catalogs, relation: string): Promise<string> {
  const rows = await catalogs.sql(
    `select ' partition by ' || pg_get_partkeydef(oid) from pg_class where oid = $1::regclass and relkind = 'p'
     union all
     select format(', partition of %s %s', i.inhparent::regclass, pg_get_expr(c.relpartbound, c.oid))
     from pg_inherits i join pg_class c on c.oid = i.inhrelid where c.oid = $1::regclass`,
    [relation],
  );
  return rows.map(([text]) => text).join('');
}

async function columnLines(catalogs: Catalogs, relation: string): Promise<string[]> {
  const rows = await catalogs.sql(
    `select a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid),
       case when a.attcollation <> t.typcollation then l.collname::text end, a.attidentity::text, a.attgenerated::text
     from pg_attribute a join pg_type t on t.oid = a.atttypid
       left join pg_collation l on l.oid = a.attcollation
       left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    [relation],
  );
  type ColumnRow = [string, string, boolean, string | null, string | null, string, string];
  return (rows as ColumnRow[]).map(([name, type, notNull, value, collation, identity, generated]) =>
    [
      `${name} ${type}`,
      ...(collation === null ? [] : [`collate "${collation}"`]),
      ...(notNull ? ['not null'] : []),
      ...(value === null ? [] : [generated === '' ? `default ${value}` : `generated always as (${value})`]),
      ...(identity === '' ? [] : [`generated ${identity === 'a' ? 'always' : 'by default'} as identity`]),
    ].join(' '),
  );
}

/** Without those that only repeat `not null`, which PostgreSQL lists as constraints since version 18. */
async function constraintLines(catalogs: Catalogs, relation: string): Promise<string[]> {
  const rows = await catalogs.sql(
    `select conname::text, pg_get_constraintdef(oid) from pg_constraint
     where conrelid = $1::regclass and contype <> 'n' order by contype = 'p' desc, conname collate "C"`,
    [relation],
  );
  return rows.map(([name, definition]) => `constraint ${name} ${definition}`);
}
