// @ts-check
// Before an operation is measured each side does it once: one that is not there is left out with a line that says so, and
// sides that answer differently to the same question are named, because then their times do not compare.

import { connect } from 'node:net';
import { useCodes } from './codes.mjs';
import { requestsFor } from './peers/requests.mjs';
import { note, warn } from './progress.mjs';

const ANSWER_MS = 60_000;
const ONE = { connections: 1, seconds: 0 };

/**
 * Sends the bytes of a request as the load generator would.
 * @param {number} port
 * @param {Buffer} request
 * @returns {Promise<{ status: number, text: string }>}
 */
function exchange(port, request) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    /** @type {Buffer[]} */
    const parts = [];
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error('no answer in time')));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection was closed')));
    socket.on('data', (chunk) => {
      parts.push(chunk);
      const all = Buffer.concat(parts);
      const end = all.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = all.toString('latin1', 0, end);
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      const chunked = /\r\ntransfer-encoding: *chunked/i.test(head);
      if (chunked ? !all.toString('latin1').endsWith('0\r\n\r\n') : all.length < end + 4 + length) return;
      const body = all.subarray(end + 4);
      resolve({ status: Number(head.slice(9, 12)), text: (chunked ? joined(body) : body).toString() });
      socket.destroy();
    });
    socket.write(request);
  });
}

/** The chunks of a body. @param {Buffer} body */
function joined(body) {
  const parts = [];
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf('\r\n', at);
    const length = Number.parseInt(body.toString('latin1', at, end), 16);
    if (!(length > 0)) break;
    parts.push(body.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
  return Buffer.concat(parts);
}

/** The identifiers in an answer, in order; other products have their lists in a member. @param {string} text @returns {string[]} */
function idsIn(text) {
  if (text === '') return [];
  const body = JSON.parse(text);
  const list = [body, body.items, body.results, body.data].find(Array.isArray);
  return (list ?? [body]).map(({ id }) => id);
}

/**
 * @param {import('./measure.mjs').Course} course
 * @param {import('./operations.mjs').Operation} operation
 * @returns {Promise<import('./side.mjs').Side[]>} the sides that have it
 */
export async function tryOut(course, operation) {
  /** @type {import('./side.mjs').Side[]} */
  const able = [];
  /** @type {{ name: string, text: string, ids: string[] }[]} */
  const answers = [];
  for (const side of course.sides) {
    const target = await side.prepare(operation, ONE);
    const request = requestsFor(operation.name, target)(0);
    useCodes(operation.codes ?? 0);
    if (request === undefined) {
      note(`  ${operation.name}: left out, ${side.name} does not have it`);
      continue;
    }
    const { status, text } = await exchange(Number(new URL(side.address).port), request);
    if (status === 404 || status === 405 || status === 501) {
      note(`  ${operation.name}: left out, ${side.name} does not have it (${status} ${text.slice(0, 100)})`);
      continue;
    }
    if (status < 200 || status > 299) {
      warn(`${operation.name}: left out, ${side.name} REFUSES it with ${status} ${text.slice(0, 300)}`);
      continue;
    }
    able.push(side);
    answers.push({ name: side.name, text, ids: operation.files ? [] : idsIn(text) });
  }
  for (const { name, ids } of answers) {
    if (operation.records !== undefined && ids.length !== operation.records) {
      warn(`${operation.name}: ${name} answers with ${ids.length} records instead of ${operation.records}`);
    }
  }
  const [first, ...others] = answers;
  // Each application has identifiers of its own.
  const comparable = operation.kind === 'read' && new Set(able.map(({ records }) => records)).size === 1;
  for (const other of comparable ? others : []) {
    if (other.text === first?.text) continue;
    const same = other.ids.join() === first?.ids.join();
    warn(
      `${operation.name}: ${first?.name} and ${other.name} answer ${same ? 'with the same records in different words' : 'with DIFFERENT RECORDS'}`,
    );
  }
  return able;
}
