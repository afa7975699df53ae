// @ts-check
// One connection of a client: requests that were made before go out as bytes, and no more of the answers is understood
// than their status and where they end, so that the client uses little of the machine that it shares with the server.

import { connect } from 'node:net';

/**
 * @typedef {object} Turn what to send next
 * @property {Buffer} bytes
 * @property {number} [dueAt] not before; how long the answer took is counted from then, whenever the request went out
 * @property {number} [answers] how many it asks for (default 1)
 *
 * @typedef {{ status: number, length: number, startedAt: number, text: () => string }} Answer
 *
 * @typedef {object} Talk
 * @property {number} port
 * @property {number} lateMs after which an answer is not waited for any longer
 * @property {string} [localAddress] of this end
 * @property {number} [intervalMs] between an answer and the next request
 * @property {number} [bytesPerSecond] at most, that are read
 * @property {boolean} [gentle] writes long requests in pieces
 * @property {AbortSignal} [signal] ends it
 * @property {() => Turn | undefined} take undefined: no more
 * @property {(answer: Answer) => void} note
 * @property {(problem: string, startedAt: number | undefined) => void} fail startedAt: of the request that was not answered
 */

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const EXCERPT_BYTES = 600;
const SLOW_LOOK_MS = 100;
const PIECE_BYTES = 64 * 1024;

/**
 * For a client that is to give way to the server: the kernel copies all that a socket takes at once, some milliseconds for some
 * megabytes, and does not interrupt that for any other process.
 * @param {import('node:net').Socket} socket
 * @param {Buffer} bytes
 */
export function writeInPieces(socket, bytes) {
  const write = (/** @type {number} */ from) => {
    const to = from + PIECE_BYTES;
    socket.write(bytes.subarray(from, to), (error) => {
      if (!error && to < bytes.length && !socket.destroyed) write(to);
    });
  };
  write(0);
}

/**
 * A request, its answer, the next. Resolves when there is nothing more to ask, or when the connection has ended.
 * @param {Talk} talk
 * @returns {Promise<void>}
 */
export function converse({
  port,
  lateMs,
  localAddress,
  intervalMs = 0,
  bytesPerSecond,
  gentle = false,
  signal,
  take,
  note,
  fail,
}) {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true, ...(localAddress ? { localAddress } : {}) });
    /** Of the request that is not answered. @type {number | undefined} */
    let startedAt;
    let [awaited, done] = [0, false];
    /** @type {NodeJS.Timeout | undefined} */
    let pause;
    const late = setTimeout(() => finish('no answer in time'), lateMs);
    const slow = bytesPerSecond === undefined ? undefined : readNoFaster(socket, bytesPerSecond);
    const stop = () => finish(undefined);
    const finish = (/** @type {string | undefined} */ problem) => {
      if (done) return;
      done = true;
      clearTimeout(late);
      clearTimeout(pause);
      clearInterval(slow);
      signal?.removeEventListener('abort', stop);
      if (problem !== undefined) fail(problem, startedAt);
      socket.destroy();
      resolve();
    };
    const go = () => {
      const turn = take();
      if (turn === undefined) return finish(undefined);
      const early = turn.dueAt === undefined ? 0 : turn.dueAt - performance.now();
      if (early > 0) pause = setTimeout(write, early, turn);
      else write(turn);
    };
    const write = (/** @type {Turn} */ { bytes, dueAt, answers = 1 }) => {
      awaited = answers;
      startedAt = dueAt ?? performance.now();
      if (gentle) writeInPieces(socket, bytes);
      else socket.write(bytes);
    };
    const read = answerReader({
      answered: (answer) => {
        if (awaited === 0 || startedAt === undefined) return finish('more came than was asked for');
        note({ ...answer, startedAt });
        awaited -= 1;
        if (awaited > 0) return;
        startedAt = undefined;
        if (intervalMs > 0) pause = setTimeout(go, intervalMs);
        else go();
      },
      unreadable: finish,
    });
    socket.on('data', (chunk) => {
      if (!done) read(chunk);
    });
    socket.on('connect', go);
    socket.on('error', (error) => finish(error.message));
    socket.on('close', () => finish('the connection was closed'));
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
  });
}

/**
 * Finds the answers in what arrives. Of one without a length the end is known only when nothing follows it.
 * @param {{ answered: (answer: Omit<Answer, 'startedAt'>) => void, unreadable: (problem: string) => void }} tell
 * @returns {(chunk: Buffer) => void}
 */
function answerReader({ answered, unreadable }) {
  /** Of a head that has not ended, or the last bytes of a body in chunks. @type {Buffer} */
  let kept = Buffer.alloc(0);
  let [status, length, left, excerpt, head] = [0, 0, -1, kept, ''];
  const end = () => {
    const [headOf, bodyOf] = [head, excerpt];
    left = -1;
    kept = Buffer.alloc(0);
    answered({ status, length, text: () => `${headOf}\r\n\r\n${bodyOf.toString()}` });
  };
  return (chunk) => {
    let rest = chunk;
    while (rest.length > 0) {
      if (left === -1) {
        const all = kept.length === 0 ? rest : Buffer.concat([kept, rest]);
        const at = all.indexOf(HEAD_END);
        if (at === -1) {
          kept = all;
          return;
        }
        head = all.toString('latin1', 0, at);
        status = Number(head.slice(9, 12));
        left = bodyLength(head, status);
        if (Number.isNaN(left)) return unreadable(`an answer without a length: ${head}`);
        rest = all.subarray(at + HEAD_END.length);
        length = at + HEAD_END.length;
        excerpt = rest.subarray(0, EXCERPT_BYTES);
        kept = Buffer.alloc(0);
        if (left === 0) end();
        continue;
      }
      const taken = rest.length > left ? rest.subarray(0, left) : rest;
      length += taken.length;
      rest = rest.subarray(taken.length);
      if (left === Number.POSITIVE_INFINITY) {
        kept = Buffer.concat([kept, taken.subarray(-LAST_CHUNK.length)]).subarray(-LAST_CHUNK.length);
        if (kept.equals(LAST_CHUNK)) end();
      } else {
        left -= taken.length;
        if (left === 0) end();
      }
    }
  };
}

/** Infinite for a chunked reply, NaN without a content-length. @param {string} head @param {number} status */
function bodyLength(head, status) {
  const told = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (told !== undefined) return status === 304 ? 0 : Number(told);
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return Number.POSITIVE_INFINITY;
  return status === 204 || status === 304 ? 0 : Number.NaN;
}

/** @param {import('node:net').Socket} socket @param {number} bytesPerSecond */
function readNoFaster(socket, bytesPerSecond) {
  const began = performance.now();
  const allowed = () => ((performance.now() - began) / 1000) * bytesPerSecond;
  socket.on('data', () => {
    if (socket.bytesRead > allowed()) socket.pause();
  });
  return setInterval(() => {
    if (socket.bytesRead <= allowed()) socket.resume();
  }, SLOW_LOOK_MS);
}
