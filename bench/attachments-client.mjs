// @ts-check
// The client's side of files: sends them from one buffer, reads them away as fast as they come, or as slowly as wanted.
// The same for every side.

import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { interruption } from '../scripts/processes.mjs';
import { converse } from './conversation.mjs';
import { requestHead } from './requests.mjs';

export const MIB = 2 ** 20;
const SOURCE = randomBytes(MIB);
/** For one file, also on a busy machine. */
const FILE_MS = 600_000;
const FAILURES_MAX = 10;

/** @typedef {{ url: string, token?: string, agent?: http.Agent }} Place of files: POST adds one, GET below it reads it */

/**
 * Sends bytes and gives the identifier that they were given.
 * @param {Place} place
 * @param {number} bytes
 * @returns {Promise<string>}
 */
export async function upload({ url, token, agent }, bytes) {
  const request = http.request(url, {
    method: 'POST',
    headers: { 'content-length': bytes, 'content-type': 'application/octet-stream', ...authorization(token) },
    ...(agent ? { agent } : {}),
    signal: AbortSignal.any([interruption, AbortSignal.timeout(FILE_MS)]),
  });
  const answered = answerTo(request);
  // Handled below; until then the connection may fail while bytes are still being sent.
  answered.catch(() => {});
  for (let sent = 0; sent < bytes && !request.destroyed; ) {
    const piece = SOURCE.subarray(0, Math.min(MIB, bytes - sent));
    sent += piece.length;
    if (!request.write(piece)) await drained(request);
  }
  request.end();
  const response = await answered;
  let text = '';
  for await (const chunk of response) text += chunk;
  if (response.statusCode !== 200)
    throw new Error(`an upload was answered ${response.statusCode}: ${text.slice(0, 300)}`);
  return JSON.parse(text).id;
}

/** @param {http.ClientRequest} request @returns {Promise<void>} also when it has failed */
const drained = (request) =>
  new Promise((resolve) => {
    const done = () => {
      request.off('drain', done).off('close', done);
      resolve();
    };
    request.on('drain', done).on('close', done);
  });

/** @param {http.ClientRequest} request @returns {Promise<http.IncomingMessage>} */
const answerTo = (request) =>
  new Promise((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });

/** @param {string | undefined} token */
const authorization = (token) => (token === undefined ? {} : { authorization: `Bearer ${token}` });

/**
 * Reads a file away.
 * @param {Place} place
 * @param {string} id
 * @param {number} bytes that it has to have
 */
export async function download(place, id, bytes) {
  const response = await begin(place, id);
  let read = 0;
  for await (const chunk of response) read += chunk.length;
  if (read !== bytes) throw new Error(`${read} bytes came of ${bytes}`);
}

/** @param {Place} place @param {string} id */
async function begin({ url, token, agent }, id) {
  const request = http.request(`${url}/${id}`, {
    headers: authorization(token),
    ...(agent ? { agent } : {}),
    signal: AbortSignal.any([interruption, AbortSignal.timeout(FILE_MS)]),
  });
  const answered = answerTo(request);
  request.end();
  const response = await answered;
  if (response.statusCode !== 200) throw new Error(`a download was answered ${response.statusCode}`);
  return response;
}

/**
 * Small files, one after the other over each connection, as bytes that were made before.
 * @param {Place} place
 * @param {{ kind: 'upload' | 'download', bytes: number, ids: readonly string[], connections: number }} files
 * @param {(done: number) => boolean} isOver
 */
export async function exchangeMany({ url, token }, { kind, bytes, ids, connections }, isOver) {
  const { host, port, pathname } = new URL(url);
  const recipient = { host, ...(token === undefined ? {} : { token }) };
  const headers = [`Content-Length: ${bytes}`, 'Content-Type: application/octet-stream'];
  const requests =
    kind === 'upload'
      ? [
          Buffer.concat([
            requestHead(recipient, { method: 'POST', path: pathname, headers }),
            SOURCE.subarray(0, bytes),
          ]),
        ]
      : ids.map((id) => requestHead(recipient, { method: 'GET', path: `${pathname.replace(/\/$/, '')}/${id}` }));
  let [files, sent] = [0, 0];
  /** @type {string[]} */
  const failures = [];
  const talk = {
    port: Number(port),
    lateMs: FILE_MS,
    signal: interruption,
    take: () => {
      const next = requests[sent++ % requests.length];
      return next === undefined || failures.length >= FAILURES_MAX || isOver(files) ? undefined : { bytes: next };
    },
    /** @param {import('./conversation.mjs').Answer} answer */
    note: ({ status, text }) => {
      if (status === 200) files++;
      else failures.push(text());
    },
    /** @param {string} problem */
    fail: (problem) => {
      failures.push(problem);
    },
  };
  await Promise.all(Array.from({ length: connections }, () => converse(talk)));
  return { files, failures };
}

/**
 * Reads a file slowly over a connection of its own, until it is stopped.
 * @param {Place} place
 * @param {string} id
 * @param {number} bytesPerSecond
 */
export async function readSlowly(place, id, bytesPerSecond) {
  const response = await begin({ ...place, agent: new http.Agent() }, id);
  const began = performance.now();
  let read = 0;
  let failure = '';
  response.on('error', (error) => {
    failure = error.message;
  });
  response.on('data', (chunk) => {
    read += chunk.length;
    if (read > allowed()) response.pause();
  });
  const allowed = () => ((performance.now() - began) / 1000) * bytesPerSecond;
  const clock = setInterval(() => {
    if (read <= allowed()) response.resume();
  }, 100);
  return {
    read: () => read,
    /** @returns {string} what went wrong, or nothing */
    stop: () => {
      clearInterval(clock);
      const said = failure || (response.destroyed || response.complete ? 'it ended before it was told to' : '');
      response.destroy();
      return said;
    },
  };
}
