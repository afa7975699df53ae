// The limits of plans, and the size of leases: the rules alone.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { freshLease, HOUR_MS, hourOf, inPlan, quotaOf, secondsUntil } from '../../src/domain/quota.ts';
import { type Limits, PLANS, type Plan, QUOTA_GROUPS } from '../../src/wire/publish-document.ts';

/** As documented for the interface, in the order of the groups; undefined: no limit. */
const TABLE: Readonly<Record<Plan, readonly (number | 'not in plan' | undefined)[]>> = {
  basic: [200, 100, 25, 5, 'not in plan', 'not in plan'],
  premium: [4_000, 2_000, 500, 100, 'not in plan', 'not in plan'],
  enterprise: [8_000, 4_000, 1_000, 200, 2_000, 1_000],
  custom: [undefined, undefined, undefined, undefined, undefined, undefined],
  unlimited: [undefined, undefined, undefined, undefined, undefined, undefined],
};

describe('the quotas of plans', () => {
  for (const plan of PLANS) {
    it(`are those of the interface for ${plan}`, () => {
      assert.deepEqual(
        QUOTA_GROUPS.map((group) => quotaOf({ plan, limits: {} }, group)),
        TABLE[plan],
      );
    });

    it(`are overridden one by one by the limits of the document, for ${plan}`, () => {
      for (const limit of [0, 1, 7, 1_000_000_000]) {
        for (const limited of QUOTA_GROUPS) {
          const limits: Limits = { [limited]: limit };
          const quotas = QUOTA_GROUPS.map((group) => quotaOf({ plan, limits }, group));
          const expected = TABLE[plan].map((quota, index) => (QUOTA_GROUPS[index] === limited ? limit : quota));
          assert.deepEqual(quotas, expected);
          assert.ok(inPlan({ plan, limits }, limited), 'a limit opens a group that is not in the plan');
        }
      }
    });

    it(`say what is in ${plan}`, () => {
      for (const [index, group] of QUOTA_GROUPS.entries()) {
        assert.equal(inPlan({ plan, limits: {} }, group), TABLE[plan][index] !== 'not in plan', group);
      }
    });
  }
});

describe('the hour', () => {
  it('is the clock hour of UTC', () => {
    const cases = [
      ['2026-03-02T08:00:00.000Z', '2026-03-02T08:00:00.000Z', 3600],
      ['2026-03-02T08:00:00.001Z', '2026-03-02T08:00:00.000Z', 3600],
      ['2026-03-02T08:00:01.000Z', '2026-03-02T08:00:00.000Z', 3599],
      ['2026-03-02T08:59:58.999Z', '2026-03-02T08:00:00.000Z', 2],
      ['2026-03-02T08:59:59.000Z', '2026-03-02T08:00:00.000Z', 1],
      ['2026-03-02T08:59:59.999Z', '2026-03-02T08:00:00.000Z', 1],
      ['2026-03-02T09:00:00.000Z', '2026-03-02T09:00:00.000Z', 3600],
      ['2026-12-31T23:59:59.999Z', '2026-12-31T23:00:00.000Z', 1],
    ] as const;
    for (const [moment, hour, seconds] of cases) {
      const now = Date.parse(moment);
      assert.equal(new Date(hourOf(now)).toISOString(), hour);
      assert.equal(secondsUntil(hourOf(now) + HOUR_MS, now), seconds, moment);
    }
  });

  it('never has a remaining time of zero or less', () => {
    assert.equal(secondsUntil(1_000, 1_000), 1);
    assert.equal(secondsUntil(1_000, 5_000), 1);
  });
});

describe('the first lease of an hour', () => {
  it('is a twentieth, or covers the waiting requests, and never exceeds the quota', () => {
    const cases = [
      [8_000, 1, 400],
      [8_000, 400, 400],
      [8_000, 401, 401],
      [8_000, 9_000, 8_000],
      [39, 1, 1],
      [40, 1, 2],
      [5, 1, 1],
      [5, 4, 4],
      [1, 1, 1],
      [1, 100, 1],
      [0, 1, 0],
      [1_000_000_000, 1, 50_000_000],
    ] as const;
    for (const [quota, asked, granted] of cases) assert.equal(freshLease(quota, asked), granted, `${quota} ${asked}`);
  });

  it('serves the waiting requests whenever it can', () => {
    const quotas = fc.integer({ min: 0, max: 1_000_000_000 });
    fc.assert(
      fc.property(quotas, fc.integer({ min: 1, max: 2_000 }), (quota, asked) => {
        const granted = freshLease(quota, asked);
        assert.ok(Number.isInteger(granted) && granted >= Math.min(quota, asked) && granted <= quota);
        assert.ok(granted <= Math.max(asked, quota / 20));
      }),
    );
  });
});
