// Searches for terms of which the database's statistics say that they are rare (store/records/rare-terms): they are one
// prepared statement whatever the term, and find the same as any other search.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { isCitus } from '../support/citus.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { by, DIRECTIONS, listerOf, nextOf, type Parameters, type Shown } from '../support/lists.ts';
import { done } from '../support/records.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { recordStatements, type StatementRecorder } from '../support/statement-recorder.ts';
import { until } from '../support/until.ts';

const COMMON = 300;
/** More than a short read collects. */
const LATER = 520;
const RARE = ['quetzal', 'xylophone', 'jabberwock'] as const;
/** The index may not have it: that depends on the locale of the database. */
const JAPANESE = '錨鎖';

describe('rare terms', {
  skip: (await isCitus()) && 'the statistics that they are found by are on the worker',
}, () => {
  let database: TestDatabase;
  let recorder: StatementRecorder;
  let server: TestServer;
  let app: TestApplication;
  let member: string;
  let columns: Readonly<Record<string, string>>;

  before(async () => {
    database = await createDatabase();
    recorder = await recordStatements(database.connection);
    server = await startTestServer({ database, connection: recorder.connection });
    app = await publishApplication(server, {
      collections: [
        {
          name: 'Things',
          readAccessType: 'creatorOnly',
          columns: [
            { name: 'Title', type: 'String', sortable: true, searchable: true },
            { name: 'Body', type: 'String', searchable: true },
          ],
        },
      ],
    });
    columns = app.ids.Things!;
    member = (await app.addPerson('Mia')).token;
    await create(COMMON, (n) => ({ title: `common title ${n % 50}`, body: 'a usual text about nothing' }));
    await analyze();
    // After the sample was taken, so that these are in none of its texts.
    await create(7, (n) => ({ title: `${RARE[0]} ${9 - n}`, body: `an ordinary text` }));
    await create(5, (n) => ({ title: `plain ${n}`, body: `the ${RARE[0]} and the ${RARE[1]}` }));
    await create(3, (n) => ({ title: `${RARE[2]} ${n}`, body: `${JAPANESE} plain` }));
    await create(4, (n) => ({ title: `${RARE[0]} of Mia ${n}`, body: 'plain' }), member);
    await create(LATER, (n) => ({ title: `vuvuzela ${n}`, body: `number ${n}` }));
    // The first search has the sample read.
    await things('nothingofthiskind');
    await until('the sample', isSampled);
  });
  after(async () => {
    await server.close();
    await recorder.close();
    await database.drop();
  });

  async function create(count: number, of: (n: number) => { title: string; body: string }, token = app.admin.token) {
    const records = Array.from({ length: count }, (_, n) => {
      const { title, body } = of(n);
      return { values: { [columns.Title!]: string(title), [columns.Body!]: string(body) } };
    });
    for (let from = 0; from < count; from += 100) {
      const json = records.slice(from, from + 100);
      done(await app.send('POST', app.records('Things'), { json, token }));
    }
  }

  async function analyze() {
    const client = new pg.Client(database.connection);
    await client.connect();
    const table = `app_${app.id}.${app.ids.Things!.id}`;
    await client.query(`alter table ${table} set (autovacuum_enabled = false)`);
    await client.query(`analyze ${table}`);
    await client.end();
  }

  const lister = (token = app.admin.token) => listerOf({ server, app }, 'Things', token);
  const titleOf = ({ values }: Shown) => String(values[columns.Title!]?.value);
  const things = async (search: string, parameters: Parameters = {}, token = app.admin.token) =>
    (await lister(token).all({ search, ...parameters })).map(titleOf);
  const sent = () =>
    recorder
      .take()
      .flat()
      .filter((text) => text.includes('.find like'));

  async function isSampled() {
    recorder.take();
    await things('nothingofthiskind');
    return sent().some((text) => text.includes('(select $'));
  }

  it('of any spelling are one prepared statement', async () => {
    recorder.take();
    for (const term of RARE) assert.notDeepEqual(await things(term), []);
    const statements = sent();
    assert.equal(statements.length, RARE.length);
    assert.equal(new Set(statements).size, 1, statements.join('\n'));
    assert.match(statements[0]!, /like \(select \$1::text\)/);
  });

  it('are found in every order, and page by page', async () => {
    const titles = (await things(RARE[0], { limit: 100 })).sort();
    assert.equal(titles.length, 16);
    for (const direction of DIRECTIONS) {
      const order = by('column', direction, columns.Title);
      const expected = direction === 'ascending' ? titles : [...titles].reverse();
      assert.deepEqual(await things(RARE[0], order), expected);
      assert.deepEqual(await things(RARE[0], { ...order, skip: 3, limit: 5 }), expected.slice(3, 8));
      const found: string[] = [];
      for (let next: Parameters | undefined = { search: RARE[0], ...order, limit: 5 }; next !== undefined; ) {
        const reply = await lister().page(next);
        found.push(...(reply.body as Shown[]).map(titleOf));
        next = nextOf(reply);
      }
      assert.deepEqual(found, expected);
    }
  });

  it('are found in the column that is asked for, together, and among the own records', async () => {
    assert.equal((await things(`Title:${RARE[0]}`)).length, 11);
    assert.equal((await things(`Body:${RARE[0]}`)).length, 5);
    assert.equal((await things(`${RARE[0]} ${RARE[1]}`)).length, 5);
    assert.equal((await things(`${RARE[0]} plain`)).length, 9);
    assert.equal((await things(`${RARE[0]} -plain`)).length, 7);
    assert.equal((await things(RARE[0], {}, member)).length, 4);
    assert.equal((await things(JAPANESE)).length, 3);
    assert.deepEqual(await things('nothingofthiskind'), []);
  });

  it('that are frequent after all are found completely, and then planned as such', async () => {
    const first = await things('vuvuzela', { limit: 3 });
    assert.deepEqual(first, [`vuvuzela ${LATER - 1}`, `vuvuzela ${LATER - 2}`, `vuvuzela ${LATER - 3}`]);
    recorder.take();
    assert.deepEqual(await things('vuvuzela', { skip: LATER - 1 }), ['vuvuzela 0']);
    assert.deepEqual(await things('vuvuzela', { skip: LATER }), []);
    assert.deepEqual(
      sent().filter((text) => text.includes('(select $')),
      [],
    );
  });
});
