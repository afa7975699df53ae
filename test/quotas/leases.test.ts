// The count in the database, from which nodes take leases and to which they return them: the leases never exceed the
// quota, in any order of events.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { freshLease, HOUR_MS, hourOf } from '../../src/domain/quota.ts';
import { giveBack, type Lease, takeLease, takenByGroup } from '../../src/store/applications/quotas.ts';
import { Database } from '../../src/store/database/database.ts';
import type { Writer } from '../../src/store/database/handles.ts';
import type { QuotaGroup } from '../../src/wire/publish-document.ts';
import { publishApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const NOON = Date.parse('2026-03-02T12:00:00.000Z');
const TAKERS = 4;

describe('leases', () => {
  let server: TestServer;
  let database: Database;
  let store: Writer;
  let groups = 0;

  before(async () => {
    server = await startTestServer();
    const { connection } = server.database;
    database = Database.open({ connection, connectionsMax: 8, onConnectionError: () => undefined });
    const { id } = await publishApplication(server, { collections: [] });
    store = database.application(id);
  });
  after(async () => {
    await database.close();
    await server.close();
  });

  /** A separate count for each case. */
  const counting = (quota: number) => {
    groups += 1;
    const group = `group-${groups}` as QuotaGroup;
    return {
      take: (now: number, asked = 1, of = quota) => takeLease(store, { group, quota: of, asked, now }),
      back: ({ since }: Lease, unused: number) => giveBack(store, { group, since, unused }),
      taken: async (now: number) => (await takenByGroup(store, now)).get(group),
    };
  };

  it('shrink as the quota is used up', async () => {
    const { take, taken } = counting(100);
    const granted: number[] = [];
    for (let lease = await take(NOON); lease !== undefined; lease = await take(NOON)) granted.push(lease.granted);
    assert.deepEqual(granted.slice(0, 4), [5, 4, 4, 4]);
    assert.equal(granted.at(-1), 1);
    assert.equal(
      granted.reduce((sum, units) => sum + units, 0),
      100,
    );
    assert.equal(await taken(NOON), 100);
    assert.equal(await take(NOON, 50), undefined);
  });

  it('cover the waiting requests, as far as the quota allows', async () => {
    const { take } = counting(100);
    const [first, second] = [await take(NOON, 80), await take(NOON, 80)];
    assert.deepEqual([first?.granted, first?.taken], [80, 80]);
    assert.deepEqual([second?.granted, second?.taken], [20, 100]);
  });

  it('restart with the hour', async () => {
    const { take, taken } = counting(10);
    const last = NOON + HOUR_MS - 1;
    assert.equal((await take(NOON, 10))?.granted, 10);
    assert.equal(await take(last), undefined);
    const next = await take(NOON + HOUR_MS, 3);
    assert.deepEqual([next?.granted, next?.taken, next?.since], [3, 3, NOON + HOUR_MS]);
    assert.equal(await taken(NOON + HOUR_MS), 3);
  });

  it('belong to the current hour also for a node whose clock is slow', async () => {
    const { take } = counting(10);
    await take(NOON - 1, 10);
    const ahead = await take(NOON + 5, 4);
    const behind = await take(NOON - 1, 4);
    assert.deepEqual([behind?.since, behind?.taken], [ahead?.since, 8]);
    assert.equal((await take(NOON - 1, 4))?.granted, 2);
    assert.equal(await take(NOON - 1, 4), undefined, 'the previous hour does not come back');
  });

  it('ignore an hour that a node with a fast clock began', async () => {
    const { take, taken } = counting(10);
    await take(NOON + 48 * HOUR_MS, 10);
    assert.equal(await taken(NOON), undefined);
    const lease = await take(NOON, 4);
    assert.deepEqual([lease?.since, lease?.granted, lease?.taken], [NOON, 4, 4]);
    assert.equal(await taken(NOON), 4);
    assert.equal((await take(NOON, 10))?.granted, 6);
    assert.equal(await take(NOON), undefined);
  });

  it('are returned only to the count that they came from', async () => {
    const { take, back, taken } = counting(10);
    const lease = await take(NOON, 6);
    await back(lease!, 4);
    assert.equal(await taken(NOON), 2);
    assert.equal((await take(NOON, 8))?.granted, 8);
    const next = await take(NOON + HOUR_MS, 5);
    await back(lease!, 2);
    assert.equal(await taken(NOON + HOUR_MS), 5, 'not from an hour that is over');
    await back({ ...next!, since: next!.since + 1 }, 5);
    assert.equal(await taken(NOON + HOUR_MS), 5, 'nor from a removed application with the same ID');
  });

  it('follow the quota, up and down', async () => {
    const { take } = counting(10);
    assert.equal((await take(NOON, 6))?.granted, 6);
    assert.equal(await take(NOON, 1, 5), undefined, 'more is taken than the new quota allows');
    assert.equal((await take(NOON, 1, 7))?.granted, 1);
    assert.equal(await take(NOON, 1, 7), undefined);
    assert.equal((await take(NOON, 100, 50))?.granted, 43);
    assert.equal(await take(NOON, 1, 0), undefined);
    assert.equal(await take(NOON + HOUR_MS, 1, 0), undefined, 'a quota of none, in a new hour');
    assert.equal((await take(NOON + HOUR_MS, 1, 1_000_000_000))?.granted, 50_000_000);
  });

  it('are exact under concurrency', async () => {
    const { take } = counting(500);
    const leases = await Promise.all(Array.from({ length: 200 }, (_, index) => take(NOON + index, (index % 5) + 1)));
    let out = leases.reduce((sum, lease) => sum + (lease?.granted ?? 0), 0);
    for (let lease = await take(NOON); lease !== undefined; lease = await take(NOON)) out += lease.granted;
    assert.equal(out, 500);
  });

  type Step =
    | { kind: 'take'; taker: number; asked: number }
    | { kind: 'use' | 'back'; taker: number; part: number }
    | { kind: 'later'; hours: number }
    | { kind: 'quota'; quota: number };

  const taker = fc.nat(TAKERS - 1);
  const part = fc.integer({ min: 0, max: 100 });
  const steps = fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ kind: fc.constant('take' as const), taker, asked: fc.integer({ min: 1, max: 12 }) }),
      },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('use' as const), taker, part }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('back' as const), taker, part }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('later' as const), hours: fc.constantFrom(0.2, 1, 3) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('quota' as const), quota: fc.nat(150) }) },
    ) as fc.Arbitrary<Step>,
    { maxLength: 40 },
  );
  /** Steps without a wait between them run concurrently. */
  const rounds = fc.array(steps, { maxLength: 4 });

  it('agree with a simple model, step by step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 150 }), steps, async (initial, plan) => {
        const { take, back, taken } = counting(initial);
        const held = Array.from({ length: TAKERS }, () => [] as { lease: Lease; unused: number }[]);
        let [now, quota, count, began] = [NOON, initial, 0, false];
        for (const step of plan) {
          if (step.kind === 'later') {
            if (hourOf(now + step.hours * HOUR_MS) !== hourOf(now)) [count, began] = [0, false];
            now += step.hours * HOUR_MS;
          } else if (step.kind === 'quota') quota = step.quota;
          else if (step.kind === 'take') {
            const rest = Math.max(0, quota - count);
            const expected = began
              ? Math.min(rest, Math.max(step.asked, Math.floor(rest / 20)))
              : freshLease(quota, step.asked);
            const lease = await take(now, step.asked, quota);
            began ||= true;
            count += expected;
            assert.equal(lease?.granted ?? 0, expected);
            if (lease !== undefined) held[step.taker]?.push({ lease, unused: lease.granted });
          } else {
            const one = held[step.taker]?.shift();
            if (one === undefined) continue;
            const units = Math.floor((one.unused * step.part) / 100);
            if (step.kind === 'back') {
              await back(one.lease, units);
              if (hourOf(one.lease.since) === hourOf(now)) count -= units;
            } else if (one.unused > units) held[step.taker]?.push({ ...one, unused: one.unused - units });
          }
          assert.equal((await taken(now)) ?? 0, count);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('never exceed the quota, whatever happens concurrently', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 150 }), rounds, async (quota, plan) => {
        const { take, back } = counting(quota);
        let now = NOON;
        for (const round of plan) {
          /** Used or still held. */
          let out = 0;
          const act = async (steps: readonly Step[]) => {
            for (const step of steps) {
              if (step.kind !== 'take') continue;
              const lease = await take(now, step.asked);
              if (lease === undefined) continue;
              out += lease.granted;
              assert.ok(out <= quota, `${out} of ${quota}`);
              const unused = step.asked % (lease.granted + 1);
              // As on a node: a returned lease is no longer used before the database knows of it.
              out -= unused;
              await back(lease, unused);
            }
          };
          const shares = Array.from({ length: TAKERS }, (_, index) =>
            round.filter((step) => 'taker' in step && step.taker === index),
          );
          await Promise.all(shares.map(act));
          now += HOUR_MS;
        }
      }),
      { numRuns: 15 },
    );
  });
});
