// @ts-check
// Single requests of the bench itself: publishing, loading, trying an operation before it is measured. Load is made
// elsewhere (load.mjs).

import { interruption } from '../scripts/processes.mjs';

const ANSWER_MS = 600_000;

/**
 * @param {string} address `http://HOST:PORT`
 * @param {{ method: string, path: string, token?: string, headers?: Record<string, string>, body?: unknown }} request
 * @returns {Promise<{ status: number, text: string, headers: Headers }>}
 */
export async function send(address, { method, path, token, headers = {}, body }) {
  const response = await fetch(address + path, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body) }),
    signal: AbortSignal.any([interruption, AbortSignal.timeout(ANSWER_MS)]),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/**
 * The same for what has to succeed.
 * @param {string} address
 * @param {{ method: string, path: string, token?: string, headers?: Record<string, string>, body?: unknown }} request
 * @returns {Promise<any>}
 */
export async function ask(address, request) {
  const { status, text } = await send(address, request);
  if (status < 200 || status > 299) {
    throw new Error(`${request.method} ${request.path} answered ${status}: ${text.slice(0, 500)}`);
  }
  return text === '' ? undefined : JSON.parse(text);
}
