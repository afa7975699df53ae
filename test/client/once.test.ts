// What the client creates exists once, though replies are cut off, and though a program is killed and starts over.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { all, openScene, type Scene } from './scene.ts';
import type { Trouble } from './troubled-proxy.ts';

const CUT_REQUEST: Trouble = { kind: 'cut request' };
const CUT_REPLY: Trouble = { kind: 'cut reply' };

describe('what the client creates', () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene({ pushNotificationsEnabled: true });
    await scene.troubled.definition();
  });
  after(() => scene?.close());

  const visits = () => scene.client.collection('Visits');
  const titled = async (title: string) => (await all(visits().search(`Title="${title}"`))).length;
  const entries = async (type: string) => {
    const period = { from: new Date(Date.now() - 3_600_000), to: new Date(Date.now() + 3_600_000) };
    return (await all(scene.client.management.activityLog(period))).filter((entry) => entry.type === type).length;
  };

  it('is one record, file or notification, though its reply was cut off twice', async () => {
    const { troubled, proxy, app } = scene;
    const things = troubled.collection('Visits');
    proxy.troubles.push(CUT_REPLY, CUT_REQUEST, CUT_REPLY);
    const visit = await things.create({ Title: 'once' });
    assert.equal(await titled('once'), 1);
    assert.equal((await visits().first('Title=once'))?.$id, visit.$id);
    proxy.troubles.push(CUT_REPLY, CUT_REPLY);
    await things.upload('small', { name: 'small.txt' });
    assert.equal(await entries('attachment'), 1);
    proxy.troubles.push(CUT_REPLY, CUT_REPLY);
    await troubled.users.notify(app.admin.id, { body: 'once' });
    assert.equal(await entries('notification'), 1);
    proxy.troubles.push(CUT_REPLY);
    const large = await things.upload(new Uint8Array(9_000_000), { name: 'large.bin' });
    assert.equal((await large.blob()).size, 9_000_000);
  });

  it('is every element of a long source, in order, over a connection that keeps breaking', async () => {
    const { troubled, proxy } = scene;
    for (let request = 0; request < 8; request++) proxy.troubles.push(CUT_REPLY, undefined, CUT_REQUEST, undefined);
    const source = Array.from({ length: 800 }, (_, index) => ({ Title: 'long', Number: index }));
    const numbers = (await all(troubled.collection('Visits').createMany(source))).map(({ record }) => record?.Number);
    assert.deepEqual(
      numbers,
      source.map((each) => each.Number),
    );
    proxy.troubles.length = 0;
    assert.equal(await titled('long'), 800);
  });

  it('is not there twice when a program that was killed sends the same source again with the same keys', async () => {
    const source = (count: number) => Array.from({ length: count }, () => ({ Title: 'again' }));
    const options = { idempotencyKey: (index: number) => `import-7-${index}` };
    await visits().createMany(source(200), options).finish();
    const { done } = await visits().createMany(source(350), options).finish();
    assert.deepEqual([done, await titled('again')], [350, 350]);
  });
});
