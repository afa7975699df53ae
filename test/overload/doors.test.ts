// The doors behind admission at which applications meet: connections to the database, and passwords to be checked.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault } from '../../src/faults.ts';
import { PasswordCheck } from '../../src/gate/password-check.ts';
import { Shares } from '../../src/store/shares.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('shares of connections', () => {
  it('are larger for who is alone, and smaller again as soon as somebody comes', async () => {
    const shares = new Shares({ alone: 4, besideOthers: 2 });
    const given: number[] = [];
    const take = (name: string, n: number) => {
      const turn = shares.take(name, undefined);
      if (turn === undefined) given.push(n);
      else void turn.then(() => given.push(n));
    };
    for (const n of [1, 2, 3, 4, 5, 6, 7]) take('loud', n);
    assert.deepEqual(given, [1, 2, 3, 4]);
    take('quiet', 10);
    assert.deepEqual(given, [1, 2, 3, 4, 10], 'a newcomer waits for nobody');
    shares.give('loud');
    shares.give('loud');
    await settled();
    assert.deepEqual(given, [1, 2, 3, 4, 10], 'what comes back is not for who has its part');
    shares.give('loud');
    await settled();
    assert.deepEqual(given, [1, 2, 3, 4, 10, 5]);
    shares.give('quiet');
    await settled();
    assert.deepEqual(given, [1, 2, 3, 4, 10, 5, 6, 7], 'who is alone again has it all');
    assert.equal(shares.waiting, 0);
  });
});

describe('passwords to be checked', () => {
  it('go round among the applications, and those of one fill nobody else’s queue', async () => {
    const finish: (() => void)[] = [];
    const begun: string[] = [];
    const passwords = new PasswordCheck({
      hash: async () => 'decoy',
      verify: (_hash, password) => {
        begun.push(String(password));
        return new Promise<boolean>((resolve) => finish.push(() => resolve(true)));
      },
    });
    const check = (share: string, password: string) =>
      passwords.matches({ share, account: `${share} somebody`, hash: 'hash', password });
    const checks = Array.from({ length: 104 }, (_, n) => check('loud', `loud ${n}`));
    const refused = await check('loud', 'too many').catch((error: unknown) => error);
    assert.ok(refused instanceof Fault && refused.code === 'UNAVAILABLE');
    checks.push(check('quiet', 'quiet 1'), check('quiet', 'quiet 2'));
    const atWork = begun.length;
    for (let n = 0; n < 4; n++) {
      finish[n]?.();
      await settled();
    }
    assert.deepEqual(begun.slice(atWork), ['loud 4', 'quiet 1', 'loud 5', 'quiet 2']);
    for (let n = 4; n < checks.length; n++) {
      finish[n]?.();
      await settled();
    }
    assert.deepEqual(await Promise.all(checks), Array(checks.length).fill(true));
  });
});
