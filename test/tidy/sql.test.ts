// SQL stands in full in src/store and migrations, and nowhere else.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Rule, testRule } from './rule.ts';
import { scan } from './scan.ts';
import { isStatement, sqlIn } from './sql.ts';
import { type File, filesIn } from './tree.ts';

const inHttp = (text: string): File => ({ path: 'src/http/example.ts', text });

const sqlAtHome: Rule = {
  name: 'SQL only in src/store',
  because: 'every statement can be found, read and checked in one folder',
  find({ path, text }) {
    if (path.startsWith('src/store/')) return [];
    return scan(text)
      .literals.filter((literal) => isStatement(literal.text) || /\bpg_(?:notify|advisory_\w+)\s*\(/.test(literal.text))
      .map(({ line, text: sql }) => ({ path, line, what: sql.trim().replace(/\s+/g, ' ').slice(0, 60) }));
  },
  good: [
    inHttp("fail('Select a value from the list.', 'update the version and try again', 'create an application');"),
    inHttp("const verbs = ['select', 'insert', 'update', 'delete', 'with'];"),
    { path: 'src/store/example.ts', text: "rows('select 1');" },
  ],
  bad: [inHttp("rows('select a from b where c = $1');"), inHttp(`rows(\`insert into \${t} (a) values ($1)\`);`)],
};

testRule(sqlAtHome, filesIn(['src'], ['.ts']));

const inStore = (text: string): File => ({ path: 'src/store/example.ts', text });

const BY_SCHEMA = /\b(relnamespace|pg_tables|pg_indexes|pg_sequences|information_schema)\b/;

const relationsByIndex: Rule = {
  name: 'relations of a schema by an index',
  because:
    'pg_class has no index by schema, and has a million rows with 10,000 applications: use relationsIn, or a name',
  find: ({ path, text }) =>
    scan(text)
      .literals.filter(({ text: sql }) => BY_SCHEMA.test(sql) && !/\brelname\s*=/.test(sql))
      .map(({ line, text: sql }) => ({ path, line, what: sql.trim().replace(/\s+/g, ' ').slice(0, 60) })),
  good: [
    inStore(`rows(\`select relname from pg_class where oid = any(\${relationsIn('$1')})\`);`),
    inStore("rows('select c.oid from pg_class c join pg_namespace n on c.relnamespace = n.oid and c.relname = $1');"),
  ],
  bad: [
    inStore("rows('select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1');"),
    inStore("rows('select relname from pg_class where relnamespace = $1::regnamespace');"),
  ],
};

testRule(relationsByIndex, filesIn(['src'], ['.ts']));

test('what counts as a statement', () => {
  const statements = [
    'select id from t',
    'SELECT * FROM t WHERE a = 1',
    'select 1',
    `update \${table} set a = $1`,
    'update t as x set a = 1',
    'delete from t where a = 1',
    'with a as (select 1) select * from a',
    `create table if not exists \${schema}.t (id text)`,
    `create unique index \${name} on t (a)`,
    'alter table t add column a text',
    `drop schema \${schema} cascade`,
    'begin',
    'rollback to savepoint a',
    `lock table \${t} in share mode`,
    `listen \${channel}`,
    "set local time zone 'UTC'",
  ];
  for (const text of statements) assert.ok(isStatement(text), text);
  const sentences = [
    'select one of the columns from the definition',
    'update of a record that is gone',
    'delete from a distance is not a good idea',
    'with the token that was printed',
    'create table rows in the console',
    'begin with a letter',
    'listen address is taken already',
    'set by the server',
    'Delete from',
  ];
  for (const text of sentences) assert.ok(!isStatement(text), text);
});

test('statements of .sql files are found with their lines', () => {
  const text = "-- a; b\ncreate table a (b text default ';');\n\ndo $x$ begin; end $x$;\n-- end\n";
  const found = sqlIn({ path: 'migrations/a.sql', text });
  assert.deepEqual(
    found.map(({ line, text: sql }) => [line, sql]),
    [
      [2, "create table a (b text default '')"],
      [4, 'do $x$ begin; end $x$'],
    ],
  );
});
