// @ts-check
// How attackers use their connections: repeat requests, send incomplete requests, or send slowly. All rates are bounded, so that
// the attacker does not take the processors from the server.

import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { converse, writeInPieces } from '../conversation.mjs';
import { countStatus } from './attack.mjs';

/** @typedef {import('./attack.mjs').Scene} Scene */

/** Not the victim's, so that limits by address tell the two apart. Only on Linux is all of 127/8 loopback. */
const ADDRESS = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1';
const ANSWER_MS = 60_000;
const REQUESTS_PER_SECOND_MAX = 4_000;
const AGAIN_MS = 100;
const DRIP_MS = 100;
const KNOCK_MS = 20;
/**
 * A connection that its client closes keeps a port for a minute, and a machine has 28,000: without any left, the victim, which has
 * the same machine here, could not connect. One that is reset keeps none, so only one in so many is closed.
 */
const CLOSED_EVERY = 4;

/**
 * Repeats requests; each connection sends the next one after the reply.
 * @param {Scene} scene
 * @param {object} options
 * @param {number} options.connections
 * @param {(n: number) => Buffer} options.request the n-th
 * @param {number} [options.answers] replies to one such request
 * @param {number} [options.perSecond] at most
 * @param {number} [options.bytesPerSecond] that each connection reads at most
 * @param {(connection: number, turn: number) => string} [options.address] the local address of the turn-th connection
 * @param {number} [options.requestsEach] requests before reconnecting
 */
export async function flood(scene, options) {
  const { port, signal, tally } = scene;
  const {
    connections,
    request,
    perSecond = REQUESTS_PER_SECOND_MAX,
    requestsEach = Number.POSITIVE_INFINITY,
  } = options;
  let [next, freeAt] = [0, 0];
  const take = () => {
    const dueAt = Math.max(freeAt, performance.now());
    freeAt = dueAt + 1000 / perSecond;
    tally.sent += 1;
    const { answers = 1 } = options;
    return { bytes: request(next++), dueAt, answers };
  };
  const one = async (/** @type {number} */ connection) => {
    for (let turn = 0; !signal.aborted; turn++) {
      let left = requestsEach;
      await converse({
        ...{
          port,
          signal,
          gentle: true,
          lateMs: ANSWER_MS,
          localAddress: options.address?.(connection, turn) ?? ADDRESS,
        },
        ...(options.bytesPerSecond === undefined ? {} : { bytesPerSecond: options.bytesPerSecond }),
        take: () => (left-- > 0 ? take() : undefined),
        note: ({ status, length }) => {
          countStatus(tally, status);
          tally.bytes += length;
        },
        fail: () => {
          tally.broken += 1;
        },
      });
      if (left >= 0) await wait(AGAIN_MS);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, i) => one(i)));
}

/**
 * Sends an incomplete request, waits until the connection ends, and starts again.
 * @param {Scene} scene
 * @param {object} options
 * @param {number} options.connections
 * @param {(connection: number) => Buffer | Promise<Buffer>} options.head
 * @param {Buffer} options.body one for all requests, since a copy for each would take a processor that the server needs
 * @param {number} [options.bytesPerSecond] of each connection at most
 */
export async function pour(scene, { connections, head, body, bytesPerSecond }) {
  const { signal } = scene;
  const one = async (/** @type {number} */ connection) => {
    while (!signal.aborted) {
      await pourOnce(scene, { head: await head(connection), body, bytesPerSecond });
      await wait(AGAIN_MS);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, i) => one(i)));
}

/**
 * @param {Scene} scene
 * @param {{ head: Buffer, body: Buffer, bytesPerSecond: number | undefined }} request
 * @returns {Promise<void>}
 */
function pourOnce({ port, signal, tally }, { head, body, bytesPerSecond }) {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: ADDRESS, noDelay: true });
    let status = 0;
    tally.sent += 1;
    /** @type {NodeJS.Timeout | undefined} */
    let drip;
    const stop = () => socket.destroy();
    signal.addEventListener('abort', stop);
    socket.on('connect', () => {
      socket.write(head);
      if (bytesPerSecond === undefined) return writeInPieces(socket, body);
      let at = 0;
      const step = Math.ceil((bytesPerSecond * DRIP_MS) / 1000);
      drip = setInterval(() => {
        if (socket.writableNeedDrain || at >= body.length) return;
        socket.write(body.subarray(at, at + step));
        at += step;
      }, DRIP_MS);
    });
    socket.on('data', (chunk) => {
      tally.bytes += chunk.length;
      status = Number(chunk.toString('latin1', 9, 12));
      countStatus(tally, status);
      // The reply is the end of the request.
      socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(drip);
      signal.removeEventListener('abort', stop);
      if (status === 0 && !signal.aborted) tally.broken += 1;
      resolve();
    });
    if (signal.aborted) stop();
  });
}

/**
 * Silent connections, and others that open and close.
 * @param {Scene} scene
 * @param {{ idle: number, perSecond: number }} how perSecond: the most of each kind
 */
export async function knock({ port, signal, tally }, { idle, perSecond }) {
  /** @type {Set<import('node:net').Socket>} */
  const open = new Set();
  const knockOnce = () => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: ADDRESS });
    tally.sent += 1;
    socket.on('error', () => {
      tally.broken += 1;
    });
    return socket;
  };
  while (!signal.aborted) {
    for (let i = 0; i < (perSecond * KNOCK_MS) / 1000; i++) {
      const passing = knockOnce();
      const isClosed = i % CLOSED_EVERY === 0;
      passing.on('connect', () => (isClosed ? passing.destroy() : passing.resetAndDestroy()));
      if (open.size >= idle) continue;
      const staying = knockOnce();
      open.add(staying);
      staying.on('close', () => open.delete(staying));
    }
    await wait(KNOCK_MS);
  }
  for (const socket of open) socket.resetAndDestroy();
}
