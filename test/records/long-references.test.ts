// References to long texts: an answer has a bound, and what was written stays written.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LoopTime } from '../../src/load/loop-time.ts';
import { Slices } from '../../src/load/slices.ts';
import type { InCollection } from '../../src/operations/in-collection.ts';
import { withLiveReferencesFrom } from '../../src/operations/records/live-references.ts';
import { RequestScope } from '../../src/request/request-scope.ts';
import type { Reader } from '../../src/store/database/handles.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const LONG = 'x'.repeat(900_000);
/** docs/values.md: 16 MiB of referred values in one answer. */
const FIT = Math.floor((16 * 1024 * 1024) / (LONG.length + '{"type":"String","value":""}'.length));

describe('references to long texts', () => {
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, {
      collections: [
        { name: 'Texts', columns: [{ name: 'Text', type: 'String' }] },
        {
          name: 'Refs',
          columns: [{ name: 'Ref', type: 'ReferenceString', scheme: { collection: 'Texts', column: 'Text' } }],
        },
      ],
    });
  });
  after(async () => {
    await server.close();
  });

  it('leave out the values beyond the bound, never the hash, and answer 200', async () => {
    const { id, Text } = app.ids.Texts!;
    const text = await app.send('POST', app.records('Texts'), { json: { values: { [Text!]: string(LONG) } } });
    const reference = { type: 'ReferenceString', collectionId: id, columnId: Text, recordId: text.body.id };
    const element = { values: { [app.ids.Refs!.Ref!]: reference } };
    const json = Array.from({ length: FIT + 3 }, () => element);
    const made = await app.send('POST', app.records('Refs'), { json });
    assert.equal(made.status, 200);
    const references = made.body.map((record: { values: Record<string, object> }) => record.values[app.ids.Refs!.Ref!]);
    const withValue = references.filter((value: object) => 'value' in value);
    assert.equal(withValue.length, FIT);
    for (const value of references) assert.equal(value.recordHash, text.body.hash);
    const read = await app.send('GET', app.records('Refs', made.body.at(-1).id));
    assert.equal(read.body.values[app.ids.Refs!.Ref!].value.value.length, LONG.length);
  });
});

describe('inserting referred values into a page', () => {
  const PAGE = 20;
  const target = (n: number) => `r${String(n).padStart(26, '0')}`;
  const mark = '"cref0000":{"collectionId":"ttexts00","columnId":"ctext000","recordId":"';
  const page = Array.from({ length: PAGE }, (_, n) => `{"id":"${target(n)}","values":{${mark}${target(n)}"}}}`);
  const collection = {
    references: [
      {
        ...{ columnId: 'cref0000', type: 'ReferenceString', referredCollectionId: 'ttexts00' },
        ...{ referredColumnId: 'ctext000', mark },
      },
    ],
  };
  const referred = { definition: { id: 'ttexts00', readAccessType: 'everyone' } };

  /** The page with values of so many characters, and how often the event loop was left to others meanwhile. */
  async function inserted(characters: number) {
    let now = 0;
    let pauses = 0;
    const clock = {
      // Every look at the clock takes longer than a slice.
      now: () => {
        now += 10;
        return now;
      },
      after: (_: number, callback: () => void) => {
        pauses += 1;
        setImmediate(callback);
      },
    };
    const scope = new RequestScope('request', 30_000);
    scope.tenant = 'tenant';
    const at = {
      ...{ collection, scope, caller: { id: 'ucaller0', name: 'Caller', admin: true } },
      application: { collections: new Map([['ttexts00', referred]]) },
      slices: new Slices(
        new LoopTime(clock.now),
        { isBesideOthers: () => true, inProgressBeside: () => 0, shortBeside: () => 0 },
        clock,
      ),
    };
    const value = JSON.stringify(string('x'.repeat(characters)));
    const rows = page.map((_, n) => [target(n), 'h'.repeat(26), `{"values":{"ctext000":${value}}}`]);
    const reader = { schema: 'app_test', pipeline: async () => [rows] };
    const texts = await withLiveReferencesFrom(at as unknown as InCollection, reader as unknown as Reader, page);
    const values = texts.map((text) => JSON.parse(String(text)).values.cref0000.value.value.length);
    assert.deepEqual(values, Array(PAGE).fill(characters));
    return pauses;
  }

  it('is done in slices if they are long, and at once if they are short', async () => {
    assert.ok((await inserted(6_000)) >= PAGE - 1);
    assert.equal(await inserted(100), 0);
  });
});
