// @ts-check
// A client of the cluster: requests to any node, and what can be concluded from how each of them ended.

import { Agent, request } from 'node:http';
import { OPERATOR_KEY } from './cluster.mjs';

/** Longer than a server takes over a request. */
const REPLY_MS = 9_000;

/**
 * @typedef {'done' | 'refused' | 'maybe'} Certainty
 *   `refused`: nothing was changed. `maybe`: either outcome is right, also one that comes later.
 *
 * @typedef {object} Outcome
 * @property {Certainty} certainty
 * @property {number} status 0 without a reply
 * @property {string} code of an error
 * @property {any} body
 * @property {Record<string, string | string[] | undefined>} headers
 * @property {Buffer} bytes
 *
 * @typedef {object} Sent
 * @property {string} method
 * @property {string} path below the address
 * @property {unknown} [json]
 * @property {Uint8Array} [bytes]
 * @property {Record<string, string>} [headers]
 * @property {string} [token] by default the admin's
 * @property {number} [cutAfter] bytes of the body that are sent before the connection is cut
 * @property {number} [replyMs]
 *
 * @typedef {object} Tally what a round counts
 * @property {number} requests
 * @property {number} replies
 * @property {number} unanswered
 * @property {number} internalErrors
 * @property {Map<string, number>} reasons of replies with 503
 * @property {Map<string, number>} unexpected replies, by their status and code
 * @property {Map<string, number>} counted anything that is worth a line in the report
 * @property {string[]} violations
 */

/** @returns {Tally} */
export const newTally = () => ({
  requests: 0,
  replies: 0,
  unanswered: 0,
  internalErrors: 0,
  reasons: new Map(),
  unexpected: new Map(),
  counted: new Map(),
  violations: [],
});

/** @param {Map<string, number>} counts @param {string} name @param {number} [by] */
export const count = (counts, name, by = 1) => counts.set(name, (counts.get(name) ?? 0) + by);

/** For what the documentation says that nothing was changed. @param {number} status @param {any} body @returns {Certainty} */
function certaintyOf(status, body) {
  if (status >= 200 && status < 300) return 'done';
  if (status >= 400 && status < 500) return 'refused';
  const reason = body?.params?.reason;
  return status === 503 && (reason === 'busy' || reason === 'storage') ? 'refused' : 'maybe';
}

export class Client {
  #agent;
  #tally;
  #token;

  /** @param {Tally} tally @param {string} token @param {number} [maxSockets] to each node */
  constructor(tally, token, maxSockets = 4) {
    this.#agent = new Agent({ keepAlive: true, maxSockets });
    this.#tally = tally;
    this.#token = token;
  }

  /** @param {string} address @param {Sent} sent @returns {Promise<Outcome>} */
  async send(address, sent) {
    this.#tally.requests += 1;
    const outcome = await this.#exchange(address, sent);
    if (outcome.status === 0) this.#tally.unanswered += 1;
    else this.#tally.replies += 1;
    if (outcome.status === 503) count(this.#tally.reasons, outcome.body?.params?.reason ?? '');
    if (outcome.status === 500) {
      this.#tally.internalErrors += 1;
      this.#tally.violations.push(`500 to ${sent.method} ${sent.path}`);
    }
    return outcome;
  }

  /** As the operator. @param {string} address @param {Sent} sent */
  operator(address, sent) {
    return this.send(address, { ...sent, path: `/operator/v1${sent.path}`, token: OPERATOR_KEY });
  }

  close() {
    this.#agent.destroy();
  }

  /** @param {string} address @param {Sent} sent @returns {Promise<Outcome>} */
  #exchange(address, { method, path, json, bytes, headers = {}, token = this.#token, cutAfter, replyMs = REPLY_MS }) {
    const body = json === undefined ? bytes : Buffer.from(JSON.stringify(json));
    const all = {
      authorization: `Bearer ${token}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(body === undefined ? {} : { 'content-length': String(body.length) }),
      ...headers,
    };
    return new Promise((resolve) => {
      const lost = () => {
        clearTimeout(timer);
        sent.destroy();
        resolve({ certainty: 'maybe', status: 0, code: '', body: undefined, headers: {}, bytes: Buffer.alloc(0) });
      };
      const sent = request(address + path, { method, headers: all, agent: this.#agent }, (response) => {
        /** @type {Buffer[]} */
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', lost);
        response.on('aborted', lost);
        response.on('end', () => {
          clearTimeout(timer);
          const whole = Buffer.concat(chunks);
          const isJson = /^application\/json/.test(response.headers['content-type'] ?? '') && whole.length > 0;
          const parsed = isJson ? JSON.parse(whole.toString()) : undefined;
          const status = response.statusCode ?? 0;
          resolve({
            certainty: certaintyOf(status, parsed),
            status,
            code: parsed?.code ?? '',
            body: parsed,
            headers: response.headers,
            bytes: whole,
          });
        });
      });
      const timer = setTimeout(lost, replyMs);
      sent.on('error', lost);
      if (cutAfter === undefined || body === undefined) sent.end(body);
      else sent.write(body.subarray(0, cutAfter), () => setImmediate(lost));
    });
  }
}
