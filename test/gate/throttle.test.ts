// The throttle by itself, with a clock of the test's own.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault } from '../../src/faults.ts';
import { Pace } from '../../src/gate/throttling/pace.ts';
import { Throttle } from '../../src/gate/throttling/throttle.ts';

const MINUTE = 60_000;
const HERE = '192.0.2.1';
const THERE = '192.0.2.2';

function setUp(limits = { account: 10, address: 50 }) {
  const clock = { now: 1_000_000 };
  const throttle = new Throttle(limits, () => clock.now);
  /** Seconds to wait, or 0. */
  const wait = (address: string, account: string): number => {
    try {
      throttle.check(address, account);
      return 0;
    } catch (error) {
      assert.ok(error instanceof Fault);
      assert.equal(error.status, 429);
      assert.equal(error.code, 'TOO_MANY_REQUESTS');
      assert.deepEqual(error.params, { reason: 'authentication' });
      assert.match(error.headers['retry-after'] ?? '', /^[1-9]\d*$/);
      return Number(error.headers['retry-after']);
    }
  };
  const fail = (times: number, address = HERE, account = 'a') => {
    for (let time = 0; time < times; time++) throttle.fail(address, account);
  };
  return { clock, throttle, wait, fail };
}

describe('throttle', () => {
  it('lets ten failures of one account from one address pass, and then makes it wait', () => {
    const { wait, fail } = setUp();
    for (let failure = 1; failure < 10; failure++) {
      fail(1);
      assert.equal(wait(HERE, 'a'), 0, `after ${failure} failures`);
    }
    fail(1);
    assert.equal(wait(HERE, 'a'), 1);
    assert.equal(wait(HERE, 'b'), 0, 'another account from the same address');
    assert.equal(wait(THERE, 'a'), 0, 'the same account from another address');
  });

  it('doubles the wait from one second to sixty with each failure behind it', () => {
    const { clock, wait, fail } = setUp();
    fail(10);
    const waits: number[] = [];
    for (let round = 0; round < 8; round++) {
      const seconds = wait(HERE, 'a');
      waits.push(seconds);
      clock.now += seconds * 1000 - 1;
      assert.equal(wait(HERE, 'a'), 1, 'a moment before the wait is over');
      clock.now += 1;
      assert.equal(wait(HERE, 'a'), 0, 'when the wait is over');
      fail(1);
    }
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it('counts down the seconds that are left, rounded up', () => {
    const { clock, wait, fail } = setUp({ account: 1, address: 50 });
    for (let failure = 0; failure < 5; failure++) fail(1);
    assert.equal(wait(HERE, 'a'), 16);
    clock.now += 500;
    assert.equal(wait(HERE, 'a'), 16);
    clock.now += 500;
    assert.equal(wait(HERE, 'a'), 15);
    clock.now += 14_999;
    assert.equal(wait(HERE, 'a'), 1);
  });

  it('does not count failures that are five minutes old', () => {
    const { clock, wait, fail } = setUp();
    fail(9);
    clock.now += 5 * MINUTE - 1;
    fail(1);
    assert.equal(wait(HERE, 'a'), 1, 'ten within five minutes');

    const later = setUp();
    later.fail(9);
    later.clock.now += 5 * MINUTE;
    later.fail(9);
    assert.equal(later.wait(HERE, 'a'), 0, 'nine and nine, five minutes apart');
    later.fail(1);
    assert.equal(later.wait(HERE, 'a'), 1);
  });

  it('begins anew after five minutes of quiet', () => {
    const { clock, wait, fail } = setUp();
    fail(13);
    assert.equal(wait(HERE, 'a'), 8);
    clock.now += 5 * MINUTE;
    fail(9);
    assert.equal(wait(HERE, 'a'), 0);
    fail(1);
    assert.equal(wait(HERE, 'a'), 1);
  });

  it('makes an address wait after fifty failures for whichever accounts', () => {
    const { clock, wait, fail } = setUp();
    for (let account = 0; account < 49; account++) fail(1, HERE, `account ${account}`);
    assert.equal(wait(HERE, 'never seen'), 0);
    fail(1, HERE, 'the fiftieth');
    assert.equal(wait(HERE, 'never seen'), 1);
    assert.equal(wait(THERE, 'never seen'), 0);
    clock.now += 1000;
    assert.equal(wait(HERE, 'never seen'), 0);
    fail(1, HERE, 'one more');
    assert.equal(wait(HERE, 'never seen'), 2);
  });

  it('waits for the longer of the two', () => {
    const { wait, fail } = setUp({ account: 1, address: 3 });
    fail(3);
    assert.equal(wait(HERE, 'a'), 4, 'the account failed three times too often');
    assert.equal(wait(HERE, 'b'), 1, 'the address once');
  });

  it('forgets an account that succeeded, but not its address', () => {
    const { throttle, wait, fail } = setUp({ account: 3, address: 5 });
    fail(2);
    throttle.succeed(HERE, 'a');
    fail(2);
    assert.equal(wait(HERE, 'a'), 0);
    throttle.succeed(HERE, 'a');
    fail(1);
    assert.equal(wait(HERE, 'a'), 1, 'five from the address');
  });

  it('takes a network of IPv6 for one address, because who has one has all of its addresses', () => {
    const { throttle, wait, fail } = setUp({ account: 3, address: 50 });
    for (const address of ['2001:db8:0:1::5', '2001:db8:0:1:2:3:4:5', '2001:db8::1:0:0:0:5']) fail(1, address);
    assert.equal(wait('2001:db8:0:1:ffff::', 'a'), 1);
    for (const other of ['2001:db8:0:2::5', '2001:db8::5', '2001:db8::', '::1', HERE])
      assert.equal(wait(other, 'a'), 0, other);
    throttle.succeed('2001:db8:0:1::6', 'a');
    assert.equal(wait('2001:db8:0:1::5', 'a'), 0);
    fail(3, '::1');
    assert.equal(wait('::2', 'a'), 1);
  });

  it('counts a site of IPv6 too, with ten times the room: who has one has 65,536 networks', () => {
    const { throttle, wait, fail } = setUp({ account: 3, address: 7 });
    const network = (n: number) => `2001:db8:5:${n.toString(16)}::1`;
    for (let n = 0; n < 29; n++) fail(1, network(n));
    assert.equal(wait(network(99), 'a'), 0);
    fail(1, network(29));
    assert.equal(wait(network(99), 'a'), 1, 'thirty of one account from the site');
    assert.equal(wait(network(99), 'b'), 0);
    assert.equal(wait('2001:db8:6::1', 'a'), 0, 'another site');
    for (let n = 30; n < 70; n++) fail(1, network(n), `account ${n}`);
    assert.equal(wait(network(999), 'never seen'), 1, 'seventy from the site');
    throttle.succeed(network(1), 'a');
    assert.equal(wait('2001:db8:6::1', 'never seen'), 0);
  });

  it('charges a site with nothing that one of its networks was refused', () => {
    const pace = new Pace(2, () => 0);
    const take = (address: string) => {
      try {
        pace.take(address);
        return true;
      } catch {
        return false;
      }
    };
    const taken = Array.from({ length: 40 }, () => take('2001:db8:1:1::1'));
    assert.equal(taken.filter(Boolean).length, 2);
    assert.ok(take('2001:db8:1:2::1'), 'its neighbour in the site');
  });

  it('keeps a bounded memory, and in it those who go on failing', () => {
    const { wait, fail } = setUp({ account: 2, address: 50 });
    const others = (count: number) => {
      for (let other = 0; other < count; other++) fail(1, `198.51.100.${other}`, 'somebody');
    };
    fail(1, HERE, 'persistent');
    others(9_000);
    fail(1, HERE, 'persistent');
    assert.equal(wait(HERE, 'persistent'), 1, 'remembered among 9,000 other addresses');
    others(11_000);
    assert.equal(wait(HERE, 'persistent'), 0, 'forgotten after 11,000 others');
  });
});
