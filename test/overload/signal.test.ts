// Listening to signals: a request's own, which behaves as an AbortSignal does, and a real one.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tooBusy } from '../../src/faults.ts';
import { onAbort, RequestSignal } from '../../src/request/signal.ts';

const ofRequest = () => {
  const signal = new RequestSignal();
  return { signal, abort: (reason: ReturnType<typeof tooBusy>) => signal.abort(reason) };
};
const ofPlatform = () => {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason: unknown) => controller.abort(reason) };
};

for (const [name, create] of Object.entries({ RequestSignal: ofRequest, AbortSignal: ofPlatform })) {
  describe(`onAbort with ${name}`, () => {
    it('calls listeners once, in order, with the reason', () => {
      const { signal, abort } = create();
      const calls: unknown[] = [];
      for (const n of [1, 2]) onAbort(signal, (reason) => calls.push(n, reason));
      const [first, second] = [tooBusy(), tooBusy()];
      abort(first);
      abort(second);
      assert.deepEqual(calls, [1, first, 2, first]);
      assert.equal(signal.reason, first);
      assert.throws(
        () => signal.throwIfAborted(),
        (error) => error === first,
      );
    });

    it('does not call a listener that has unsubscribed, also while others are called', () => {
      const { signal, abort } = create();
      const calls: string[] = [];
      const before = onAbort(signal, () => calls.push('before'));
      onAbort(signal, () => {
        calls.push('one');
        other();
      });
      const other = onAbort(signal, () => calls.push('other'));
      onAbort(signal, () => calls.push('last'));
      before();
      abort(tooBusy());
      assert.deepEqual(calls, ['one', 'last']);
    });

    it('calls no listener that is added after the abort', () => {
      const { signal, abort } = create();
      abort(tooBusy());
      onAbort(signal, () => assert.fail('called'));
      abort(tooBusy());
      assert.equal(signal.aborted, true);
    });
  });
}
