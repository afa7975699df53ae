// Operations of one kind that arrive while one is under way travel together, each with a result of its own.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { fault } from '../../src/faults.ts';
import { RequestScope } from '../../src/request/request-scope.ts';
import { Joining } from '../../src/store/database/joining.ts';

interface Item {
  readonly scope: RequestScope;
  readonly name: string;
}

const item = (name: string): Item => ({ name, scope: new RequestScope(name, 30_000) });
const names = (items: readonly Item[]) => items.map(({ name }) => name).join('');

/** Statements that end when the test says so. */
function controlled({
  underWayMax = 1,
  ...options
}: {
  underWayMax?: number;
  collectsTurn?: boolean;
  keyOf?: (one: Item) => string;
} = {}) {
  const sent: string[] = [];
  const pending = new Map<string, { resolve: (result: never) => void; reject: (error: unknown) => void }>();
  const send = <T>(name: string) =>
    new Promise<T>((resolve, reject) => {
      sent.push(name);
      pending.set(name, { resolve, reject });
    });
  const joining = new Joining<Item, string>({
    underWayMax,
    alone: ({ name }) => send(name),
    together: (items) => send(`(${names(items)})`),
    ...options,
  });
  const end = async (name: string, how: 'resolve' | 'reject', value: unknown) => {
    pending.get(name)?.[how](value as never);
    await pause(0);
  };
  return {
    joining,
    sent,
    succeed: (name: string, result: unknown) => end(name, 'resolve', result),
    fail: (name: string, error: unknown) => end(name, 'reject', error),
  };
}

describe('joining', () => {
  it('sends what comes alone at once, and what comes meanwhile together', async () => {
    const { joining, sent, succeed } = controlled();
    const results = ['a', 'b', 'c'].map((name) => joining.run(item(name)));
    assert.deepEqual(sent, ['a']);
    await succeed('a', 'A');
    assert.deepEqual(sent, ['a', '(bc)']);
    await succeed('(bc)', ['B', 'C']);
    assert.deepEqual(await Promise.all(results), ['A', 'B', 'C']);
    const last = joining.run(item('d'));
    assert.deepEqual(sent, ['a', '(bc)', 'd']);
    await succeed('d', 'D');
    assert.equal(await last, 'D');
  });

  it('has as many under way as it may', async () => {
    const { joining, sent, succeed } = controlled({ underWayMax: 2 });
    const results = ['a', 'b', 'c'].map((name) => joining.run(item(name)));
    assert.deepEqual(sent, ['a', 'b']);
    await succeed('b', 'B');
    assert.deepEqual(sent, ['a', 'b', 'c']);
    await succeed('a', 'A');
    await succeed('c', 'C');
    assert.deepEqual(await Promise.all(results), ['A', 'B', 'C']);
  });

  it('may send what comes in one turn of the event loop together, without waiting for more', async () => {
    const { joining, sent, succeed } = controlled({ collectsTurn: true });
    const results = [joining.run(item('a'))];
    await Promise.resolve();
    results.push(joining.run(item('b')));
    assert.deepEqual(sent, []);
    await turn();
    assert.deepEqual(sent, ['(ab)']);
    results.push(joining.run(item('c')));
    await turn();
    assert.deepEqual(sent, ['(ab)']);
    await succeed('(ab)', ['A', 'B']);
    assert.deepEqual(sent, ['(ab)', 'c']);
    await succeed('c', 'C');
    assert.deepEqual(await Promise.all(results), ['A', 'B', 'C']);
    const last = joining.run(item('d'));
    await turn();
    assert.deepEqual(sent, ['(ab)', 'c', 'd']);
    await succeed('d', 'D');
    assert.equal(await last, 'D');
  });

  it('sends nothing for a request that is cancelled in its first turn', async () => {
    const { joining, sent, succeed } = controlled({ collectsTurn: true });
    const cancelled = item('x');
    const refused = joining.run(cancelled);
    const kept = joining.run(item('a'));
    const reason = fault('UNAVAILABLE', { reason: 'deadline' });
    cancelled.scope.cancel(reason);
    await assert.rejects(refused, reason);
    await turn();
    assert.deepEqual(sent, ['a']);
    await succeed('a', 'A');
    assert.equal(await kept, 'A');
  });

  it('lets a member that was not served go alone, beside the others', async () => {
    const { joining, sent, succeed } = controlled();
    const results = ['a', 'b', 'c'].map((name) => joining.run(item(name)));
    await succeed('a', 'A');
    await succeed('(bc)', ['B', undefined]);
    assert.deepEqual(sent, ['a', '(bc)', 'c']);
    await succeed('c', 'C');
    assert.deepEqual(await Promise.all(results), ['A', 'B', 'C']);
  });

  it('gives all members of a statement its rejection, and goes on', async () => {
    const { joining, succeed, fail } = controlled();
    const first = joining.run(item('a'));
    const others = ['b', 'c'].map((name) => joining.run(item(name)));
    const outcomes = Promise.allSettled(others);
    await succeed('a', 'A');
    const next = joining.run(item('d'));
    await fail('(bc)', new Error('gone'));
    assert.deepEqual(
      (await outcomes).map((outcome) => outcome.status === 'rejected' && outcome.reason.message),
      ['gone', 'gone'],
    );
    await succeed('d', 'D');
    assert.deepEqual(await Promise.all([first, next]), ['A', 'D']);
  });

  it('ends the wait of a cancelled request, and sends nothing for it', async () => {
    const { joining, sent, succeed } = controlled();
    const results = ['a', 'b'].map((name) => joining.run(item(name)));
    const cancelled = item('x');
    const refused = joining.run(cancelled);
    const kept = joining.run(item('c'));
    const reason = fault('UNAVAILABLE', { reason: 'deadline' });
    cancelled.scope.cancel(reason);
    await assert.rejects(refused, reason);
    await assert.rejects(joining.run(cancelled), reason);
    await succeed('a', 'A');
    assert.deepEqual(sent, ['a', '(bc)']);
    await succeed('(bc)', ['B', 'C']);
    assert.deepEqual(await Promise.all([...results, kept]), ['A', 'B', 'C']);
  });

  it('ends the wait of a request that is cancelled on the way, and disturbs no other', async () => {
    const { joining, sent, succeed } = controlled();
    const cancelled = item('x');
    const first = joining.run(item('a'));
    const refused = joining.run(cancelled);
    const kept = joining.run(item('b'));
    await succeed('a', 'A');
    const reason = fault('UNAVAILABLE', { reason: 'deadline' });
    cancelled.scope.cancel(reason);
    await assert.rejects(refused, reason);
    // Not served, but there is no request any more.
    await succeed('(xb)', [undefined, 'B']);
    assert.deepEqual(await Promise.all([first, kept]), ['A', 'B']);
    assert.deepEqual(sent, ['a', '(xb)']);
  });

  it('keeps members with the same key out of one statement, in their order', async () => {
    const { joining, sent, succeed } = controlled({ keyOf: ({ name }) => name[0] ?? '' });
    const results = ['a1', 'b1', 'b2', 'c1'].map((name) => joining.run(item(name)));
    await succeed('a1', 'A');
    assert.deepEqual(sent, ['a1', '(b1c1)']);
    await succeed('(b1c1)', ['B1', 'C1']);
    assert.deepEqual(sent, ['a1', '(b1c1)', 'b2']);
    await succeed('b2', 'B2');
    assert.deepEqual(await Promise.all(results), ['A', 'B1', 'B2', 'C1']);
  });

  it('does not wait for a statement that is stuck', async () => {
    const { joining, sent, succeed } = controlled();
    const [stuck, ...others] = ['a', 'b', 'c'].map((name) => joining.run(item(name)));
    for (let turn = 0; turn < 500 && sent.length < 2; turn++) await pause(10);
    assert.deepEqual(sent, ['a', '(bc)']);
    await succeed('(bc)', ['B', 'C']);
    assert.deepEqual(await Promise.all(others), ['B', 'C']);
    await succeed('a', 'A');
    assert.equal(await stuck, 'A');
  });

  it('bounds the members of one statement', async () => {
    const { joining, sent, succeed } = controlled();
    const results = Array.from({ length: 100 }, (_, n) => joining.run(item(`${n}`)));
    await succeed('0', '0');
    const joint = sent[1] ?? '';
    assert.equal(joint, `(${Array.from({ length: 64 }, (_, n) => n + 1).join('')})`);
    await succeed(
      joint,
      Array.from({ length: 64 }, (_, n) => `${n + 1}`),
    );
    await succeed(
      sent[2] ?? '',
      Array.from({ length: 35 }, (_, n) => `${n + 65}`),
    );
    assert.deepEqual(
      await Promise.all(results),
      Array.from({ length: 100 }, (_, n) => `${n}`),
    );
  });
});
