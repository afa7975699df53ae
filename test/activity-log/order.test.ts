// The order of the log where several servers write it, whose clocks are never quite the same, and what comes late.

import assert from 'node:assert/strict';
import { getRandomValues } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { activityEntry, type LogEntry, sceneOf } from '../../src/domain/activity/activity.ts';
import { createIdSource } from '../../src/domain/ids.ts';
import { insertEntries } from '../../src/store/activity/activity.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { countWaiting } from '../support/nodes.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type Entry, exported } from './log.ts';

const COLLECTIONS = [{ name: 'Visits', columns: [{ name: 'Title', type: 'String' }] }];

const isOrdered = (entries: readonly Entry[]): boolean =>
  entries.every(({ date }, index) => index === 0 || entries[index - 1]!.date <= date);

describe('the order of the activity log', () => {
  let server: TestServer;
  let others: TestServer[];
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    others = await Promise.all([1, 2].map(() => startTestServer({ database: server.database, connectionsMax: 4 })));
    app = await publishApplication(server, { collections: COLLECTIONS });
  });
  after(async () => {
    for (const other of others) await other.close();
    await server.close();
  });

  const values = () => ({ values: { [app.ids.Visits!.Title!]: string('a') } });

  it('is that of dates, and within a batch that of its records, whichever server wrote them', async () => {
    const start = Date.now() - 1_000;
    const path = `/v1/${app.id}${app.records('Visits')}`;
    const write = async ({ send }: TestServer) => {
      const batches: string[][] = [];
      for (let n = 0; n < 10; n++) {
        const json = n % 2 === 0 ? values() : Array.from({ length: 20 }, values);
        const { status, body } = await send('POST', path, { token: app.admin.token, json });
        assert.equal(status, 200);
        batches.push([body].flat().map(({ id }: { id: string }) => id));
      }
      return batches;
    };
    const batches = (await Promise.all([server, ...others].map(write))).flat();
    const entries = (await exported(others[0]!, app, { start, end: Date.now() + 1_000 })).filter(
      ({ type }) => type === 'record',
    );
    assert.ok(isOrdered(entries));
    const ids = entries.map(({ extra }) => extra.recordId!);
    assert.deepEqual([...ids].sort(), batches.flat().sort());
    for (const batch of batches) {
      const places = batch.map((id) => ids.indexOf(id));
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
      );
    }
  });

  it('is that of dates also where clocks differ, and each server keeps its own', async () => {
    const start = Date.UTC(2025, 6, 1);
    let steps = 0;
    // One a little ahead, one a little behind, one that stands still for a while and then steps back.
    const clocks = [
      () => start + 500 + 40 + steps,
      () => start + 500 - 40 + steps,
      () => start + 500 - Math.floor(steps / 30) * 20,
    ];
    const sources = clocks.map((clock) => createIdSource(clock, (bytes) => getRandomValues(bytes)));
    const scene = sceneOf({
      user: { id: 'u0000000', name: 'A' },
      application: { definition: { id: app.id, name: 'Test' }, version: 1 },
      source: { context: 'api', ip: '192.0.2.1' },
    });
    const written: LogEntry[] = [];
    for (; steps < 100; steps++) {
      for (const [n, source] of sources.entries()) {
        const extra = { source: String(n), step: String(steps) };
        written.push(activityEntry(source.uuid(), 'record.update', { scene, extra }));
      }
    }
    // They come in another order than they were made.
    const { text, params } = insertEntries(`app_${app.id}`, written.toReversed());
    await server.database.sql(text, [...params]);
    const entries = await exported(server, app, { start, end: start + 2_000 });
    assert.equal(entries.length, 300);
    assert.ok(isOrdered(entries));
    for (const n of ['0', '1', '2']) {
      const own = entries.filter(({ extra }) => extra.source === n).map(({ extra }) => Number(extra.step));
      assert.deepEqual(
        own,
        own.toSorted((a, b) => a - b),
        `source ${n}`,
      );
    }
  });

  it('has what waited for another under the date at which it was begun', async () => {
    const { id } = (await app.send('POST', app.records('Visits'), { json: values() })).body;
    const updates = async (start: number, end: number) =>
      (await exported(server, app, { start, end })).filter(({ extra }) => extra.recordId === id).map((e) => e.subType);
    const start = Date.now();
    const other = new pg.Client(server.database.connection);
    await other.connect();
    await other.query('begin');
    await other.query(`select from app_${app.id}.${app.ids.Visits!.id} where id = $1 for update`, [id]);
    const json = { values: { [app.ids.Visits!.Title!]: string('late') } };
    const update = app.send('PUT', app.records('Visits', id), { json });
    await until('the update to wait', async () => (await countWaiting(server.database)) > 0);
    const end = Date.now();
    assert.deepEqual(await updates(start, end), [], 'what is not done is not there');
    await other.query('commit');
    await other.end();
    assert.equal((await update).status, 200);
    assert.deepEqual(await updates(start, end), ['update'], 'and comes late to a period that has passed');
  });
});
