// Work behind the answers: so much at once, so much waiting, failures told, and everything counted until it is done.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UnderWay } from '../../src/http/clients/under-way.ts';
import { Background } from '../../src/jobs/background.ts';
import type { Observation } from '../../src/observe/events.ts';
import { until } from '../support/until.ts';

describe('work behind the answers', () => {
  function begin() {
    const told: Observation[] = [];
    const underWay = new UnderWay();
    const bounds = { atOnceMax: 2, waitingMax: 3 };
    const behind = new Background({ observe: (observation) => told.push(observation), underWay }, bounds);
    return { told, underWay, behind };
  }

  it('runs a few at once, lets a few more wait, and says when there are too many', async () => {
    const { told, underWay, behind } = begin();
    let running = 0;
    let most = 0;
    let done = 0;
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      done += 1;
    };
    const taken = Array.from({ length: 7 }, () => behind.begin('work', work));
    assert.deepEqual(taken, [true, true, true, true, true, false, false]);
    assert.equal(done, 0, 'nothing of it before the answer');
    await underWay.none(5_000);
    assert.deepEqual([done, most, running], [5, 2, 0]);
    assert.deepEqual(
      told.map(({ event }) => event),
      ['task.failed', 'task.failed'],
    );
    assert.ok(behind.begin('work', work), 'there is room again');
    await underWay.none(5_000);
    assert.equal(done, 6);
  });

  it('lets what tries again later pause without holding a place, and counts it until it is done', async () => {
    const { told, underWay, behind } = begin();
    const order: string[] = [];
    const again = (name: string) => async () => {
      order.push(`${name} fails`);
      const work = async () => {
        order.push(`${name} is done`);
      };
      return { pauseMs: 200, work };
    };
    for (const name of ['a', 'b']) behind.begin('again', again(name));
    const quick = ['c', 'd', 'e'].map((name) =>
      behind.begin('quick', async () => {
        order.push(name);
      }),
    );
    assert.deepEqual(quick, [true, true, true]);
    await until('the quick ones', () => order.length >= 5);
    assert.deepEqual(order, ['a fails', 'b fails', 'c', 'd', 'e']);
    const taken = ['f', 'g', 'h', 'i'].map((name) =>
      behind.begin('slow', async () => {
        await new Promise((resolve) => setTimeout(resolve, 40));
        order.push(name);
      }),
    );
    assert.deepEqual(taken, [true, true, true, false], 'those that pause are among those that wait');
    await underWay.none(5_000);
    assert.deepEqual([...order].sort().slice(0, 4), ['a fails', 'a is done', 'b fails', 'b is done']);
    assert.equal(order.length, 10);
    assert.equal(told.length, 1);
  });

  it('tells of a failure and goes on', async () => {
    const { told, underWay, behind } = begin();
    const error = new Error('no');
    let done = 0;
    for (let time = 0; time < 2; time++) behind.begin('failing', () => Promise.reject<void>(error));
    behind.begin('other', async () => {
      done += 1;
    });
    await underWay.none(5_000);
    assert.deepEqual(told, [
      { event: 'task.failed', task: 'failing', error },
      { event: 'task.failed', task: 'failing', error },
    ]);
    assert.equal(done, 1);
  });
});
