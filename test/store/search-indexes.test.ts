// Lists of written records are merged into search indexes when they are long. The statistics of a collection are collected each
// time it has about doubled, and not with every start of a server.

import assert from 'node:assert/strict';
import { after, before, it, mock } from 'node:test';
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

it('what cannot be done now keeps no other collection waiting, and is done later', async () => {
  const indexes = new SearchIndexes();
  const application = await preparedApplication(testDatabase, app.id);
  for (const collection of application.collections.values()) {
    indexes.wrote(app.id, { schema: schemaOf(app.id), collection, generation: application.generation }, lengthsOf(DUE));
  }
  const merged: unknown[] = [];
  const unreachable = new Set<unknown>();
  const write = async (text: string, [index]: readonly unknown[]) => {
    if (!text.includes('gin_clean_pending_list')) return [];
    if (unreachable.size === 0) unreachable.add(index);
    if (unreachable.has(index)) throw fault('UNAVAILABLE', { reason: 'database' });
    merged.push(index);
    return [];
  };
  const writer = { write, rows: async () => [[DUE * 2]] };
  const partly = { engine: 'plain', application: () => writer } as unknown as Database;
  await assert.rejects(indexes.tidy(partly), { code: 'UNAVAILABLE' });
  await indexes.tidy(partly);
  assert.equal(merged.length, 1, 'the other one');
  const [lost] = unreachable;
  unreachable.clear();
  unreachable.add('none');
  const later = performance.now() + 11_000;
  const now = mock.method(performance, 'now', () => later);
  try {
    await indexes.tidy(partly);
    await indexes.tidy(partly);
  } finally {
    now.mock.restore();
  }
  assert.deepEqual(merged.slice(1), [lost], 'the one that failed, once');
});
