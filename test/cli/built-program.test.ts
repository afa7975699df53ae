// The program that is started is bundled from the sources, and a bundler leaves out what it takes for without effect. Here the
// bundle is asked for refusals that rest on an error alone; all other tests of requests run the sources.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openScene, publishAt, type Scene } from '../nodes/scene.ts';
import type { TestApplication } from '../support/application.ts';
import { sendTo } from '../support/server.ts';

describe('the built program', () => {
  let scene: Scene;
  let address: string;
  let app: TestApplication;

  before(async () => {
    scene = await openScene();
    ({ address } = await scene.start());
    app = await publishAt(address, [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }]);
  });
  after(() => scene?.close());

  const refusal = async (query: string) => {
    const { token } = app.admin;
    const { status, body } = await sendTo(address, 'GET', `/v1/${app.id}${app.records('Things')}?${query}`, { token });
    return [status, body.code, body.params?.parameter];
  };

  it('refuses what cannot be decoded, and unknown time zones', async () => {
    for (const search of ['%E7%97', '%zz', '%FF']) {
      assert.deepEqual(await refusal(`search=${search}`), [400, 'INVALID_PARAMETER', 'search'], search);
    }
    assert.deepEqual(await refusal('timezone=Mars%2FNorth'), [400, 'INVALID_PARAMETER', 'timezone']);
  });
});
