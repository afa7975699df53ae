// PgBouncer in transaction mode before the database, as deploy/pgbouncer sets it up: two servers whose writes and searches
// share fewer sessions than they have connections.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openScene, publishAt, type Scene } from '../nodes/scene.ts';
import { number, string, type TestApplication } from '../support/application.ts';
import { withClient } from '../support/client.ts';
import type { ServerProcess } from '../support/process.ts';
import { sendTo } from '../support/server.ts';
import { until } from '../support/until.ts';
import { openPooler, type Pooler } from './pgbouncer.ts';
import { findTool } from './tools.ts';

const PROGRAM = findTool('pgbouncer');
const SESSIONS = 2;
const REQUEST_SECONDS = 2;

describe('PgBouncer in transaction mode', {
  skip: PROGRAM === undefined ? 'pgbouncer is not on this machine' : false,
}, () => {
  let scene: Scene;
  let pooler: Pooler;
  let nodes: ServerProcess[];
  let app: TestApplication;
  const node = (index: number) => nodes[index % nodes.length]?.address ?? '';

  before(async () => {
    scene = await openScene();
    pooler = await openPooler(PROGRAM ?? '', scene.database, { sessions: SESSIONS });
    const environment = { CARTULARY_POOLER_URL: pooler.url, CARTULARY_REQUEST_SECONDS: String(REQUEST_SECONDS) };
    nodes = await Promise.all([scene.start(environment), scene.start(environment)]);
    const columns = [
      { name: 'Title', type: 'String', searchable: true, sortable: true },
      { name: 'Code', type: 'String', unique: true, searchable: true },
      { name: 'Rank', type: 'Number' },
    ];
    app = await publishAt(node(0), [{ name: 'Things', columns }]);
  });
  after(async () => {
    await scene?.close();
    await pooler?.close();
  });

  const table = () => `app_${app.id}.${app.ids.Things?.id}`;
  const column = (name: string): string => app.ids.Things?.[name] ?? '';
  const values = (code: string, rank: number) => ({
    [column('Title')]: string(`Thing ${rank % 7}`),
    [column('Code')]: string(code),
    [column('Rank')]: number(rank),
  });
  const send = (at: number, method: string, path: string, json?: unknown) =>
    sendTo(node(at), method, `/v1/${app.id}${path}`, {
      token: app.admin.token,
      ...(json === undefined ? {} : { json }),
    });
  /** Sessions that work for connections of the pooler. */
  const sessions = () =>
    scene.database.sql(
      `select state, wait_event_type from pg_stat_activity
        where datname = current_database() and application_name ~ '^cartulary [0-9a-f]{12} '`,
    );

  it('carries writes, batches and searches of many clients on few sessions', async () => {
    const records = app.records('Things');
    await Promise.all(
      Array.from({ length: 12 }, async (_, client) => {
        for (let turn = 0; turn < 6; turn++) {
          const code = `c${client}-${turn}`;
          const created = await send(client, 'POST', records, { values: values(code, turn) });
          assert.equal(created.status, 200, created.text);
          const json = { replace: false, values: { [column('Rank')]: number(turn + 100) } };
          assert.equal((await send(client + 1, 'PUT', `${records}/${created.body.id}`, json)).status, 200);
          const batch = [0, 1, 2].map((n) => ({ values: values(`${code}-${n}`, n) }));
          assert.equal((await send(client, 'POST', records, batch)).status, 200);
          const taken = await send(client, 'POST', records, { values: values(code, 0) });
          assert.equal(taken.body.code, 'DUPLICATED_VALUES', taken.text);
          const search = encodeURIComponent(`"hing ${turn}" c${client}`);
          assert.equal((await send(client + 1, 'GET', `${records}?search=${search}`)).status, 200);
        }
      }),
    );
    assert.deepEqual(await scene.database.sql(`select count(*)::int from ${table()}`), [[12 * 6 * 4]]);
    const open = await sessions();
    assert.ok(open.length > 0 && open.length <= SESSIONS, `${open.length} sessions`);
  });

  it('leaves messages between servers to the database itself', async () => {
    const columns = [{ name: 'Name', type: 'String' }];
    const other = await publishAt(node(0), [{ name: 'Others', columns }]);
    const json = { values: { [other.ids.Others?.Name ?? '']: string('first') } };
    const path = `/v1/${other.id}${other.records('Others')}`;
    const created = await sendTo(node(1), 'POST', path, { token: other.admin.token, json });
    assert.equal(created.status, 200, created.text);
  });

  it('has a statement cancelled whose request is out of time, and goes on', async () => {
    await withClient(scene.database.connection, async (other) => {
      await other.query('begin');
      await other.query(`lock table ${table()} in share mode`);
      const late = await send(0, 'POST', app.records('Things'), { values: values('late', 1) });
      assert.equal(late.status, 503, late.text);
      await until('the end of the statement', async () => (await sessions()).every(([, waits]) => waits !== 'Lock'));
      await other.query('rollback');
    });
    const json = { values: values('after', 1) };
    assert.equal((await send(0, 'POST', app.records('Things'), json)).status, 200);
    const search = encodeURIComponent('Code=late');
    assert.deepEqual((await send(1, 'GET', `${app.records('Things')}?search=${search}`)).body, []);
  });

  it('is found again after it was away', async () => {
    await pooler.kill();
    const away = await send(0, 'POST', app.records('Things'), { values: values('away', 1) });
    assert.equal(away.status, 503, away.text);
    const { status } = await send(0, 'GET', `${app.records('Things')}?limit=1`);
    assert.equal(status, 200, 'short reads go to the database itself');
    await pooler.start();
    await until('a write', async () => {
      const { status } = await send(0, 'POST', app.records('Things'), { values: values(`back${Date.now()}`, 1) });
      return status === 200;
    });
  });
});
