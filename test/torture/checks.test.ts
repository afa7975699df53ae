// The checks after a round wait while a server is busy, as it may be right after it was mended.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { it } from 'node:test';
import { rootPath } from '../support/markdown.ts';

const { checkVersions } = await import(rootPath('torture/check-stored.mjs').href);
const { Client, newTally } = await import(rootPath('torture/client.mjs').href);
const { newModel } = await import(rootPath('torture/model.mjs').href);

it('the check of versions waits while the server is busy', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    const isBusy = requests < 3;
    response.writeHead(isBusy ? 503 : 200, { 'content-type': 'application/json' });
    const busy = { code: 'UNAVAILABLE', params: { reason: 'busy' } };
    response.end(JSON.stringify(isBusy ? busy : [{ version: 3 }, { version: 1 }]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const client = new Client(newTally(), 'token');
  const model = newModel();
  for (const version of [1, 2, 3]) model.published.set(version, 'Torture');
  const violations: string[] = [];
  const checked: string[] = [];
  try {
    await checkVersions({
      ...{ model, client, scene: { id: 'p1' }, cluster: { nodes: [{ address: `http://127.0.0.1:${address.port}` }] } },
      violation: (what: string) => violations.push(what),
      checked: (what: string) => checked.push(what),
    });
  } finally {
    client.close();
    server.close();
  }
  assert.deepEqual(violations, ['version 2 is lost']);
  assert.equal(checked.length, 3);
});
