// References to long texts: an answer has a bound, and what was written stays written.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
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
