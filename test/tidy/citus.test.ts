// Every statement stays within what a Citus cluster accepts for one schema per application (docs/architecture/database.md).
// Several of these violations are silent there, so they are read from the text. What cannot be read from the text is
// left to the tests that run against a cluster.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitStatements } from '../../src/store/database/split-statements.ts';
import { assertNone, matches, type Rule, testRule, type Violation } from './rule.ts';
import { scan } from './scan.ts';
import { isStatement, type Sql, sqlIn } from './sql.ts';
import { type File, filesIn } from './tree.ts';

const NAME_BYTES_MAX = 50;
/** Identifiers of collections and columns, the only ones that names of indexes are built from. */
const IDENTIFIER_BYTES = 8;
const CHAINED_WRITES_HOME = 'src/store/activity/logged-write.ts';

const VOLATILE =
  /\b(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|random|gen_random_uuid|uuidv7|uuidv4|nextval|timeofday)\s*\(|\b(?:current_timestamp|localtimestamp|current_date|current_time)\b/i;
const STABLE =
  /\b(?:date_trunc|to_char|to_timestamp|concat|concat_ws|format|jsonb?_build_(?:object|array)|to_jsonb?|row_to_json|age|current_setting)\s*\(|[+-]\s*interval\b|\b[a-z]\w*\.\w+::timestamptz\b/i;

// `for update` and `do update` are no updates.
const UPDATE = /(?<!\b(?:for|do|key)\s+)\bupdate\s+(?:only\s+)?\S+[\s\S]*?\bset\b/i;
const DELETE = /\bdelete\s+from\b/i;
const INSERT = /\binsert\s+into\b/i;
const isWrite = (text: string): boolean => [INSERT, UPDATE, DELETE].some((pattern) => pattern.test(text));
const isRead = (text: string): boolean => /^\s*(?:select|with|explain)\b/i.test(text) && !isWrite(text);

const SYSTEM_TABLE = /\bcartulary\.\w+/i;
/** A table of an application: in the place of a table stands a placeholder, or the schema's name is spelled out. */
const APPLICATION_TABLE =
  /\b(?:from|join|into|update|table|references|using|only)\s+(?:if\s+(?:not\s+)?exists\s+)?\$\{|\{\{application\}\}|\$\{[^}]*\}\s*\.\s*\w|\bapp_(?:\w|\$\{)/i;

const inStore = (sql: string, path = 'src/store/example.ts'): File => ({ path, text: `rows(\`${sql}\`);` });
const inMigration = (text: string): File => ({ path: 'migrations/system/0001_example.sql', text });

const brief = (text: string): string => text.trim().replace(/\s+/g, ' ').slice(0, 70);

/** A rule on single statements: what is wrong with one, or nothing. */
function statementRule(
  name: string,
  because: string,
  wrong: (sql: Sql) => string | undefined,
  examples: { good: File[]; bad: File[] },
): Rule {
  const find = (file: File): Violation[] =>
    sqlIn(file).flatMap((sql) => {
      const what = wrong(sql);
      return what === undefined ? [] : [{ path: sql.path, line: sql.line, what: `${what}: ${brief(sql.text)}` }];
    });
  return { name, because, find, ...examples };
}

/** The names of constraints and indexes that a statement gives. */
function namesGiven(text: string): string[] {
  const index = /\bcreate\s+(?:unique\s+)?index\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?(?!on\b)([^\s(]+)/gi;
  const constraint = /\bconstraint\s+(?:if\s+(?:not\s+)?exists\s+)?([^\s(,]+)/gi;
  return [index, constraint].flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''));
}

/** How long a name can become; unknown when it is nothing but a placeholder. */
function nameBytes(name: string): number | undefined {
  if (/^"?\$\{[^}]*\}?"?$/.test(name)) return undefined;
  return Buffer.byteLength(name.replace(/"/g, '').replace(/\$\{[^}]*\}/g, 'x'.repeat(IDENTIFIER_BYTES)));
}

const RULES: Rule[] = [
  statementRule(
    'one statement a message',
    'a cluster refuses several once one of them changes a table (42601); send them with pipeline(), in one round trip',
    ({ path, text }) =>
      !path.endsWith('.sql') && isStatement(text) && splitStatements(text).length > 1
        ? 'several statements'
        : undefined,
    {
      good: [
        inStore(`create index \${name} on \${t} (a);`),
        inStore("select a from b where c = ';' and d"),
        inMigration('create table cartulary.a (b text); create index c on cartulary.a (b);'),
      ],
      bad: [inStore(`create table \${t} (a text); create index b on \${t} (a)`), inStore('select 1; select 2')],
    },
  ),
  statementRule(
    'no chain of data-modifying CTEs',
    `ten times slower on Citus; only ${CHAINED_WRITES_HOME} may, on plain PostgreSQL`,
    ({ path, text }) =>
      path !== CHAINED_WRITES_HOME &&
      /\bas\s+(?:(?:not\s+)?materialized\s+)?\(\s*(?:insert|update|delete|merge)\b/i.test(text)
        ? 'a CTE that writes'
        : undefined,
    {
      good: [
        inStore('with a as (select 1) select * from a'),
        inStore('with a as (insert into b values (1) returning c) select * from a', CHAINED_WRITES_HOME),
      ],
      bad: [inStore('with a as (\n  insert into b values ($1) returning c) select * from a')],
    },
  ),
  statementRule(
    'times, random values and identifiers are parameters',
    'a worker’s clock is not the coordinator’s, and volatile functions are refused in writes',
    ({ text }) => {
      const given = VOLATILE.exec(text)?.[0];
      // A piece of a statement may end up in a write, so that only whole reads may ask.
      return given !== undefined && !isRead(text) ? `${given.trim()} outside of a read` : undefined;
    },
    {
      good: [inStore('select clock_timestamp()'), inStore(`update \${table} set updated_at = $1`)],
      bad: [
        inStore(`update \${table} set updated_at = now()`),
        inStore(`insert into \${table} (id) values (gen_random_uuid())`),
        inStore('where expires_at < now()'),
        inMigration('create table cartulary.a (at timestamptz not null default now());'),
        inMigration('create table cartulary.a (at timestamptz default current_timestamp);'),
      ],
    },
  ),
  statementRule(
    'no stable function in UPDATE, DELETE, DO UPDATE SET and RETURNING',
    'Citus refuses them there; compute the value and give it as a parameter',
    ({ text }) => {
      const whole = UPDATE.test(text) || DELETE.test(text);
      const part = whole ? text : (/\b(?:do\s+update\s+set|returning)\b[\s\S]*/i.exec(text)?.[0] ?? '');
      return STABLE.exec(part)?.[0].trim() ?? (whole ? undefined : VOLATILE.exec(part)?.[0].trim());
    },
    {
      good: [
        inStore(
          `insert into \${t} (a) values ($1) on conflict (a) do update set a = excluded.a returning a, (xmax = 0)`,
        ),
        inStore(`select to_char(a, 'YYYY') from \${t} for update`),
      ],
      bad: [
        inStore(`update \${t} set a = concat(a, $1)`),
        inStore(`update \${t} set at = r.now::timestamptz from unnest($1::text[]) as r(now)`),
        inStore(`delete from \${t} where at < $1 - interval '1 day'`),
        inStore(`insert into \${t} (a) values ($1) returning jsonb_build_object('a', a)`),
      ],
    },
  ),
  statementRule(
    'every INSERT … SELECT has RETURNING',
    'without it unique violations arrive as XX000 and row counts are wrong',
    ({ text }) =>
      /\binsert\s+into\b[\s\S]*\bselect\b/i.test(text) && !/returning/i.test(text) ? 'no RETURNING' : undefined,
    {
      good: [
        inStore(`insert into \${t} (a) select a from \${u} returning a`),
        inStore(`insert into \${t} (a) values ($1)`),
      ],
      bad: [inStore(`insert into \${t} (a) select a from \${fence}, unnest($1::text[]) as r(a)`)],
    },
  ),
  {
    name: 'no reliance on err.constraint, err.table and err.column',
    because:
      'Citus leaves them out or adds the shard; store/database/database-errors.ts reads the name from the message',
    find: ({ path, text }) =>
      path.endsWith('.sql')
        ? []
        : matches(
            path,
            scan(text).code,
            /\?*\.constraint\b|\b(?:e|err|error|cause|failure|problem)\??\.(?:table|column)\b|\{[^{}]*\bconstraint\b[^{}]*\}\s*=\s*\w*(?:err|cause)\w*/gi,
            (match) => match,
          ),
    good: [{ path: 'src/store/example.ts', text: 'const a = nameIn(error.message); const b = projection.column;' }],
    bad: [
      { path: 'src/store/example.ts', text: "if (error.constraint === 'a') b();" },
      { path: 'src/store/example.ts', text: 'const { code, constraint } = error;' },
      { path: 'src/store/example.ts', text: 'a(err?.table);' },
    ],
  },
  statementRule(
    'notifications and advisory locks name no table of an application',
    'they would run on a worker, where nobody listens: the notification is silently lost',
    ({ text }) =>
      /\bpg_notify\s*\(|\bpg_(?:try_)?advisory_\w+\s*\(|^\s*notify\s/i.test(text) && APPLICATION_TABLE.test(text)
        ? 'runs where the application lies'
        : undefined,
    {
      good: [inStore('select pg_notify($1, $2)'), inStore('select pg_advisory_xact_lock($1)')],
      bad: [
        inStore(`select pg_notify('a', id) from \${schema}.users`),
        inStore(`select pg_advisory_lock(1) from \${t}`),
      ],
    },
  ),
  statementRule(
    'system tables and application tables meet in no statement',
    'they lie on different machines',
    ({ text }) => (SYSTEM_TABLE.test(text) && APPLICATION_TABLE.test(text) ? 'names both' : undefined),
    {
      good: [
        inStore('select id from cartulary.applications'),
        inStore(`select id from \${schema}.users where \${rule}`),
      ],
      bad: [
        inStore(`select 1 from cartulary.applications join \${schema}.users on true`),
        inMigration('alter table {{application}}.users add foreign key (a) references cartulary.shared_users (id);'),
      ],
    },
  ),
  statementRule(
    'no foreign key from an application to the system',
    'Citus has no foreign key between a distributed schema and a local table',
    ({ path, text }) => {
      const ofSystem = path.startsWith('migrations/system/') || /\btable\s+(?:\w+\s+)*cartulary\./i.test(text);
      return /\breferences\s+cartulary\./i.test(text) && !ofSystem ? 'refers to the system schema' : undefined;
    },
    {
      good: [inMigration('create table cartulary.a (b text references cartulary.c (d));')],
      bad: [inStore('shared_user_id text references cartulary.shared_users (id)')],
    },
  ),
  statementRule(
    `names of constraints and indexes stay within ${NAME_BYTES_MAX} bytes`,
    'Citus appends the number of the shard, and PostgreSQL cuts at 63',
    ({ text }) => {
      const long = namesGiven(text).find((name) => (nameBytes(name) ?? 0) > NAME_BYTES_MAX);
      return long === undefined ? undefined : `${long} can have ${nameBytes(long)} bytes`;
    },
    {
      good: [
        inStore(`create unique index \${uniqueIndexName(a, b)} on \${t} (c)`),
        inMigration('create index a_b on a (b);'),
      ],
      bad: [
        inMigration(`create index ${'a'.repeat(51)} on a (b);`),
        inMigration(`create table a (b text, constraint ${'c'.repeat(51)} unique (b));`),
        inStore(`create index \${collection}_\${column}_${'x'.repeat(40)} on t (a)`),
      ],
    },
  ),
  statementRule(
    'no triggers, MERGE, subqueries in VALUES and cursors',
    'Citus refuses them, or gathers a whole result on the coordinator',
    ({ text }) =>
      [
        /\bcreate\s+(?:or\s+replace\s+)?(?:constraint\s+)?trigger\b/i,
        /\bmerge\s+into\b/i,
        /\bvalues\s*\([^()]*\(\s*select\b/i,
        /\bdeclare\s+\w+\s+(?:\w+\s+)*cursor\b/i,
      ]
        .map((pattern) => pattern.exec(text)?.[0].replace(/\s+/g, ' '))
        .find((found) => found !== undefined),
    {
      good: [inStore(`insert into \${t} (a) values ($1), (lower($2))`)],
      bad: [
        inMigration('create trigger a after insert on b execute function c();'),
        inStore(`merge into \${t} using u on true when matched then delete`),
        inStore(`insert into \${t} (a) values ((select max(b) from \${u}))`),
        inStore('declare a no scroll cursor for select 1'),
      ],
    },
  ),
  statementRule(
    'what must hold on the workers is SET LOCAL',
    'SET does not reach them; schema-based sharding for a whole session would make an application of the system schema',
    ({ path, text }) =>
      !path.endsWith('/schema.sql') && /^\s*set\s+(?:session\s+)?(?:time\s*zone|lock_timeout|citus\.\w+)/i.test(text)
        ? 'SET without LOCAL'
        : undefined,
    { good: [inStore("set local lock_timeout = '1s'")], bad: [inStore("set time zone 'UTC'")] },
  ),
];

const files = [...filesIn(['src/store'], ['.ts']), ...filesIn(['migrations'], ['.sql'])];
for (const rule of RULES) testRule(rule, rule.name.includes('err.') ? filesIn(['src'], ['.ts']) : files);

/** Identity columns by the tables that have them; a table whose name is a placeholder could be any. */
function identityColumns(statements: readonly Sql[]): { table: string | undefined; column: string }[] {
  return statements.flatMap(({ text }) => {
    const name = /\b(?:create|alter)\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+|only\s+)*(\S+)/i.exec(text)?.[1];
    const table = name?.split('.').at(-1)?.replace(/"/g, '');
    const declared =
      /(\w+)\s+(?:(?:big|small)?int(?:eger|\d)?\s[^,]*?generated\s[^,]*?as\s+identity|(?:big|small)?serial\b)/gi;
    const added = /\balter\s+column\s+(\w+)\s+add\s+generated\b/gi;
    return [declared, added].flatMap((pattern) =>
      [...text.matchAll(pattern)].map((match) => ({
        table: table?.includes('$') ? undefined : table,
        column: match[1] ?? '',
      })),
    );
  });
}

function orderedByIdentity(statements: readonly Sql[]): Violation[] {
  const identities = identityColumns(statements);
  return statements.flatMap(({ path, line, text }) => {
    const order = /\border\s+by\s+([\s\S]*)/i.exec(text)?.[1] ?? '';
    const found = identities.find(
      ({ table, column }) =>
        new RegExp(String.raw`\b${column}\b`).test(order) &&
        (table === undefined || new RegExp(String.raw`\b${table}\b`).test(text)),
    );
    return found === undefined ? [] : [{ path, line, what: `order by ${found.column}: ${brief(text)}` }];
  });
}

test('nothing is ordered by an identity column', () => {
  const table = inMigration(
    'create table {{application}}.log (id text, n bigint not null generated always as identity);',
  );
  const sqlOf = (...texts: File[]): Sql[] => texts.flatMap(sqlIn);
  assert.deepEqual(orderedByIdentity(sqlOf(table, inStore(`select n from \${s}.log order by id`))), []);
  assert.deepEqual(orderedByIdentity(sqlOf(table, inStore(`select n from \${s}.other order by n`))), []);
  assert.equal(orderedByIdentity(sqlOf(table, inStore(`select id from \${s}.log order by n desc`))).length, 1);
  assertNone(
    'no order by identity',
    'each node hands out numbers of its own range',
    orderedByIdentity(files.flatMap(sqlIn)),
  );
});

test('the statements of the store are seen', (t) => {
  const writes = files.flatMap(sqlIn).filter(({ text }) => isWrite(text));
  t.diagnostic(`${files.length} files, ${files.flatMap(sqlIn).length} pieces of SQL, ${writes.length} of them write`);
  assert.ok(writes.length > 0, 'no statement that writes was found in src/store: the scanner sees nothing');
});
