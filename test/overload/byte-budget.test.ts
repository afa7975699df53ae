// Who may hold how many bytes, and who is next.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { tooBusy } from '../../src/faults.ts';
import { ByteBudget, BytesNeeded } from '../../src/load/byte-budget.ts';
import { RequestScope } from '../../src/request/request-scope.ts';

describe('a budget of bytes', () => {
  const budget = () => new ByteBudget({ eachBytesMax: 50, allBytesMax: 100, slowReaderMs: 1_000 });
  function request(tenant: string): RequestScope {
    const scope = new RequestScope(tenant, 1_000);
    scope.tenant = tenant;
    return scope;
  }
  const waiting = (bytes: ByteBudget, order: string[]) => (scope: RequestScope, amount: number) => {
    bytes.wait(scope, amount).then(
      () => order.push(scope.id),
      () => order.push(`${scope.id} refused`),
    );
  };

  it('bounds each application, and all', () => {
    const bytes = budget();
    const a = request('a');
    bytes.require(a, 30);
    bytes.require(a, 20);
    assert.equal(bytes.bytes, 30);
    assert.throws(() => bytes.require(request('a'), 30), BytesNeeded);
    bytes.require(request('b'), 50);
    assert.throws(() => bytes.require(request('c'), 30), BytesNeeded);
    bytes.require(request('c'), 20);
    bytes.releaseBytes(a, 10);
    assert.equal(bytes.bytes, 90);
    bytes.release(a);
    bytes.release(a);
    assert.equal(bytes.bytes, 70);
  });

  it('admits a request larger than the budget when nothing else is held', () => {
    const bytes = budget();
    const large = request('a');
    bytes.require(large, 1_000);
    assert.throws(() => bytes.require(request('b'), 1), BytesNeeded);
    bytes.release(large);
    assert.equal(bytes.bytes, 0);
  });

  it('alternates among tenants, and lets no request overtake a large one', async () => {
    const bytes = budget();
    const order: string[] = [];
    const wait = waiting(bytes, order);
    const [first, second] = [request('x'), request('y')];
    bytes.require(first, 50);
    bytes.require(second, 50);
    wait(request('a'), 50);
    wait(request('a'), 50);
    wait(request('b'), 500);
    wait(request('c'), 10);
    assert.throws(() => bytes.require(request('d'), 1), BytesNeeded);
    bytes.release(first);
    await turn();
    assert.deepEqual(order, ['a']);
    bytes.release(second);
    await turn();
    assert.deepEqual(order, ['a']);
    assert.equal(bytes.waiting, 3);
  });

  it('reserves nothing for a request that was cancelled, whose work still goes on', async () => {
    const bytes = budget();
    const left = request('a');
    bytes.require(left, 20);
    left.cancel(tooBusy());
    bytes.release(left);
    assert.throws(() => bytes.require(left, 20), { code: 'UNAVAILABLE' });
    await assert.rejects(bytes.wait(left, 20), { code: 'UNAVAILABLE' });
    assert.equal(bytes.bytes, 0);
  });

  it('removes a waiting request that is cancelled', async () => {
    const bytes = budget();
    const order: string[] = [];
    const [holder, stopped] = [request('a'), request('a')];
    bytes.require(holder, 50);
    waiting(bytes, order)(stopped, 10);
    assert.equal(stopped.waiting, true);
    stopped.cancel(tooBusy());
    await turn();
    assert.deepEqual(order, ['a refused']);
    assert.deepEqual([bytes.waiting, bytes.bytes, stopped.waiting], [0, 50, false]);
  });
});
