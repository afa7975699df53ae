// The months of the activity log: that long logs have them, that none is needed for an entry to be written, and that old
// ones go as a whole.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { firstUuidAt } from '../../src/domain/ids.ts';
import type { Observation } from '../../src/events/events.ts';
import { keepActivityLogs } from '../../src/operations/upkeep/activity-months.ts';
import { createMonths, MOVED_MAX, TRIM_PAGE } from '../../src/store/activity/months.ts';
import { Database } from '../../src/store/database/database.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { onTable } from '../support/nodes.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { exported, fill, parts, stored, writeAt } from './log.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

describe('the months of the activity log', () => {
  let server: TestServer;
  let database: Database;
  /** What the job tells of, of all applications. */
  const told: Observation[] = [];

  before(async () => {
    server = await startTestServer();
    database = Database.open({
      connection: server.database.connection,
      connectionsMax: 4,
      onConnectionError: () => {},
    });
  });
  after(async () => {
    await database.close();
    await server.close();
  });

  const publish = (document: object = {}): Promise<TestApplication> =>
    publishApplication(server, { collections: [], ...document });
  const start = new Date();
  const month = (ahead: number): number => Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + ahead, 1);
  const table = (ahead: number): string =>
    `activity_${new Date(month(ahead)).toISOString().slice(0, 7).replace('-', '_')}`;
  const contextAt = (now: number) => ({ database, now: () => now, observe: (event: Observation) => told.push(event) });
  const keep = async (now: number, days = 400) => {
    await keepActivityLogs(contextAt(now), { days, signal: new AbortController().signal });
  };
  const make = (now: number, { id }: TestApplication) => createMonths(database.application(id), now);
  const toldOf = ({ id }: TestApplication) =>
    told.splice(0).flatMap((event) => {
      if (!('applicationId' in event) || event.applicationId !== id) return [];
      const { applicationId: _, ...rest } = event;
      return [rest];
    });

  const toldOfBoth = (...applications: TestApplication[]) => {
    const all = told.splice(0);
    return applications.map(({ id }) =>
      all.filter((event) => 'applicationId' in event && event.applicationId === id).map(({ event }) => event),
    );
  };

  /** With months, as a long log has them, but as few entries as a new one. */
  const publishLong = async (): Promise<TestApplication> => {
    const app = await publish();
    await fill(server.database, app.id, { at: month(-6), count: MOVED_MAX + 1 });
    await make(start.getTime(), app);
    await server.database.sql(`delete from app_${app.id}.activity where id < $1`, [firstUuidAt(month(-5))]);
    return app;
  };

  it('exist where the log is long, and nowhere else', async () => {
    const [short, silent] = [await publish(), await publish({ activityLogEnabled: false })];
    const [long, full] = [await publish(), await publish()];
    for (const { id } of [long, silent]) {
      await fill(server.database, id, { at: month(-6), count: MOVED_MAX + 1 });
      await writeAt(server.database, id, [month(0)]);
    }
    const { activity_rest: own = 0 } = await parts(server.database, full.id);
    await fill(server.database, full.id, { at: month(-6), count: MOVED_MAX - own });
    await keep(start.getTime());
    assert.deepEqual(Object.keys(await parts(server.database, short.id)), ['activity_rest']);
    assert.deepEqual(await parts(server.database, full.id), { activity_rest: MOVED_MAX }, 'just not long');
    const silentParts = await parts(server.database, silent.id);
    assert.deepEqual(silentParts, { activity_rest: MOVED_MAX + 2 }, 'none where nothing is logged');
    const { [table(0)]: first, ...others } = await parts(server.database, long.id);
    assert.deepEqual(others, { [table(1)]: 0, [table(2)]: 0, activity_rest: MOVED_MAX + 1 });
    assert.equal(first, own + 1);
    const end = Date.now() + HOUR_MS;
    assert.equal((await exported(server, long, { start: month(0), end })).length, own + 2, 'with the export itself');
  });

  it('of a log that begins to be long hold what was written before', async () => {
    const app = await publish({ activityLogEnabled: false });
    await fill(server.database, app.id, { at: month(0), count: MOVED_MAX + 1 });
    const { organization } = (await server.operator('GET', `/applications/${app.id}`)).body;
    const document = { id: app.id, name: 'Test', organization, collections: [], activityLogEnabled: true };
    assert.equal((await server.operator('POST', '/applications', document)).status, 200);
    const before = await stored(server.database, app.id);
    await keep(start.getTime());
    const until = `activity_until_${table(1).slice(9)}`;
    const made = await parts(server.database, app.id);
    assert.deepEqual(made, { [table(1)]: 0, [table(2)]: 0, activity_rest: 0, [until]: MOVED_MAX + 2 });
    assert.deepEqual(await stored(server.database, app.id), before, 'in the same order');
    assert.equal(before.at(-1)?.type, 'application');
  });

  it('are created in advance, by several servers at once, and again without any effect', async () => {
    const app = await publishLong();
    const later = month(2) + DAY_MS;
    await Promise.all(Array.from({ length: 4 }, () => make(later, app)));
    const names = [0, 1, 2, 3, 4].map(table);
    assert.deepEqual(Object.keys(await parts(server.database, app.id)), [...names, 'activity_rest']);
    await make(later, app);
    assert.deepEqual(Object.keys(await parts(server.database, app.id)), [...names, 'activity_rest']);
    assert.deepEqual(toldOf(app), []);
  });

  it('take over the entries that were written before they existed', async () => {
    const app = await publishLong();
    const times = [month(3), month(3), month(4) - 1, month(4), month(30)];
    await writeAt(server.database, app.id, times);
    assert.equal((await parts(server.database, app.id)).activity_rest, times.length);
    const before = await stored(server.database, app.id);
    await make(month(2), app);
    const { [table(3)]: third, [table(4)]: fourth, activity_rest: rest } = await parts(server.database, app.id);
    assert.deepEqual([third, fourth, rest], [3, 1, 1]);
    assert.deepEqual(await stored(server.database, app.id), before, 'in the same order');
    assert.deepEqual(toldOf(app), []);
  });

  it('are made of the default partition itself when too much would have to be moved', async () => {
    const app = await publishLong();
    await fill(server.database, app.id, { at: month(3), count: MOVED_MAX + 1 });
    await writeAt(server.database, app.id, [month(-30), month(30)]);
    const before = await stored(server.database, app.id);
    await make(month(2), app);
    const made = await parts(server.database, app.id);
    assert.deepEqual([made[table(3)], made[table(4)], made.activity_rest], [MOVED_MAX + 1, 0, 2]);
    assert.deepEqual(await stored(server.database, app.id), before, 'in the same order');
    await writeAt(server.database, app.id, [month(3) + MOVED_MAX * 2, month(40)]);
    assert.equal((await parts(server.database, app.id))[table(3)], MOVED_MAX + 2);
  });

  it('share one partition after a time without any, whose old entries are deleted one by one', async () => {
    const app = await publishLong();
    await fill(server.database, app.id, { at: month(3), count: 2 * TRIM_PAGE });
    await fill(server.database, app.id, { at: month(6), count: MOVED_MAX + 1 });
    await keep(month(6) + DAY_MS);
    const long = `${table(3)}_until_${table(7).slice(9)}`;
    const made = await parts(server.database, app.id);
    assert.deepEqual(made, {
      ...{ [table(0)]: made[table(0)], [table(1)]: 0, [table(2)]: 0, [long]: 2 * TRIM_PAGE + MOVED_MAX + 1 },
      ...{ [table(7)]: 0, [table(8)]: 0, activity_rest: 0 },
    });
    assert.deepEqual(toldOf(app), []);
    const whole = await exported(server, app, { start: month(6), end: month(7) });
    assert.equal(whole.length, MOVED_MAX + 1);
    await keep(month(3) + DAY_MS + TRIM_PAGE + 10, 1);
    assert.equal((await parts(server.database, app.id))[long], TRIM_PAGE + MOVED_MAX + 1 - 10);
    const [{ event, entries } = {}] = toldOf(app) as { event?: string; entries?: number }[];
    assert.deepEqual([event, entries], ['activityLog.trimmed', TRIM_PAGE + 10]);
    await keep(month(7) + DAY_MS, 1);
    assert.equal((await parts(server.database, app.id))[long], undefined, 'and in the end it goes as a whole');
  });

  it('are created for the other applications when one fails', async () => {
    const [broken, other] = [await publishLong(), await publishLong()].sort((a, b) => (a.id < b.id ? -1 : 1)) as [
      TestApplication,
      TestApplication,
    ];
    // A name that is taken.
    await server.database.sql(`create table app_${broken.id}.${table(3)} (id int)`);
    await keep(month(2));
    const told = toldOfBoth(broken, other);
    assert.deepEqual(told, [['activityLog.unkept'], []]);
    const [kept, made] = [await parts(server.database, broken.id), await parts(server.database, other.id)];
    assert.deepEqual([table(3) in kept, table(4) in kept], [false, true], 'of the broken one, what can be made');
    assert.deepEqual([table(3) in made, table(4) in made], [true, true]);
  });

  it('are dropped as a whole once they are too old, and never the current one', async () => {
    const app = await publishLong();
    await writeAt(server.database, app.id, [month(0), month(1), month(1) + 1, month(2) - 1, month(2)]);
    // Whoever deletes from it entry by entry fails.
    await server.database.sql(`create function app_${app.id}.refuse() returns trigger language plpgsql
      as $$ begin raise exception 'deleted entry by entry'; end $$`);
    for (const ahead of [0, 1, 2]) {
      const trigger = `create trigger refuse before delete on %s for each statement execute function app_${app.id}.refuse()`;
      await onTable(server.database, `app_${app.id}.${table(ahead)}`, trigger);
    }
    const left = async () => Object.keys(await parts(server.database, app.id)).slice(0, 1);
    await keep(month(1) + 10 * DAY_MS - 1, 10);
    assert.deepEqual(await left(), [table(0)], 'its last moment is not too old yet');
    assert.deepEqual(toldOf(app), []);
    await keep(month(1) + 10 * DAY_MS, 10);
    assert.deepEqual(await left(), [table(1)]);
    assert.deepEqual(toldOf(app), [{ event: 'activityLog.trimmed', months: 1, entries: 0 }]);
    await keep(month(3) + DAY_MS, 1);
    assert.deepEqual(await left(), [table(3)]);
    assert.deepEqual(toldOf(app), [{ event: 'activityLog.trimmed', months: 2, entries: 0 }]);
    assert.deepEqual(await stored(server.database, app.id), []);
  });

  it('of an earlier server are trimmed in pages until they can be dropped', async () => {
    const app = await publish({ activityLogEnabled: false });
    // As store/activity/months settles it at the migration.
    const schema = `app_${app.id}`;
    const until = `activity_until_${table(1).slice(9)}`;
    await server.database.sql(`create table ${schema}.${until} (id uuid primary key, entry text not null)`);
    const bound = BigInt(month(1)).toString(16).padStart(12, '0');
    await server.database.sql(`alter table ${schema}.activity attach partition ${schema}.${until}
      for values from (minvalue) to ('${bound}00000000000000000000')`);
    await writeAt(server.database, app.id, [month(-30), month(-2) - 1, month(-2), month(0)]);
    await keep(month(-2) + 20 * DAY_MS, 20);
    assert.deepEqual(await parts(server.database, app.id), { activity_rest: 0, [until]: 2 });
    assert.deepEqual(toldOf(app), [{ event: 'activityLog.trimmed', months: 0, entries: 2 }]);
    await keep(month(1) + DAY_MS, 1);
    assert.deepEqual(await parts(server.database, app.id), { activity_rest: 0 });
    assert.deepEqual(toldOf(app), [{ event: 'activityLog.trimmed', months: 1, entries: 0 }]);
  });

  it('are created and dropped without making writers wait for a slow one', async () => {
    const app = await publishLong();
    await writeAt(server.database, app.id, [month(0)]);
    const slow = new pg.Client(server.database.connection);
    await slow.connect();
    await slow.query('begin');
    await slow.query(`insert into app_${app.id}.activity values ('00000000-0000-7000-8000-000000000001', '{}')`);
    let longest = 0;
    let stop = false;
    let written = 0;
    const writing = (async () => {
      for (; !stop && written < 5_000; written++) {
        const began = performance.now();
        await writeAt(server.database, app.id, [start.getTime() + written]);
        longest = Math.max(longest, performance.now() - began);
      }
    })();
    // The slow one has written to the rest, of which making a month needs all, and dropping one needs the whole log.
    await assert.rejects(make(month(1), app));
    await keepActivityLogs(contextAt(month(2)), { days: 1, signal: new AbortController().signal });
    const failed = toldOf(app).map(({ event }) => event);
    assert.deepEqual(failed, ['activityLog.unkept']);
    await slow.query('commit');
    await slow.end();
    await make(month(1), app);
    stop = true;
    await writing;
    assert.ok(written > 20, `${written} were written meanwhile`);
    assert.ok(longest < 1_000, `somebody waited ${longest} ms`);
    assert.ok(Object.keys(await parts(server.database, app.id)).includes(table(3)));
    assert.deepEqual(toldOf(app), []);
  });
});
