// Parameters of the operator's operations: a wrong one changes nothing.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';

describe("the operator's parameters", () => {
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, { collections: [] });
  });
  after(async () => {
    await server.close();
  });

  function assertRefused({ status, body, text }: Reply, parameter: string): void {
    assert.equal(status, 400, text);
    assert.deepEqual([body.code, body.params.parameter], ['INVALID_PARAMETER', parameter]);
  }

  it('publish nothing if they are unknown, wrong or repeated', async () => {
    const document = { id: app.id, name: 'Renamed', collections: [] };
    for (const query of ['dryrun=true', 'dry-run=true', 'dryRun=1', 'dryRun=', 'dryRun=TRUE', 'allowDataloss=true']) {
      const [parameter = ''] = query.split('=');
      assertRefused(await server.operator('POST', `/applications?${query}`, document), parameter);
    }
    assertRefused(await server.operator('POST', '/applications?dryRun=false&dryRun=true', document), 'dryRun');
    assert.equal((await server.operator('GET', `/applications/${app.id}`)).body.name, 'Test');
    assert.equal(
      (await server.operator('POST', '/applications?dryRun=true&allowDataLoss=false', document)).status,
      200,
    );
    assert.equal((await server.operator('GET', `/applications/${app.id}?any=thing`)).body.name, 'Test');
  });

  it('repair and remove nothing if they are unknown', async () => {
    assertRefused(await server.operator('POST', '/doctor?mend=true&dryRun=true'), 'dryRun');
    assertRefused(await server.operator('DELETE', `/applications/${app.id}?dryRun=true`), 'dryRun');
    assert.equal((await server.operator('GET', `/applications/${app.id}`)).status, 200);
  });
});
