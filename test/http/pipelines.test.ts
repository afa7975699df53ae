// Requests that come before the ones before them are answered: a server whose answers come when the test wants.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { Deadlines } from '../../src/http/clients/deadlines.ts';
import { Pipelines } from '../../src/http/clients/pipelines.ts';
import { ActiveWork } from '../../src/http/clients/shutdown.ts';
import { CLIENT_TIMEOUTS } from '../../src/http/clients/timeouts.ts';
import { UnreadReplies, unreadBounds } from '../../src/http/clients/unread-replies.ts';
import { sendReplies } from '../../src/http/send.ts';
import { ByteBudget, byteBounds } from '../../src/load/byte-budget.ts';
import { head, onWire, Wire } from '../support/http-client.ts';
import { until } from '../support/until.ts';
import { type BareServer, startBareServer } from './bare-server.ts';

const EACH_MAX = 400;
const ALL_MAX = 600;
const READ_ON_MAX = 4;
const READER_MS = 300;
/** Some hundreds of them come in one piece. */
const PADDING = { 'x-padding': 'x'.repeat(300) };

describe('pipelined requests', () => {
  const activeWork = new ActiveWork();
  const deadlines = new Deadlines(60_000, { secondsFor: () => 1 });
  let server: BareServer;
  let address = '';
  let arrived = 0;
  /** The paths that were begun and are not answered yet. */
  const begun = new Map<string, () => void>();
  const sockets: Socket[] = [];

  before(async () => {
    const sending = {
      observe: () => undefined,
      closing: () => false,
      activeWork,
      deadlines,
      traces: undefined,
      timeouts: { ...CLIENT_TIMEOUTS, readerMs: READER_MS },
      pipelines: new Pipelines({ eachMax: EACH_MAX, allMax: ALL_MAX, readOnMax: READ_ON_MAX }),
      unread: new UnreadReplies(unreadBounds(), () => undefined),
      byteBudget: new ByteBudget(byteBounds()),
      compressions: undefined,
    };
    const at = (url: string) => ({ status: 200, body: JSON.stringify(url) });
    const held = sendReplies(sending, { path: '' }, async ({ url }) => {
      await new Promise<void>((resolve) => begun.set(url, resolve));
      begun.delete(url);
      return at(url);
    });
    const immediate = sendReplies(sending, { path: '' }, ({ url }) => at(url));
    const streamed = sendReplies(sending, { path: '' }, () => ({
      status: 200,
      headers: { 'content-length': '4' },
      stream: async () => Readable.from(['"ok"']),
    }));
    const handlerFor = (url: string) => (url.startsWith('/held/') ? held : url === '/streamed' ? streamed : immediate);
    server = await startBareServer(handlerFor);
    server.server.on('request', () => {
      arrived += 1;
    });
    server.server.on('connection', (socket: Socket) => sockets.push(socket));
    address = server.address;
  });
  after(async () => {
    deadlines.close();
    await server.close();
  });

  const many = (count: number) => Array.from({ length: count }, (_, n) => `/${n}`);
  const answers = async (wire: Wire, paths: readonly string[]) => {
    for (const path of paths) assert.equal((await wire.answer()).body, path);
  };
  /** The first request of the connection is held back, and `paths` come behind it. */
  async function behindHeld(wire: Wire, name: string, paths: readonly string[]): Promise<void> {
    arrived = 0;
    wire.write([`/held/${name}`, ...paths].map((path) => head('GET', path, PADDING)).join(''));
    await until('the first to be begun', () => begun.has(`/held/${name}`));
  }
  /** What has not arrived when the loop has turned so often is not being read. */
  async function settled(): Promise<void> {
    for (let n = 0; n < 200; n++) await turn();
  }

  it('are begun one at a time and answered in order', async () => {
    await onWire(address, async (wire) => {
      const paths = ['/held/a', '/held/b', '/c', '/held/d'];
      wire.write(paths.map((path) => head('GET', path)).join(''));
      for (const path of paths) {
        if (!path.startsWith('/held')) continue;
        await until('it to be begun', () => begun.has(path));
        assert.deepEqual([...begun.keys()], [path]);
        begun.get(path)?.();
      }
      await answers(wire, paths);
    });
  });

  it('are not read beyond a limit, and all get replies in the end', async () => {
    const paths = many(2_000);
    await onWire(address, async (wire) => {
      await behindHeld(wire, 'first', paths);
      await settled();
      assert.ok(arrived > READ_ON_MAX && arrived < EACH_MAX, String(arrived));
      begun.get('/held/first')?.();
      await answers(wire, ['/held/first', ...paths]);
      // One with a body that comes late, among others: reading on is not forgotten.
      const body = 'x'.repeat(200_000);
      const posting = head('POST', '/posted', { 'content-length': String(body.length) });
      wire.write(
        `${many(20)
          .map((path) => head('GET', path))
          .join('')}${posting}`,
      );
      await answers(wire, many(20));
      wire.write(`${body}${head('GET', '/last')}`);
      await answers(wire, ['/posted', '/last']);
    });
  });

  it('are not cut off by the timeout of the reply before them', async () => {
    await onWire(address, async (wire) => {
      wire.write(['/streamed', '/held/long'].map((path) => head('GET', path)).join(''));
      assert.equal((await wire.answer()).body, 'ok');
      await until('it to be begun', () => begun.has('/held/long'));
      await wait(3 * READER_MS);
      begun.get('/held/long')?.();
      await answers(wire, ['/held/long']);
    });
  });

  it('are cut off beyond a number, of one connection and of all', async () => {
    const tiny = (count: number) => 'GET / HTTP/1.1\r\nHost:\r\n\r\n'.repeat(count);
    const held: Wire[] = [];
    const flood = async (count: number) => {
      await onWire(address, async (wire) => {
        const closed = once(wire.socket, 'close');
        wire.write(head('GET', '/held/flood') + tiny(count));
        await closed;
      });
    };
    await flood(EACH_MAX + 1);
    for (const n of [1, 2]) {
      const wire = await Wire.open(address);
      held.push(wire);
      arrived = 0;
      wire.write(head('GET', `/held/${n}`) + tiny(ALL_MAX / 2));
      await until('all to arrive', () => arrived === 1 + ALL_MAX / 2);
    }
    await flood(1);
    // Those of connections that have ended are not counted any more.
    for (const wire of held) wire.close();
    for (const release of begun.values()) release();
    await until('they to end', () => sockets.every((socket) => socket.destroyed));
    await onWire(address, async (wire) => {
      await behindHeld(wire, 'again', many(100));
      begun.get('/held/again')?.();
      await answers(wire, ['/held/again', ...many(100)]);
    });
  });
});
