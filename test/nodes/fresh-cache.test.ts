// The cache of accounts and definitions: when an entry is fresh, when a load is shared, when an entry is dropped.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { FreshCache } from '../../src/store/nodes/fresh-cache.ts';

/** A cache whose clock and heartbeats the test controls, and a load that counts. */
function setUp(t: TestContext, max = 100) {
  const clock = { now: 10_000, receivedAsOf: Number.NEGATIVE_INFINITY };
  t.mock.method(performance, 'now', () => clock.now);
  const cache = new FreshCache<string>(max, () => clock.receivedAsOf);
  let loads = 0;
  const load = async () => `load ${++loads}`;
  return { clock, cache, load, loads: () => loads };
}

/** A load that ends when the test says so. */
function pending() {
  let finish: (value: string) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const promise = new Promise<string>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  return { load: () => promise, finish: (value: string) => finish(value), fail: (error: Error) => fail(error) };
}

describe('fresh cache', () => {
  it('keeps an entry for less than a second while no heartbeat comes back', async (t) => {
    const { clock, cache, load } = setUp(t);
    assert.equal(await cache.get('p1/a', load), 'load 1');
    assert.equal(await cache.get('p1/a', load), 'load 1');
    clock.now += 700;
    assert.equal(await cache.get('p1/a', load), 'load 1');
    clock.now += 300;
    assert.equal(await cache.get('p1/a', load), 'load 2', 'a second later it is asked for again');
  });

  it('forgets an entry on request, even while it is being loaded', async (t) => {
    const { cache, load } = setUp(t);
    assert.equal(await cache.get('p1/a', load), 'load 1');
    assert.equal(await cache.get('p1/b', load), 'load 2');
    cache.forget('p1/a');
    assert.equal(await cache.get('p1/a', load), 'load 3');
    assert.equal(await cache.get('p1/b', load), 'load 2', 'and nothing else');
    const slow = pending();
    const waiting = cache.get('p1/c', slow.load);
    cache.forget('p1/c');
    slow.finish('old');
    assert.equal(await waiting, 'old');
    assert.equal(await cache.get('p1/c', load), 'load 4');
  });

  it('keeps an entry as long as heartbeats come back', async (t) => {
    const { clock, cache, load } = setUp(t);
    await cache.get('p1/a', load);
    for (let beat = 0; beat < 100; beat++) {
      clock.now += 250;
      clock.receivedAsOf = clock.now - 50;
      assert.equal(await cache.get('p1/a', load), 'load 1');
    }
    clock.now += 700;
    assert.equal(await cache.get('p1/a', load), 'load 1', 'the last beat covers it a while');
    clock.now += 300;
    assert.equal(await cache.get('p1/a', load), 'load 2', 'and no longer');
  });

  it('keeps nothing for longer than ten minutes, even with heartbeats, and lets go of entries at different times', async (t) => {
    const { clock, cache, load } = setUp(t);
    const keys = Array.from({ length: 100 }, (_, n) => `p1/${n}`);
    for (const key of keys) await cache.get(key, load);
    const kept = (ms: number): number => {
      clock.now += ms;
      clock.receivedAsOf = clock.now;
      return keys.filter((key) => cache.peek(key) !== undefined).length;
    };
    assert.equal(kept(299_000), 100);
    const half = kept(151_000);
    assert.ok(half > 10 && half < 90, `${half} of 100 after seven and a half minutes`);
    assert.equal(kept(150_000), 0);
    assert.equal(await cache.get('p1/0', load), 'load 101');
  });

  it('counts the age from before the load, however long that took', async (t) => {
    const { clock, cache, load } = setUp(t);
    const slow = pending();
    const got = cache.get('p1/a', slow.load);
    clock.now += 900;
    slow.finish('slow');
    assert.equal(await got, 'slow');
    assert.equal(await cache.get('p1/a', load), 'load 1');
  });

  it('loads once for concurrent calls', async (t) => {
    const { cache, load, loads } = setUp(t);
    const slow = pending();
    const all = [cache.get('p1/a', slow.load), cache.get('p1/a', load), cache.get('p1/a', load)];
    slow.finish('once');
    assert.deepEqual(await Promise.all(all), ['once', 'once', 'once']);
    assert.equal(await cache.get('p1/a', load), 'once');
    assert.equal(loads(), 0);
  });

  it('passes a failed load to all waiting calls, and loads again for the next', async (t) => {
    const { cache, load } = setUp(t);
    const slow = pending();
    const all = [cache.get('p1/a', slow.load), cache.get('p1/a', load)];
    slow.fail(new Error('away'));
    const outcomes = await Promise.allSettled(all);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(await cache.get('p1/a', load), 'load 1');
  });

  it('caches absence too', async (t) => {
    t.mock.method(performance, 'now', () => 5);
    const cache = new FreshCache<string | undefined>(10, () => 5);
    let loads = 0;
    const load = async () => {
      loads += 1;
      return undefined;
    };
    assert.equal(await cache.get('p1/a', load), undefined);
    assert.equal(await cache.get('p1/a', load), undefined);
    assert.equal(loads, 1);
  });

  it('drops only the entries of a shared user', async (t) => {
    t.mock.method(performance, 'now', () => 5);
    const cache = new FreshCache<string | undefined>(
      10,
      () => 5,
      (value) => value?.split(' ')[0],
    );
    let loads = 0;
    const get = (key: string, owner?: string) => cache.get(key, async () => owner && `${owner} ${++loads}`);
    await get('p1/a', 'u1');
    await get('p2/a', 'u2');
    await get('p2/b', 'u1');
    await get('p3/a');
    const slow = pending();
    const under = cache.get('p4/a', slow.load);
    cache.invalidate({ sharedUser: 'u1' });
    assert.equal(await get('p1/a', 'u1'), 'u1 4');
    assert.equal(await get('p2/a', 'u2'), 'u2 2');
    assert.equal(await get('p2/b', 'u1'), 'u1 5');
    assert.equal(await get('p3/a', 'u1'), undefined, 'that there is nothing is kept');
    slow.finish('u3 stale');
    await under;
    assert.equal(await get('p4/a', 'u3'), 'u3 6', 'whose it was could not be told');
  });

  for (const news of ['everything', { application: 'p1' }] as const) {
    const name = typeof news === 'string' ? news : 'an application';
    it(`drops the entries that an invalidation of ${name} makes stale`, async (t) => {
      const { clock, cache, load } = setUp(t);
      clock.receivedAsOf = clock.now;
      await cache.get('p1/a', load);
      await cache.get('p1/b', load);
      await cache.get('p11/a', load);
      cache.invalidate(news);
      assert.equal(await cache.get('p1/a', load), 'load 4');
      assert.equal(await cache.get('p1/b', load), 'load 5');
      assert.equal(await cache.get('p11/a', load), news === 'everything' ? 'load 6' : 'load 3');
    });

    it(`does not keep an entry loaded while an invalidation of ${name} arrives`, async (t) => {
      const { clock, cache, load } = setUp(t);
      clock.receivedAsOf = clock.now;
      const slow = pending();
      const before = cache.get('p1/a', slow.load);
      cache.invalidate(news);
      const behind = cache.get('p1/a', load);
      assert.equal(await behind, 'load 1', 'who asks after the news does not get what was asked for before it');
      slow.finish('stale');
      assert.equal(await before, 'stale');
      assert.equal(await cache.get('p1/a', load), 'load 1');
    });
  }

  it('drops only the invalidated session', async (t) => {
    const { clock, cache, load } = setUp(t);
    clock.receivedAsOf = clock.now;
    for (const key of ['p1/a', 'p1/b', 'p2/a']) await cache.get(key, load);
    cache.invalidate({ application: 'p1', session: 'a' });
    assert.equal(await cache.get('p1/b', load), 'load 2');
    assert.equal(await cache.get('p2/a', load), 'load 3');
    assert.equal(await cache.get('p1/a', load), 'load 4');
    cache.invalidate({ application: 'p1', session: 'unknown' });
    assert.equal(await cache.get('p1/a', load), 'load 4');
    cache.invalidate({ application: 'p1' });
    assert.equal(await cache.get('p1/a', load), 'load 5');
    assert.equal(await cache.get('p1/b', load), 'load 6');
  });

  it('leaves the load of another application alone', async (t) => {
    const { cache, load } = setUp(t);
    const slow = pending();
    const got = cache.get('p2/a', slow.load);
    cache.invalidate({ application: 'p1' });
    slow.finish('kept');
    await got;
    assert.equal(await cache.get('p2/a', load), 'kept');
  });

  it('holds no more than its bound, and drops the oldest first', async (t) => {
    const { cache, load, loads } = setUp(t, 3);
    for (const key of ['p1/a', 'p1/b', 'p1/c', 'p1/d']) await cache.get(key, load);
    assert.equal(loads(), 4);
    for (const key of ['p1/b', 'p1/c', 'p1/d']) await cache.get(key, load);
    assert.equal(loads(), 4, 'three are there');
    await cache.get('p1/a', load);
    assert.equal(loads(), 5, 'the fourth had to go');
  });
});
