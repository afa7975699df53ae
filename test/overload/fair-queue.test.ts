// The order in which a fair queue lets tenants go.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FairQueue } from '../../src/load/fair-queue.ts';

const drain = (turns: FairQueue<string>): string[] => {
  const order: string[] = [];
  for (let next = turns.next(); next !== undefined; next = turns.next()) order.push(next);
  return order;
};

describe('the fair queue', () => {
  const filled = (...waiters: string[]) => {
    const turns = new FairQueue<string>({ eachMax: 4, allMax: 6 });
    for (const waiter of waiters) assert.ok(turns.add(waiter[0] ?? '', waiter), waiter);
    return turns;
  };

  it('go round among the applications, in order within each', () => {
    assert.deepEqual(drain(filled('a1', 'a2', 'a3', 'b1', 'b2', 'c1')), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('puts a new tenant after those that wait', () => {
    const turns = filled('a1', 'a2', 'b1');
    assert.equal(turns.next(), 'a1');
    turns.add('c', 'c1');
    assert.deepEqual(drain(turns), ['b1', 'a2', 'c1']);
  });

  it('are bounded for each application and in all', () => {
    const turns = filled('a1', 'a2', 'a3', 'a4', 'b1');
    assert.equal(turns.add('a', 'a5'), false);
    assert.equal(turns.add('b', 'b2'), true);
    assert.equal(turns.add('c', 'c1'), false);
    assert.equal(turns.size, 6);
    assert.equal(turns.lengthOf('a'), 4);
    turns.next();
    assert.equal(turns.add('a', 'a6'), true);
  });

  it('skips a tenant that may not go, and keeps its entries', () => {
    const turns = filled('a1', 'b1', 'a2');
    const notA = (tenant: string) => tenant !== 'a';
    assert.equal(turns.next(notA), 'b1');
    assert.equal(turns.next(notA), undefined);
    assert.deepEqual(drain(turns), ['a1', 'a2']);
  });

  it('takes the tenant with the least cost, and alternates among equals', () => {
    const turns = filled('a1', 'a2', 'b1', 'b2', 'c1', 'c2');
    const costs: Record<string, number> = { a: 2, b: 1, c: 1 };
    const order: (string | undefined)[] = [];
    for (let turn = 0; turn < 4; turn += 1) order.push(turns.next(undefined, (tenant) => costs[tenant] ?? 0));
    assert.deepEqual(order, ['b1', 'c1', 'b2', 'c2']);
    assert.equal(
      turns.next(
        (tenant) => tenant !== 'a',
        () => 0,
      ),
      undefined,
    );
    assert.deepEqual(drain(turns), ['a1', 'a2']);
  });

  it('lets an entry overtake others of its tenant, and no other tenant', () => {
    const turns = filled('a1', 'b1', 'a3');
    const isLater = (than: string) => (other: string) => other > than;
    assert.ok(turns.add('a', 'a2', isLater('a2')));
    assert.ok(turns.add('a', 'a0', isLater('a0')));
    assert.ok(turns.add('c', 'c1', isLater('c1')));
    assert.deepEqual(drain(turns), ['a0', 'b1', 'c1', 'a1', 'a2', 'a3']);
  });

  it('are left once', () => {
    const turns = filled('a1', 'a2', 'b1');
    assert.equal(turns.remove('a', 'a1'), true);
    assert.equal(turns.remove('a', 'a1'), false);
    assert.equal(turns.remove('c', 'c1'), false);
    assert.equal(turns.size, 2);
    assert.deepEqual([...turns], ['a2', 'b1']);
    assert.deepEqual(drain(turns), ['a2', 'b1']);
  });
});
