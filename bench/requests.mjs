// @ts-check
// Requests as bytes, made before the clock runs. A request that has to differ each time is a template whose codes are
// written over in a copy of it.

import { CODE_DIGITS, codeOf } from './work.mjs';

/**
 * @typedef {{ host: string, token?: string }} Recipient
 * @typedef {{ method: string, path: string, headers?: readonly string[], type?: string, body?: unknown }} Request a body of bytes goes as it is
 * @typedef {{ bytes: Buffer, places: readonly number[] }} Template where the digits of codes stand
 */

/** @param {Recipient} recipient @param {Request} request @returns {Buffer} */
export function requestBytes(recipient, request) {
  const { headers = [], type = 'application/json', body } = request;
  if (body === undefined) return requestHead(recipient, request);
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const about = [`Content-Type: ${type}`, `Content-Length: ${bytes.length}`];
  return Buffer.concat([requestHead(recipient, { ...request, headers: [...about, ...headers] }), bytes]);
}

/** All but the body. @param {Recipient} recipient @param {Request} request */
export function requestHead({ host, token }, { method, path, headers = [] }) {
  const caller = token === undefined ? [] : [`Authorization: Bearer ${token}`];
  return Buffer.from([`${method} ${path} HTTP/1.1`, `Host: ${host}`, ...caller, ...headers, '\r\n'].join('\r\n'));
}

/**
 * @param {Recipient} recipient
 * @param {Request} request
 * @param {readonly number[]} codes numbers of the codes in the body that are to be written over, each there once
 * @returns {Template}
 */
export function template(recipient, request, codes) {
  const bytes = requestBytes(recipient, request);
  const places = codes.map((n) => {
    const at = bytes.indexOf(codeOf(n));
    if (at === -1) throw new Error(`${codeOf(n)} is not in the request`);
    return at + 1;
  });
  return { bytes, places };
}

/** The template with other codes: `first` and those that follow it. @param {Template} from @param {number} first */
export function stamped({ bytes, places }, first) {
  const copy = Buffer.from(bytes);
  places.forEach((place, i) => {
    copy.write(String(first + i).padStart(CODE_DIGITS, '0'), place, 'latin1');
  });
  return copy;
}
