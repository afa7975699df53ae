// @ts-check
// A TCP proxy that makes the trouble of a network: connections that are cut, directions that fall silent, holes in which
// everything is lost, and lines that are slow. Counts say what really met traffic.

import { connect, createServer } from 'node:net';

/**
 * @typedef {'cut' | 'mute-up' | 'mute-down' | 'hole' | 'slow'} WireFault
 *   `up` is from the client. What is muted arrives when the wire is healed; what falls into a hole never does.
 *
 * @typedef {object} Wire
 * @property {number} port
 * @property {(port: number) => void} lead to another port from now on
 * @property {(fault: WireFault) => void} fail
 * @property {() => number} connections that are open
 * @property {() => number} met how many connections or chunks the latest fault has met
 * @property {() => void} heal
 * @property {() => void} cut
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Line one connection
 * @property {import('node:net').Socket} client
 * @property {import('node:net').Socket} target
 * @property {boolean} lost
 * @property {Set<import('node:net').Socket>} delayed ends of which a chunk is on its way; what follows must not overtake it
 */

const SLOW_MS = 120;

/** @param {number} [targetPort] @returns {Promise<Wire>} */
export async function openWire(targetPort = 0) {
  let target = targetPort;
  /** @type {WireFault | undefined} */
  let fault;
  let met = 0;
  /** @type {Set<Line>} */
  const lines = new Set();

  /** @param {Line} line @param {'up' | 'down'} direction @param {Buffer} chunk */
  const pass = (line, direction, chunk) => {
    const [from, to] = direction === 'up' ? [line.client, line.target] : [line.target, line.client];
    if (fault === 'hole') line.lost = true;
    if (line.lost) {
      met += 1;
    } else if (fault === `mute-${direction}`) {
      met += 1;
      from.pause();
      from.unshift(chunk);
    } else if (fault === 'slow') {
      met += 1;
      from.pause();
      line.delayed.add(from);
      setTimeout(() => {
        line.delayed.delete(from);
        if (!to.destroyed) to.write(chunk);
        // An end is read at once, also from a socket that is paused.
        if (from.readableEnded) to.end();
        from.resume();
      }, SLOW_MS);
    } else if (!to.destroyed && !to.write(chunk)) {
      from.pause();
      to.once('drain', () => from.resume());
    }
  };

  // Half open: what goes in one direction arrives although the other has ended.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const toTarget = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    /** @type {Line} */
    const line = { client, target: toTarget, lost: false, delayed: new Set() };
    lines.add(line);
    for (const [socket, other] of [
      [line.client, line.target],
      [line.target, line.client],
    ]) {
      socket?.setNoDelay();
      socket?.on('error', () => {});
      socket?.on('close', () => {
        // A hole tells nobody that a connection has ended.
        if (fault === 'hole') line.lost = true;
        // One that was ended closes by itself when all is sent.
        if (!line.lost && !other?.writableEnded) other?.destroy();
        if (line.client.destroyed && line.target.destroyed) lines.delete(line);
      });
    }
    line.client.on('data', (/** @type {Buffer} */ chunk) => pass(line, 'up', chunk));
    line.target.on('data', (/** @type {Buffer} */ chunk) => pass(line, 'down', chunk));
    line.client.on('end', () => line.lost || line.delayed.has(client) || toTarget.end());
    line.target.on('end', () => line.lost || line.delayed.has(toTarget) || client.end());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  const cut = () => {
    for (const { client, target: end } of lines) {
      client.destroy();
      end.destroy();
    }
    lines.clear();
  };
  return {
    port: address.port,
    lead: (port) => {
      target = port;
    },
    fail: (next) => {
      met = 0;
      fault = next;
      if (next !== 'cut') return;
      met = lines.size;
      fault = undefined;
      cut();
    },
    connections: () => lines.size,
    met: () => met,
    heal: () => {
      fault = undefined;
      // All of them, whatever the fault was: another may have taken its place meanwhile.
      for (const line of lines) {
        if (line.lost) {
          lines.delete(line);
          line.client.destroy();
          line.target.destroy();
        } else {
          for (const socket of [line.client, line.target]) if (!line.delayed.has(socket)) socket.resume();
        }
      }
    },
    cut,
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
