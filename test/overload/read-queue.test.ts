// The order in which connections are read. The connections here are not real: what counts is which of them may be read.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { chargeRead, hasSpoken, queueFirstReads } from '../../src/http/clients/read-queue.ts';
import { IncomingRequest } from '../../src/http/clients/small-chunks.ts';
import { until } from '../support/until.ts';

class Connection extends EventEmitter {
  readonly remoteAddress: string;
  #paused = true;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
  }

  isPaused(): boolean {
    return this.#paused;
  }
}

describe('the queue for reading', () => {
  const server = new EventEmitter();
  queueFirstReads(server as Server);
  const arrive = (address: string): Connection & Socket => {
    const connection = new Connection(address);
    server.emit('connection', connection);
    return connection as Connection & Socket;
  };
  const areRead = (connections: readonly Connection[]) =>
    until('all to be read', () => connections.every((one) => !one.isPaused()));

  it('stops the silent connections of an address after an expensive read, and then reads one at a time', async () => {
    const costly = arrive('192.0.2.1');
    const silent = [1, 2, 3].map(() => arrive('192.0.2.1'));
    const busy = arrive('192.0.2.1');
    const other = arrive('192.0.2.2');
    await areRead([costly, ...silent, busy, other]);
    hasSpoken(costly);
    hasSpoken(busy);
    chargeRead(costly, 0.01);
    assert.deepEqual(
      [costly, ...silent, busy, other].map((one) => one.isPaused()),
      [false, true, true, true, false, false],
      'neither one that has sent a request, nor one of another address',
    );
    const waiting = () => silent.filter((one) => one.isPaused()).length;
    for (let before = waiting(); before > 0; ) {
      await turn();
      const now = waiting();
      assert.ok(before - now <= 1, `${before - now} were read in one turn`);
      before = now;
    }
  });

  it('lets an address rest after an expensive read, and no other', async ({ mock }) => {
    const costly = arrive('192.0.2.3');
    await areRead([costly]);
    hasSpoken(costly);
    const began = performance.now();
    const clock = mock.method(performance, 'now', () => began);
    chargeRead(costly, 1);
    const same = arrive('192.0.2.3');
    const others = [arrive('192.0.2.4'), arrive('192.0.2.5')];
    await areRead(others);
    assert.equal(same.isPaused(), true);
    clock.mock.restore();
    await areRead([same]);
  });

  it('charges many small chunks of a body that is taken', async () => {
    const costly = arrive('192.0.2.6');
    const silent = arrive('192.0.2.6');
    await areRead([costly, silent]);
    const request = new IncomingRequest(costly);
    request.headers = { 'transfer-encoding': 'chunked', authorization: 'Bearer token' };
    const sendChunks = (count: number) => {
      for (let n = 0; n < count; n++) request.push(Buffer.alloc(20));
    };
    sendChunks(511);
    assert.equal(silent.isPaused(), false, 'not yet');
    sendChunks(1);
    assert.equal(silent.isPaused(), true);
    await areRead([silent]);
  });

  it('forgets connections that end', async () => {
    const costly = arrive('192.0.2.5');
    const gone = arrive('192.0.2.5');
    await areRead([costly, gone]);
    gone.emit('close');
    chargeRead(costly, 0.01);
    assert.equal(gone.isPaused(), false);
    await areRead([costly]);
  });
});
