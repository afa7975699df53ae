// The statistics of a collection are collected each time it has about doubled, and not with every start of a server.

import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
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

/** A server that has just started, and tells whether the collection was analyzed when so many records had been written. */
async function started(collectionId: string): Promise<(records: number) => Promise<boolean>> {
  const indexes = new SearchIndexes();
  const application = await preparedApplication(testDatabase, app.id);
  const collection = application.collections.get(collectionId)!;
  const table = { schema: schemaOf(app.id), collection, generation: application.generation };
  return async (records) => {
    recorder.take();
    indexes.wrote(app.id, table, records);
    await indexes.tidy(database);
    const texts = recorder.take().flat();
    assert.ok(texts.some((text) => text.includes('gin_clean_pending_list')));
    return texts.some((text) => text.startsWith('analyze'));
  };
}

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
