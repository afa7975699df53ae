// Many records at once: requests of bounded size, what is done half way, and sources that are never held whole.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { BatchError } from '../../client/src/batches.ts';
import { CartularyError, ConnectionError } from '../../client/src/errors.ts';
import { all, openScene, type Scene } from './scene.ts';

describe('many records of the client', () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene();
  });
  after(() => scene?.close());

  const visits = () => scene.client.collection('Visits');
  const numbered = (from: number, count: number, more: object = {}) =>
    Array.from({ length: count }, (_, index) => ({ Number: from + index, ...more }));
  const requests = (method: string) => scene.proxy.seen.filter((request) => request.method === method).length;
  const through = () => {
    scene.proxy.seen.length = 0;
    return scene.troubled.collection('Visits');
  };
  const codeOf = (error: unknown) => (error instanceof CartularyError ? error.code : String(error));

  it('are created from an async source that is read no faster than they are sent', async () => {
    let read = 0;
    async function* source() {
      for (let index = 0; index < 1_000; index++) {
        read += 1;
        yield { Title: 'many', Number: index };
      }
    }
    const many = visits().createMany(source(), { concurrency: 2 });
    let last = -1;
    for await (const { index, record } of many) {
      assert.equal(index, last + 1);
      assert.equal(record?.Number, index);
      assert.ok(read <= index + 302, `${read} were read when ${index} came back`);
      last = index;
    }
    assert.equal(last, 999);
    assert.equal((await all(visits().search('Title=many'))).length, 1_000);
    assert.equal(await visits().deleteWhere('Title=many'), 1_000);
  });

  it('are sent in requests of a hundred, and of no more bytes than a body may have', async () => {
    await through().createMany(numbered(0, 250)).finish();
    assert.equal(requests('POST'), 3);
    const text = '€'.repeat(10_000);
    await through()
      .createMany(numbered(1_000, 100, { Title: text }))
      .finish();
    assert.equal(requests('POST'), 3, 'three million bytes');
    assert.equal(await visits().deleteEverything(), 350);
  });

  it('stop at the element that fails, and tell what was done', async () => {
    const source = numbered(0, 120);
    source[50] = { Number: 3 };
    const done: number[] = [];
    const work = async () => {
      for await (const { index } of visits().createMany(source, { concurrency: 1 })) done.push(index);
    };
    const error = await work().catch((reason: unknown) => reason);
    assert.ok(error instanceof BatchError);
    assert.deepEqual([error.index, codeOf(error.cause), done.length], [50, 'DUPLICATED_VALUES', 50]);
    assert.equal(await visits().deleteEverything(), 50);
  });

  it('tell what requests did that were under way when another failed', async () => {
    const source = numbered(0, 300);
    source[99] = { Number: 0 };
    const error = await visits()
      .createMany(source, { concurrency: 3 })
      .finish()
      .catch((reason: unknown) => reason);
    assert.ok(error instanceof BatchError);
    assert.equal(error.index, 99);
    assert.equal(await visits().deleteEverything(), 99 + error.alsoDone.length);
  });

  it('skip the elements that fail, on request, and do all others', async () => {
    const source: object[] = numbered(0, 250);
    for (const index of [10, 11, 180]) source[index] = { Number: 5 };
    source[249] = { Nmuber: 1 };
    const { done, skipped, errors } = await visits().createMany(source, { onError: 'skip', concurrency: 1 }).finish();
    assert.deepEqual([done, skipped], [246, 4]);
    assert.deepEqual(
      errors.map(({ index }) => index),
      [10, 11, 180, 249],
    );
    assert.match(String(errors[3]?.error), /no column "Nmuber"/);
    const tooLong = [{ Title: 'short' }, { Title: 'x'.repeat(1_100_000) }, { Title: 'short' }];
    const outcomes = await all(visits().createMany(tooLong, { onError: 'skip' }));
    assert.deepEqual(
      outcomes.map(({ error }) => (error === undefined ? '' : codeOf(error))),
      ['', 'INVALID_BODY', ''],
    );
    assert.equal(await visits().deleteEverything(), 248);
  });

  it('go on after a server that had no more time, from where it stopped', async () => {
    const { app } = scene;
    const [created] = await all(visits().createMany([{ Number: 0 }]));
    const record = (
      await scene.client.raw.getRecord({ collectionId: app.ids.Visits?.id ?? '', recordId: created?.record?.$id ?? '' })
    ).body;
    const params = { reason: 'busy', recordIndex: 1, insertedRecords: [record] };
    await scene.troubled.definition();
    scene.proxy.troubles.push({
      kind: 'refuse',
      status: 503,
      body: { code: 'UNAVAILABLE', params },
      retryAfter: '0',
    });
    const { done } = await scene.troubled
      .collection('Visits')
      .createMany(numbered(0, 10), { concurrency: 1 })
      .finish()
      .catch((error) => assert.fail(error));
    assert.equal(done, 10);
    assert.equal(await visits().deleteEverything(), 10);
  });

  it('are updated, upserted and deleted by their IDs', async () => {
    await visits().createMany(numbered(0, 150)).finish();
    async function* changed() {
      for await (const visit of visits().search()) yield { $id: visit.$id, Title: `n${visit.Number}` };
    }
    assert.equal((await visits().updateMany(changed()).finish()).done, 150);
    assert.equal((await visits().first('Number=77'))?.Title, 'n77');
    const { done } = await visits()
      .upsertMany('Number', numbered(100, 100, { Passed: true }))
      .finish();
    assert.equal(done, 100);
    assert.equal((await all(visits().search('Passed:true'))).length, 100);
    const some = await all(visits().search('Passed:true'));
    assert.equal(await visits().deleteMany([...some, `r${'0'.repeat(26)}`]), 100);
    assert.equal(await visits().deleteEverything(), 100);
  });

  it('end with the signal, and with the connection', async () => {
    const controller = new AbortController();
    async function* endless() {
      for (let index = 0; ; index++) {
        if (index === 250) controller.abort(new Error('enough'));
        yield { Number: index };
      }
    }
    await assert.rejects(visits().createMany(endless(), { signal: controller.signal }).finish(), /enough/);
    scene.proxy.troubles.push(...Array.from({ length: 5 }, () => ({ kind: 'cut request' }) as const));
    const error = await scene.troubled
      .collection('Visits')
      .createMany(numbered(9_000, 5))
      .finish()
      .catch((reason: unknown) => reason);
    assert.ok(error instanceof BatchError && error.cause instanceof ConnectionError, String(error));
    await visits().deleteEverything();
  });
});
