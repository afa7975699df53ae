// The doors behind admission at which applications meet: connections to the database, and passwords to be checked.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, fault } from '../../src/faults.ts';
import { type Argon2, PasswordCheck } from '../../src/gate/credentials/password-check.ts';
import { RequestScope } from '../../src/request/request-scope.ts';
import { ActiveApplications, ConnectionLimits } from '../../src/store/database/connection-limits.ts';
import { until } from '../support/until.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the connections of a tenant', () => {
  it('are more while it is alone, and fewer as soon as another comes', async () => {
    let others = false;
    const shares = new ConnectionLimits({ alone: 4, besideOthers: 2, inAll: 100 }, { hasOthers: () => others });
    const given: number[] = [];
    const take = (name: string, n: number) => {
      const turn = shares.take(name, undefined);
      if (turn === undefined) given.push(n);
      else void turn.then(() => given.push(n));
    };
    for (const n of [1, 2, 3, 4, 5, 6, 7]) take('loud', n);
    assert.deepEqual(given, [1, 2, 3, 4]);
    others = true;
    take('quiet', 10);
    assert.deepEqual(given, [1, 2, 3, 4, 10], 'a newcomer waits for nobody');
    shares.release('loud');
    shares.release('loud');
    await settled();
    assert.deepEqual(given, [1, 2, 3, 4, 10], 'what comes back is not for who has its part');
    shares.release('loud');
    await settled();
    assert.deepEqual(given, [1, 2, 3, 4, 10, 5]);
    others = false;
    shares.release('loud');
    await settled();
    assert.deepEqual(given, [1, 2, 3, 4, 10, 5, 6, 7], 'who is alone again has it all');
    assert.equal(shares.waiting, 0);
  });

  it('of all together leave room for a tenant that has none yet, and alternate', async () => {
    const shares = new ConnectionLimits({ alone: 4, besideOthers: 2, inAll: 4 }, { hasOthers: () => true });
    const given: string[] = [];
    const take = (name: string) => {
      const turn = shares.take(name, undefined);
      if (turn === undefined) given.push(name);
      else void turn.then(() => given.push(name));
    };
    for (const name of ['a', 'a', 'b', 'b', 'b', 'c', 'd', 'd']) take(name);
    assert.deepEqual(given, ['a', 'a', 'b', 'c'], 'the second of one comes behind the first of another');
    assert.equal(shares.waiting, 4);
    shares.release('a');
    await settled();
    assert.deepEqual(given, ['a', 'a', 'b', 'c', 'd']);
    for (const name of ['a', 'b', 'c', 'd']) shares.release(name);
    await settled();
    assert.deepEqual(given, ['a', 'a', 'b', 'c', 'd', 'b', 'd']);
    for (const name of ['b', 'd']) shares.release(name);
    await settled();
    assert.deepEqual(given, ['a', 'a', 'b', 'c', 'd', 'b', 'd', 'b']);
    assert.equal(shares.waiting, 0);
  });

  it('are few beside any active tenant, until a moment after its last request', async () => {
    const active = new ActiveApplications();
    active.add('loud');
    assert.equal(active.hasOthers('loud'), false);
    assert.equal(active.hasOthers('quiet'), true);
    active.add('quiet');
    assert.equal(active.hasOthers('loud'), true);
    await until('that to be over', () => !active.hasOthers('loud'));
    active.add('loud');
    assert.equal(active.hasOthers('loud'), false);
  });
});

describe('passwords to be checked', () => {
  it('are not given to a request that is cancelled while it waits', async () => {
    const finish: (() => void)[] = [];
    const begun: string[] = [];
    const passwords = new PasswordCheck(
      {
        hash: async () => 'decoy',
        verify: (_hash, password) => {
          begun.push(password);
          return new Promise<boolean>((resolve) => finish.push(() => resolve(false)));
        },
      },
      { atOnceMax: 4 },
    );
    const scopes = Array.from({ length: 7 }, (_, n) => new RequestScope(String(n), 1_000));
    const checks = scopes.map(({ id, signal }) =>
      passwords.matches({ tenant: 'one', account: 'somebody', hash: 'hash', password: id, signal }),
    );
    const why = fault('UNAVAILABLE', { reason: 'left' });
    // The first is being checked, which goes on.
    for (const n of [0, 4, 6]) scopes[n]?.cancel(why);
    await assert.rejects(checks[4]!, (error) => error === why);
    await assert.rejects(checks[6]!, (error) => error === why);
    for (let n = 0; n < 5; n++) {
      finish[n]?.();
      await settled();
    }
    assert.deepEqual(begun, ['0', '1', '2', '3', '5']);
    assert.deepEqual(await Promise.all([0, 1, 2, 3, 5].map((n) => checks[n])), Array(5).fill(false));
  });

  it('alternate among tenants, and those of one do not fill the queue of another', async () => {
    const finish: (() => void)[] = [];
    const begun: string[] = [];
    const argon2: Argon2 = {
      hash: async () => 'decoy',
      verify: (_hash, password) => {
        begun.push(String(password));
        return new Promise<boolean>((resolve) => finish.push(() => resolve(true)));
      },
    };
    const passwords = new PasswordCheck(argon2, { atOnceMax: 4 });
    const check = (tenant: string, password: string) =>
      passwords.matches({ tenant, account: `${tenant} somebody`, hash: 'hash', password });
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

  it('of one tenant pause beside others, while those of another go on', async () => {
    const begun: string[] = [];
    const argon2: Argon2 = {
      hash: async () => {
        await sleep(20);
        return 'decoy';
      },
      verify: async (_hash, password) => {
        begun.push(password);
        await sleep(20);
        return true;
      },
    };
    let beside = true;
    const passwords = new PasswordCheck(argon2, { atOnceMax: 1, others: { isBesideOthers: () => beside } });
    const check = (tenant: string, password: string) =>
      passwords.matches({ tenant, account: password, hash: 'hash', password });
    const loud = Array.from({ length: 100 }, (_, n) => check('loud', `loud ${n}`));
    await Promise.all(loud.slice(0, 20));
    const ahead = begun.length;
    const from = performance.now();
    await check('quiet', 'quiet');
    assert.ok(begun.indexOf('quiet') <= ahead + 1, 'another tenant waits for one at most');
    await Promise.all(loud.slice(20, 40));
    const each = (performance.now() - from) / 20;
    assert.ok(each > 35, `a tenant that is ahead pauses as long as each takes: ${each} ms instead of 40`);
    beside = false;
    await Promise.all(loud);
    assert.deepEqual(
      begun.filter((password) => password !== 'quiet'),
      loud.map((_, n) => `loud ${n}`),
    );
  });

  it('of one tenant pause together, in their order, and use all slots again once the others have left', async () => {
    const begun: number[] = [];
    let running = 0;
    let runningMax = 0;
    const argon2: Argon2 = {
      hash: async () => {
        await sleep(20);
        return 'decoy';
      },
      verify: async (_hash, password) => {
        begun.push(Number(password));
        running += 1;
        runningMax = Math.max(runningMax, running);
        await sleep(20);
        running -= 1;
        return true;
      },
    };
    let beside = true;
    const passwords = new PasswordCheck(argon2, { atOnceMax: 3, others: { isBesideOthers: () => beside } });
    const checks: Promise<boolean>[] = [];
    const from = performance.now();
    // More come while the first ones wait.
    while (checks.length < 90) {
      const password = String(checks.length);
      checks.push(passwords.matches({ tenant: 'loud', account: password, hash: 'hash', password }));
      if (checks.length > 30) await sleep(10);
    }
    await Promise.all(checks.slice(0, 20));
    const share = (begun.length * 20) / (performance.now() - from);
    assert.ok(share < 0.95, `half of a processor for all slots together, and what a tenant may be ahead: ${share}`);
    beside = false;
    runningMax = 0;
    await Promise.all(checks);
    assert.equal(runningMax, 3);
    assert.deepEqual(begun, [...checks.keys()]);
  });

  it('alternate with new passwords, which are hashed in the same queue', async () => {
    const finish: (() => void)[] = [];
    const begun: string[] = [];
    const slowly = <T>(what: string, result: T) => {
      begun.push(what);
      return new Promise<T>((resolve) => finish.push(() => resolve(result)));
    };
    const decoy: Argon2['hash'] = async () => 'decoy';
    const argon2 = { hash: decoy, verify: (_hash: string, password: string) => slowly(`check ${password}`, true) };
    const passwords = new PasswordCheck(argon2, { atOnceMax: 2 });
    argon2.hash = (password) => slowly(`hash ${password}`, `hashed ${password}`);
    const made = Array.from({ length: 4 }, (_, n) => passwords.hash({ tenant: 'loud', password: `loud ${n}` }));
    const quiet = passwords.matches({ tenant: 'quiet', account: 'somebody', hash: 'hash', password: 'quiet' });
    const again = passwords.matches({ tenant: 'quiet', account: 'somebody', hash: 'hash', password: 'quiet' });
    await settled();
    assert.deepEqual(begun, ['hash loud 0', 'hash loud 1'], 'two at once');
    for (let n = 0; n < 5; n++) {
      finish[n]?.();
      await settled();
    }
    assert.deepEqual(begun.slice(2), ['hash loud 2', 'check quiet', 'hash loud 3'], 'and what was proved is known');
    assert.deepEqual(await Promise.all([quiet, again]), [true, true]);
    assert.deepEqual(
      await Promise.all(made),
      [0, 1, 2, 3].map((n) => `hashed loud ${n}`),
    );
  });
});
