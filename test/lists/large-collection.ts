// Forty thousand records, put into the tables by the server's own statements but not through HTTP: the indexes are
// made when all records are there, which takes a third of the time.

import { randomFillSync } from 'node:crypto';
import pg from 'pg';
import type { PreparedApplication } from '../../src/domain/definition/application.ts';
import { createIdSource } from '../../src/domain/ids.ts';
import type { Caller } from '../../src/domain/people/access.ts';
import { recordText } from '../../src/domain/records/record-text.ts';
import { draft } from '../../src/operations/records/stored-forms.ts';
import { insertRecords } from '../../src/store/records/records.ts';
import type { Values } from '../../src/wire/values.ts';
import { publishApplication } from '../support/application.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { callerOf, preparedApplication } from '../support/prepared.ts';
import type { Scene } from '../support/records.ts';
import { startTestServer } from '../support/server.ts';

/**
 * The smaller a table, the more reading and sorting all of it appeals to the planner: what is read off an index here is
 * so in larger ones. The benchmark has more.
 */
export const COUNT = 40_000;
const TARGETS = 2_000;
const PEOPLE = 40;
const BATCH = 2_000;
const START = Date.UTC(2020, 0, 1);

const SORTED = { sortable: true, searchable: true };
const refer = (type: string, id: string, columnId: string) => ({
  ...{ id, name: type, type, ...SORTED },
  scheme: { collectionId: 'ttarget0', columnId },
});

const DOCUMENT = {
  activityLogEnabled: false,
  collections: [
    {
      id: 'ttarget0',
      name: 'Targets',
      columns: [
        { id: 'cttext00', name: 'Text', type: 'String' },
        { id: 'ctnumb00', name: 'Number', type: 'Number' },
        { id: 'ctuser00', name: 'User', type: 'User' },
      ],
    },
    {
      id: 'tlarge00',
      name: 'Large',
      // A member sees what it created, an admin everything.
      readAccessType: 'creatorOnly',
      columns: [
        { id: 'ctitle00', name: 'Title', type: 'String', ...SORTED },
        { id: 'cnote000', name: 'Note', type: 'String', searchable: true },
        { id: 'ccode000', name: 'Code', type: 'String', unique: true, searchable: true },
        { id: 'cnumb000', name: 'Number', type: 'Number', ...SORTED },
        { id: 'crate000', name: 'Rate', type: 'Number', searchable: true },
        { id: 'cflag000', name: 'Flag', type: 'Boolean', ...SORTED },
        { id: 'cwhen000', name: 'When', type: 'DateTime', ...SORTED },
        { id: 'cday0000', name: 'Day', type: 'Date', ...SORTED },
        { id: 'cclock00', name: 'Clock', type: 'Time', ...SORTED },
        { id: 'cwho0000', name: 'Who', type: 'User', ...SORTED },
      ],
    },
    {
      id: 'tholder0',
      name: 'Holders',
      columns: [
        refer('ReferenceString', 'crtext00', 'cttext00'),
        refer('ReferenceNumber', 'crnumb00', 'ctnumb00'),
        refer('ReferenceUser', 'cruser00', 'ctuser00'),
      ],
    },
  ],
};

interface User {
  readonly id: string;
  readonly name: string;
}

export interface Large {
  readonly scene: Scene;
  readonly application: PreparedApplication;
  readonly schema: string;
  readonly admin: Caller;
  readonly member: Caller;
  /** Of a record in the middle. */
  readonly middleId: string;
  /** Plan of a statement: with its parameters, or without knowing them. */
  readonly explain: (text: string, params: readonly unknown[] | undefined) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const hex = (index: number): string => ((index * 2654435761) % 2 ** 32).toString(16).padStart(8, '0');
const string = (value: string) => ({ type: 'String', value }) as const;
const number = (value: number) => ({ type: 'Number', value }) as const;

export async function openLarge(): Promise<Large> {
  // In the plainest locale the index knows nothing of Japanese.
  const database = await createDatabase('');
  const server = await startTestServer({ database });
  const app = await publishApplication(server, DOCUMENT);
  const member = await app.addPerson('Member');
  const people: User[] = [app.admin, member];
  for (let index = people.length; index < PEOPLE; index += 1) people.push(await addName(database, app.id, index));
  const application = await preparedApplication(database, app.id);
  const client = new pg.Client(database.connection);
  await client.connect();
  // As our own server has it: for disks without arms.
  await client.query('set random_page_cost = 1.1');
  const middleId = await fill(client, application, people);
  return {
    scene: { server, app },
    application,
    schema: `app_${app.id}`,
    admin: callerOf(app.admin, true),
    member: callerOf(member, false),
    middleId,
    explain: async (text, params) => {
      const explained = async (statement: string, values: readonly unknown[]) => {
        const query = { text: `explain (format json) ${statement}`, values: [...values], rowMode: 'array' as const };
        return ((await client.query(query)).rows as unknown[][][][])[0]![0]![0];
      };
      if (params !== undefined) return explained(text, params);
      // The plan that is kept for all values, as PostgreSQL 15 can already show it.
      const count = new Set(text.match(/\$\d+/g)).size;
      await client.query(`set plan_cache_mode = force_generic_plan; prepare kept as ${text}`);
      try {
        return await explained(`execute kept${count === 0 ? '' : `(${Array(count).fill('null').join(', ')})`}`, []);
      } finally {
        await client.query('deallocate kept; reset plan_cache_mode');
      }
    },
    close: async () => {
      await client.end();
      await server.close();
      await database.drop();
    },
  };
}

/** Straight into the table: no password has to be hashed for somebody who never comes. */
async function addName(database: TestDatabase, applicationId: string, index: number): Promise<User> {
  const user = { id: `u00000${String(index).padStart(2, '0')}`, name: `Person ${hex(index)}` };
  const table = `app_${applicationId}.users`;
  await database.sql(
    `insert into ${table} select (jsonb_populate_record(u, jsonb_build_object('id', $1::text, 'name', $2::text, 'name_folded', lower($2)))).*
     from ${table} u limit 1`,
    [user.id, user.name],
  );
  return user;
}

async function fill(client: pg.Client, application: PreparedApplication, people: readonly User[]): Promise<string> {
  const schema = `app_${application.id}`;
  await client.query('set synchronous_commit = off');
  await client.query('set maintenance_work_mem = 262144');
  const { rows } = await client.query({
    text: `select indexname, indexdef from pg_indexes where schemaname = $1 and tablename in ('ttarget0', 'tlarge00', 'tholder0') and indexname !~ '_pkey$'`,
    values: [schema],
    rowMode: 'array',
  });
  for (const [name] of rows as string[][]) await client.query(`drop index ${schema}.${name}`);
  await load(client, application, { collectionId: 'ttarget0', count: TARGETS, people, values: targetOf(people) });
  await loadHolders(client, schema);
  const ids = await load(client, application, {
    collectionId: 'tlarge00',
    count: COUNT,
    people,
    values: largeOf(people),
  });
  for (const [, definition] of rows as string[][]) await client.query(definition!);
  await client.query('vacuum analyze');
  return ids[COUNT / 2]!;
}

/** They are only planned for and never read, so their texts do not matter. */
async function loadHolders(client: pg.Client, schema: string): Promise<void> {
  const references = ['crtext00', 'crnumb00', 'cruser00'].map((columnId) => `r_${columnId}`).join(', ');
  await client.query(`insert into ${schema}.tholder0 (id, rec, hash, created_by, created_name, created_at,
      updated_by, updated_name, updated_at, ${references})
    select 'r' || md5(n::text)::char(26), '{}', '', u.id, u.name, now(), u.id, u.name, now(), r.id, r.id, r.id
    from generate_series(1, ${COUNT}) n
      join lateral (select id, name from ${schema}.users limit 1) u on true
      left join (select id, row_number() over (order by id) - 1 as place from ${schema}.ttarget0) r
        on n % 10 <> 0 and r.place = n * 17 % ${TARGETS}`);
}

interface Filling {
  readonly collectionId: string;
  readonly count: number;
  readonly people: readonly User[];
  readonly values: (index: number) => Values;
}

async function load(client: pg.Client, application: PreparedApplication, filling: Filling): Promise<string[]> {
  const { collectionId, count, people, values } = filling;
  const collection = application.collections.get(collectionId)!;
  const { generation } = application;
  const ids = createIdSource(Date.now, (bytes) => randomFillSync(bytes));
  const made: string[] = [];
  for (let start = 0; start < count; start += BATCH) {
    const time = new Date(START + start * 1000).toISOString();
    const rows = Array.from({ length: Math.min(BATCH, count - start) }, (_, place) => {
      const index = start + place;
      const { id, hash, projected, valuesJson } = draft(collection, ids.long('r'), values(index));
      const [createdBy, updatedBy] = [people[index % people.length]!, people[0]!].map(({ id, name }) => ({
        id,
        name,
      })) as [User, User];
      const times = { createdAt: time, timestamp: time, updatedAt: time };
      made.push(id);
      return {
        id,
        hash,
        projected,
        createdBy,
        updatedBy,
        updatedAt: time,
        rec: recordText({ id, hash, createdBy, updatedBy, valuesJson, ...times }),
      };
    });
    const { text, params } = insertRecords({ schema: `app_${application.id}`, collection, generation }, rows);
    await client.query(text, params as unknown[]);
  }
  return made;
}

const targetOf =
  (people: readonly User[]) =>
  (index: number): Values => ({
    cttext00: string(`Site ${hex(index)}`),
    ctnumb00: number((index * 7919) % TARGETS),
    ctuser00: { type: 'User', id: people[index % people.length]!.id, name: people[index % people.length]!.name },
  });

/** Every tenth record has no value in any sortable column. */
const largeOf =
  (people: readonly User[]) =>
  (index: number): Values => {
    const note = index % 20_000 === 7 ? 'a rare zymurgist of 東京駅' : 'an ordinary note of 大阪城';
    const rest = {
      cnote000: string(`${note} ${hex(index)}`),
      ccode000: string(`C-${hex(index)}`),
      crate000: number((index * 31) % 50_000),
    };
    if (index % 10 === 0) return rest;
    const time = new Date(START + ((index * 7907) % 1_000_000) * 60_000).toISOString();
    return {
      ...rest,
      ctitle00: string(`Title ${hex(index % 60_000)}`),
      cnumb000: number((index * 7919) % 70_000),
      cflag000: { type: 'Boolean', value: index % 3 === 0 },
      cwhen000: { type: 'DateTime', value: time },
      cday0000: { type: 'Date', value: time.slice(0, 10) },
      cclock00: { type: 'Time', value: time.slice(11, 19) },
      cwho0000: { type: 'User', id: people[index % 7]!.id, name: people[index % 7]!.name },
    };
  };
