// What the tests of the activity log have in common: entries of given times, and the export as a client reads it.

import assert from 'node:assert/strict';
import { firstUuidAt } from '../../src/domain/ids.ts';
import type { TestApplication } from '../support/application.ts';
import type { TestDatabase } from '../support/database.ts';
import { fetchChecked } from '../support/http-client.ts';
import type { TestServer } from '../support/server.ts';

export interface Entry {
  readonly date: string;
  readonly type: string;
  readonly subType: string;
  readonly user: { readonly id: string; readonly name: string };
  readonly application: { readonly id: string; readonly name: string; readonly version: number };
  readonly collection?: { readonly id: string; readonly name: string };
  readonly source: { readonly context: string; readonly ip: string };
  readonly extra: Readonly<Record<string, string>>;
}

export const LOG = '/management/userActivityLogs';
export const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();
export const period = (start: number, end: number): string => `${LOG}?startDate=${iso(start)}&endDate=${iso(end)}`;

/** The export of a period, which must be a whole one; not as JSON, which `send` would take it for. */
export async function exported(
  { address }: Pick<TestServer, 'address'>,
  { id, admin }: Pick<TestApplication, 'id' | 'admin'>,
  { start, end }: { start: number; end: number },
): Promise<Entry[]> {
  const headers = { authorization: `Bearer ${admin.token}` };
  const response = await fetchChecked(`${address}/v1/${id}${period(start, end)}`, { headers });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.equal(response.headers.get('content-type'), 'application/x-ndjson');
  assert.ok(text === '' || text.endsWith('\n'));
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Entry);
}

/** An entry without its date, as large as those of records are. */
const madeUp = (applicationId: string) => ({
  type: 'record',
  subType: 'create',
  user: { id: 'u0000000', name: 'Somebody with a name' },
  application: { id: applicationId, name: 'An application', version: 17 },
  collection: { id: 't0000000', name: 'Visits' },
  source: { context: 'api', ip: '192.0.2.17' },
  extra: { recordId: `r${'0'.repeat(26)}` },
});

/** One entry at each of the times, whose `extra` holds its number; several of one time have keys in that order. */
export async function writeAt(database: TestDatabase, applicationId: string, times: readonly number[]): Promise<void> {
  const keys = times.map((time, n) => firstUuidAt(time).slice(0, 24) + n.toString(16).padStart(12, '0'));
  const lines = times.map((time, n) =>
    JSON.stringify({ date: iso(time), ...madeUp(applicationId), type: 'test', extra: { n: String(n) } }),
  );
  await database.sql(
    `insert into app_${applicationId}.activity (id, entry) select * from unnest($1::uuid[], $2::text[])`,
    [keys, lines],
  );
}

/** One entry for each millisecond from `at` on. */
export async function fill(
  database: TestDatabase,
  applicationId: string,
  { at, count }: { at: number; count: number },
): Promise<void> {
  const line = JSON.stringify(madeUp(applicationId));
  await database.sql(
    `insert into app_${applicationId}.activity (id, entry)
     select (overlay(lpad(to_hex($1::bigint + n), 12, '0') placing '-' from 9 for 0) || '-7000-8000-000000000000')::uuid,
       '{"date":"' || to_char(to_timestamp(($1::bigint + n) / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
         || '",' || substr($3, 2)
     from generate_series(0, $2::int - 1) as n`,
    [at, count, line],
  );
}

/** All entries that are there, in order. */
export async function stored(database: TestDatabase, applicationId: string): Promise<Entry[]> {
  const rows = await database.sql(`select entry from app_${applicationId}.activity order by id`);
  return rows.map(([entry]) => JSON.parse(entry as string) as Entry);
}

/** The tables of the log and how many entries each has. */
export async function parts(database: TestDatabase, applicationId: string): Promise<Record<string, number>> {
  const tables = await database.sql(
    `select c.relname::text from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'app_${applicationId}.activity'::regclass order by 1`,
  );
  const counts: [string, number][] = [];
  for (const [table] of tables as [string][]) {
    const [[count]] = (await database.sql(`select count(*)::int from app_${applicationId}.${table}`)) as [[number]];
    counts.push([table, count]);
  }
  return Object.fromEntries(counts);
}
