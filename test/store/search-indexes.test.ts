// Lists of written records are merged into search indexes when they are long. The statistics of a collection are collected each
// time it has about doubled, and not with every start of a server.

import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fault } from '../../src/faults.ts';
import { Database } from '../../src/store/database/database.ts';
import { schemaOf } from '../../src/store/database/schemas.ts';
import { SearchIndexes } from '../../src/store/records/search-indexes.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { isCitus } from '../support/citus.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { preparedApplication } from '../support/prepared.ts';
import { startTestServer } from '../support/server.ts';
import { recordStatements, type StatementRecorder } from '../support/statement-recorder.ts';

const RECORDS = 6_000;
/** So many that their maintenance is due without a pause of the writers. */
const DUE = 4_000;
/** Longer than a pause that counts as one. */
const PAUSE_MS = 700;

let testDatabase: TestDatabase;
let recorder: StatementRecorder;
let database: Database;
let app: TestApplication;

before(async () => {
  testDatabase = await createDatabase();
  const server = await startTestServer({ database: testDatabase });
  const columns = [{ name: 'Title', type: 'String', searchable: true }];
  app = await publishApplication(server, {
    collections: [
      { id: 'tfilled0', name: 'Filled', columns },
      { id: 'tempty00', name: 'Empty', columns },
    ],
  });
  await server.close();
  recorder = await recordStatements(testDatabase.connection);
  const { connection } = recorder;
  database = Database.open({ connection, connectionsMax: 2, onConnectionError: () => undefined });
});
after(async () => {
  await database.close();
  await recorder.close();
  await testDatabase.drop();
});

/** A server that has just started, and tells what was done when records of these lengths had been written and a pause had passed. */
async function startedMaintenance(collectionId: string) {
  const indexes = new SearchIndexes();
  const application = await preparedApplication(testDatabase, app.id);
  const collection = application.collections.get(collectionId)!;
  const table = { schema: schemaOf(app.id), collection, generation: application.generation };
  return async (lengths: readonly number[], pauseMs = 0) => {
    recorder.take();
    indexes.wrote(app.id, table, lengths);
    await sleep(pauseMs);
    await indexes.tidy(database);
    const texts = recorder.take().flat();
    return {
      merged: texts.some((text) => text.includes('gin_clean_pending_list')),
      analyzed: texts.some((text) => text.startsWith('analyze')),
    };
  };
}

const lengthsOf = (records: number, length = 100): number[] => Array<number>(records).fill(length);

/** A server that has just started, and tells whether the collection was analyzed when so many records had been written. */
async function started(collectionId: string): Promise<(records: number) => Promise<boolean>> {
  const maintain = await startedMaintenance(collectionId);
  return async (records) => {
    const { merged, analyzed } = await maintain(lengthsOf(records));
    assert.ok(merged);
    return analyzed;
  };
}

it('a short list stays as it is, and a long one is merged when the writers pause', async () => {
  const maintain = await startedMaintenance('tempty00');
  const what = async (lengths: readonly number[], pauseMs: number) => (await maintain(lengths, pauseMs)).merged;
  assert.equal(await what(lengthsOf(1), PAUSE_MS), false, 'one record');
  assert.equal(await what(lengthsOf(98), PAUSE_MS), false, '99 records');
  assert.equal(await what(lengthsOf(1), 0), false, '100 records, without a pause');
  assert.equal(await what([], PAUSE_MS), true, '100 records');
  assert.equal(await what(lengthsOf(1), PAUSE_MS), false, 'one record after them');
  assert.equal(await what(lengthsOf(1, 200_000), PAUSE_MS), true, 'one with a long text');
  assert.equal(await what(lengthsOf(DUE), 0), true, 'very many, without a pause');
});

it('a collection that was never analyzed is analyzed with its first records', async () => {
  const isAnalyzedAfter = await started('tempty00');
  assert.equal(await isAnalyzedAfter(DUE), true);
});

it('a server that has just started analyzes a collection once it has doubled', {
  skip: (await isCitus()) && 'what was analyzed is known on the worker alone',
}, async () => {
  const table = `${schemaOf(app.id)}.tfilled0`;
  await testDatabase.sql(`insert into ${table} (id, rec, hash, created_by, created_name, created_at, updated_by, updated_name, updated_at)
    select 'r' || lpad(n::text, 26, '0'), '{}', '', 'u', 'u', now(), 'u', 'u', now() from generate_series(1, ${RECORDS}) n`);
  await testDatabase.sql(`analyze ${table}`);
  const isAnalyzedAfter = await started('tfilled0');
  assert.equal(await isAnalyzedAfter(DUE), false);
  assert.equal(await isAnalyzedAfter(DUE), true);
  assert.equal(await isAnalyzedAfter(DUE), false);
});

describe('what cannot be done now', () => {
  const REFUSED_MAX = 3;
  const [LOST, WORKER] = [{}, {}];
  const isMerge = (text: string) => text.includes('gin_clean_pending_list');

  /** Applications of this collection that have something to merge, and a database that refuses some of them. */
  async function scene(applications: number, { clustered = false } = {}) {
    const indexes = new SearchIndexes();
    const application = await preparedApplication(testDatabase, app.id);
    const collection = application.collections.get('tempty00')!;
    const ids = Array.from({ length: applications }, (_, n) => `p${String(n).padStart(26, '0')}`);
    for (const id of ids) {
      const table = { schema: schemaOf(id), collection, generation: application.generation };
      indexes.wrote(id, table, lengthsOf(DUE));
    }
    const refused = { merge: new Set<string>(), analyze: new Set<string>() };
    const done: string[] = [];
    const tried: string[] = [];
    const writerOf = (id: string) => ({
      rows: async () => [[-1]],
      write: async (text: string) => {
        const what = isMerge(text) ? 'merge' : 'analyze';
        tried.push(`${what} ${ids.indexOf(id)}`);
        if (refused[what].has(id)) throw fault('UNAVAILABLE', { reason: 'database' });
        done.push(`${what} ${ids.indexOf(id)}`);
        return [];
      },
    });
    const database = {
      engine: 'plain',
      application: writerOf,
      workerOf: (id: string) => (clustered ? (ids.indexOf(id) < 19 ? LOST : WORKER) : undefined),
    } as unknown as Database;
    const tidy = (signal?: AbortSignal) => indexes.tidy(database, signal);
    const tidyLater = async () => {
      const later = performance.now() + 11_000;
      const now = mock.method(performance, 'now', () => later);
      await tidy().finally(() => now.mock.restore());
    };
    return { ids, refused, done, tried, tidy, tidyLater };
  }

  it('keeps no other collection waiting, and is done later', async () => {
    const { ids, refused, done, tidy, tidyLater } = await scene(2);
    refused.merge.add(ids[0]!);
    await assert.rejects(tidy(), { code: 'UNAVAILABLE' });
    assert.deepEqual(done, ['merge 1', 'analyze 1']);
    await tidy();
    refused.merge.clear();
    await tidyLater();
    assert.deepEqual(done.slice(2), ['merge 0', 'analyze 0']);
    await tidyLater();
    assert.equal(done.length, 4, 'once');
  });

  it('is tried once for all applications of a lost worker', async () => {
    const { ids, refused, done, tried, tidy } = await scene(20, { clustered: true });
    for (const id of ids.slice(0, 19)) refused.merge.add(id);
    await assert.rejects(tidy(), { code: 'UNAVAILABLE' });
    assert.deepEqual(tried, ['merge 0', 'merge 19', 'analyze 19']);
    await tidy();
    assert.equal(done.length, 2);
  });

  it('keeps others on its worker waiting once, and not again', async () => {
    const { ids, refused, done, tidy, tidyLater } = await scene(4, { clustered: true });
    refused.merge.add(ids[0]!);
    await assert.rejects(tidy(), { code: 'UNAVAILABLE' });
    assert.equal(done.length, 0);
    await assert.rejects(tidyLater(), { code: 'UNAVAILABLE' });
    assert.deepEqual(
      done.filter((what) => what.startsWith('merge')),
      ['merge 1', 'merge 2', 'merge 3'],
    );
  });

  it('is given up for the round when nothing can be done', async () => {
    const { ids, refused, tried, tidy } = await scene(20);
    for (const id of ids) refused.merge.add(id);
    await assert.rejects(tidy(), { code: 'UNAVAILABLE' });
    assert.equal(tried.length, REFUSED_MAX);
    await assert.rejects(tidy(), { code: 'UNAVAILABLE' });
    assert.equal(new Set(tried).size, 2 * REFUSED_MAX, 'others the next time');
  });

  it('is done later although only the statistics were refused', async () => {
    const { ids, refused, done, tidy, tidyLater } = await scene(1);
    refused.analyze.add(ids[0]!);
    await assert.rejects(tidy(), { code: 'UNAVAILABLE' });
    refused.analyze.clear();
    await tidyLater();
    assert.equal(done.at(-1), 'analyze 0');
    const { length } = done;
    await tidyLater();
    assert.equal(done.length, length, 'once');
  });

  it('is left when the server stops', async () => {
    const { tried, tidy } = await scene(20);
    await tidy(AbortSignal.abort());
    assert.deepEqual(tried, []);
  });
});
