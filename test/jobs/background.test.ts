// Work after the reply: its bounds, reported failures, and that a stopping server waits for it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Observation } from '../../src/events/events.ts';
import { ActiveWork } from '../../src/http/clients/shutdown.ts';
import { Background } from '../../src/jobs/background.ts';
import { until } from '../support/until.ts';

describe('background work', () => {
  function begin() {
    const reported: Observation[] = [];
    const underWay = new ActiveWork();
    const bounds = { atOnceMax: 2, waitingMax: 3 };
    const background = new Background({ observe: (observation) => reported.push(observation), underWay }, bounds);
    return { reported, underWay, background };
  }

  it('bounds running and waiting work, and reports work that it drops', async () => {
    const { reported, underWay, background } = begin();
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
    const taken = Array.from({ length: 7 }, () => background.begin('work', work));
    assert.deepEqual(taken, [true, true, true, true, true, false, false]);
    assert.equal(done, 0, 'nothing runs before the reply');
    await underWay.finished(5_000);
    assert.deepEqual([done, most, running], [5, 2, 0]);
    assert.deepEqual(
      reported.map(({ event }) => event),
      ['task.failed', 'task.failed'],
    );
    assert.ok(background.begin('work', work), 'the queue has space again');
    await underWay.finished(5_000);
    assert.equal(done, 6);
  });

  it('lets a retry pause without a slot, and counts it until it is done', async () => {
    const { reported, underWay, background } = begin();
    const order: string[] = [];
    const again = (name: string) => async () => {
      order.push(`${name} fails`);
      const work = async () => {
        order.push(`${name} is done`);
      };
      return { pauseMs: 1_000, work };
    };
    for (const name of ['a', 'b']) background.begin('again', again(name));
    const quick = ['c', 'd', 'e'].map((name) =>
      background.begin('quick', async () => {
        order.push(name);
      }),
    );
    assert.deepEqual(quick, [true, true, true]);
    await until('the quick ones', () => order.length >= 5);
    assert.deepEqual(order, ['a fails', 'b fails', 'c', 'd', 'e']);
    const taken = ['f', 'g', 'h', 'i'].map((name) =>
      background.begin('slow', async () => {
        await new Promise((resolve) => setTimeout(resolve, 40));
        order.push(name);
      }),
    );
    assert.deepEqual(taken, [true, true, true, false], 'pausing work counts as waiting');
    await underWay.finished(5_000);
    assert.deepEqual([...order].sort().slice(0, 4), ['a fails', 'a is done', 'b fails', 'b is done']);
    assert.equal(order.length, 10);
    assert.equal(reported.length, 1);
  });

  it('reports a failure and goes on', async () => {
    const { reported, underWay, background } = begin();
    const error = new Error('no');
    let done = 0;
    for (let time = 0; time < 2; time++) background.begin('failing', () => Promise.reject<void>(error));
    background.begin('other', async () => {
      done += 1;
    });
    await underWay.finished(5_000);
    assert.deepEqual(reported, [
      { event: 'task.failed', task: 'failing', error },
      { event: 'task.failed', task: 'failing', error },
    ]);
    assert.equal(done, 1);
  });
});
