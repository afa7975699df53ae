// The wire of `npm run torture`: whatever its faults hold back, bytes arrive in their order, and none is lost.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { rootPath } from '../support/markdown.ts';
import { until } from '../support/until.ts';

interface Wire {
  readonly port: number;
  fail(fault: string): void;
  met(): number;
  heal(): void;
  close(): Promise<void>;
}

const { openWire } = await import(rootPath('torture/wire.mjs').href);
const NUMBERS = 400;
/** Not one fault of which something is lost on purpose. */
const FAULTS = ['slow', 'mute-up', 'mute-down'] as const;

/** The numbers from 0 on, a few at a time, so that there are many chunks. */
async function count(socket: Socket, pauseMs: number): Promise<void> {
  for (let n = 0; n < NUMBERS; n++) {
    socket.write(`${n} `);
    if (n % 4 === 0) await pause(pauseMs);
  }
}

const EXPECTED = Array.from({ length: NUMBERS }, (_, n) => `${n} `).join('');

describe('a wire', () => {
  let server: Server;
  let wire: Wire;
  const sockets = new Set<Socket>();

  /** What arrived at the socket so far. */
  const gather = (socket: Socket) => {
    sockets.add(socket);
    const chunks: string[] = [];
    socket.on('data', (chunk) => chunks.push(String(chunk)));
    return () => chunks.join('');
  };

  before(async () => {
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    wire = await openWire(address.port);
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await wire.close();
    await new Promise((resolve) => server.close(resolve));
  });

  async function connectBoth() {
    const accepted = once(server, 'connection').then(([socket]) => socket as Socket);
    const client = connect(wire.port, '127.0.0.1');
    const target = await accepted;
    return { client, target, down: gather(client), up: gather(target) };
  }

  /** The fault lasts until it has met something, and a little longer. */
  async function trouble(fault: string, holdMs: number): Promise<void> {
    wire.fail(fault);
    await until(`${fault} to meet bytes`, () => wire.met() > 0);
    await pause(holdMs);
    wire.heal();
  }

  for (const fault of FAULTS) {
    it(`keeps the order of bytes when it is healed after ${fault}`, async () => {
      const { client, target, down, up } = await connectBoth();
      const counting = Promise.all([count(client, 2), count(target, 2)]);
      // Healed while a chunk is still held back, at once and later.
      for (const holdMs of [0, 1, 30]) await trouble(fault, holdMs);
      await counting;
      await until('all bytes', () => down().length >= EXPECTED.length && up().length >= EXPECTED.length);
      assert.equal(up(), EXPECTED);
      assert.equal(down(), EXPECTED);
    });
  }

  it('keeps the order of bytes when one fault takes the place of another', async () => {
    const { client, target, down, up } = await connectBoth();
    const counting = Promise.all([count(client, 3), count(target, 3)]);
    for (const fault of ['slow', 'mute-up', 'slow', 'mute-down', 'slow']) {
      wire.fail(fault);
      await pause(10);
    }
    wire.heal();
    await counting;
    await until('all bytes', () => down().length >= EXPECTED.length && up().length >= EXPECTED.length);
    assert.equal(up(), EXPECTED);
    assert.equal(down(), EXPECTED);
  });

  it('delivers what it held back before the end of a connection', async () => {
    for (const fault of FAULTS) {
      for (const direction of ['up', 'down'] as const) {
        if (fault === `mute-${direction === 'up' ? 'down' : 'up'}`) continue;
        const ends = await connectBoth();
        wire.fail(fault);
        (direction === 'up' ? ends.client : ends.target).end(EXPECTED);
        await until('bytes to be held back', () => wire.met() > 0);
        wire.heal();
        await once(direction === 'up' ? ends.target : ends.client, 'end');
        assert.equal(ends[direction](), EXPECTED);
      }
    }
  });
});
