// kill -9 of the server in the middle of an announced upload: it goes on from the last piece, and nothing is lost of that.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { exchange, randomFile, sha256 } from '../support/attachments.ts';
import { type ServerProcess, spawnServer } from '../support/process.ts';
import { OPERATOR_KEY, type SendOptions, sendTo, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { assertAppended, DOCUMENT, MIB, uploadsOf } from '../support/uploads.ts';

describe('kill -9 in the middle of an announced upload', () => {
  let folder: string;
  let server: ServerProcess;
  let app: TestApplication;
  const start = () => spawnServer({ CARTULARY_DATA: folder, CARTULARY_OPERATOR_KEY: OPERATOR_KEY });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ct-upload-kill-'));
    server = await start();
    const send = (method: string, path: string, options?: SendOptions) => sendTo(server.address, method, path, options);
    const operator: TestServer['operator'] = (method, path, json) =>
      send(method, `/operator/v1${path}`, { token: OPERATOR_KEY, json });
    app = await publishApplication({ send, operator } as TestServer, DOCUMENT);
  });
  after(async () => {
    await server.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });

  it('costs one piece at the most', async () => {
    const bytes = randomFile(40 * MIB);
    const { id } = await uploadsOf(server.address, app).announced(bytes.length);
    for (const reached of [16 * MIB, 24 * MIB]) {
      const uploads = uploadsOf(server.address, app);
      const offset = await uploads.offset(id);
      const sent = bytes.subarray(offset, reached + 5 * MIB);
      const wire = await uploads.begin(id, { offset, declared: bytes.length - offset, sent });
      await until(`${reached} bytes to be received`, async () => (await uploads.offset(id)) === reached);
      await server.end('SIGKILL');
      wire.close();
      server = await start();
      assert.equal(await uploadsOf(server.address, app).offset(id), reached);
    }
    const uploads = uploadsOf(server.address, app);
    assertAppended(await uploads.append(id, 24 * MIB, bytes.subarray(24 * MIB)), bytes.length);
    const path = `/v1/${app.id}/collections/${app.ids.Files!.id}/attachments/${id}`;
    const back = await exchange(server.address, 'GET', path, { token: app.admin.token });
    assert.equal(back.headers.etag, `"${sha256(bytes)}"`);
    assert.equal(sha256(back.bytes), sha256(bytes));
  });
});
