// Sends the head and the text of a reply in one write. Node adds an empty chunk after the text, which takes a writev of two
// buffers, and checks the name and the value of each header. A bare server took 17.4 µs for a reply of 900 bytes and takes 13.1
// this way, 15.5 with Node's head in one write (Node 20, 32 connections; 16.9, 12.6 and 14.9 at one connection).

import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { RequestScope } from '../../request/request-scope.ts';
import { JSON_TYPE, type Reply } from './reply.ts';

/**
 * With members that Node does not declare. `_header` is the head as text, null before there is one. Node sends it with the end
 * of the message, as Latin-1.
 */
type NodeResponse = ServerResponse & { _header?: string | null; readonly _keepAliveTimeout?: number };

/** Those that the reply itself has win: a reply that may be cached says so. */
export const BODY_HEADERS = {
  'content-type': JSON_TYPE,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** Copying more bytes than these next to the head takes longer than a writev. */
export const AT_ONCE_BYTES_MAX = 16 * 1024;

/** Returns false, and sends nothing, for what Node has to send: HEAD, HTTP/1.0, the last reply of a connection, unusual headers. */
export function writeAtOnce(
  response: NodeResponse,
  body: string | Buffer,
  { scope, reply }: { scope: RequestScope; reply: Reply },
): boolean {
  const { req, shouldKeepAlive } = response;
  if (!shouldKeepAlive || req.httpVersion !== '1.1' || req.method === 'HEAD' || response._header !== null) return false;
  const { status, headers } = reply;
  const ownLines = headers === undefined ? BODY_LINES : linesWithDefaults(headers);
  if (ownLines === undefined) return false;
  const text = typeof body === 'string' ? utf8AsLatin1(body) : body.toString('latin1');
  const seconds = Math.floor((response._keepAliveTimeout ?? 0) / 1000);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-length: ${text.length}\r\nx-request-id: ${scope.id}\r\n${ownLines}${linesOf(scope.headers)}Date: ${httpDate()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n\r\n`;
  response.statusCode = status;
  response._header = head + text;
  response.end();
  return true;
}

/** Holds a text of a third as many characters, whatever they are. */
const SCRATCH = Buffer.allocUnsafeSlow(96 * 1024);

/**
 * A character for each byte of the text in UTF-8, which tells its length as well. Counting the bytes of a record of 900
 * characters, some of them Japanese, took 0.8 µs, and a Buffer with them another 1.1; this takes 0.9 in all.
 */
function utf8AsLatin1(text: string): string {
  if (3 * text.length > SCRATCH.length) {
    return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1');
  }
  const length = SCRATCH.write(text);
  return length === text.length ? text : SCRATCH.toString('latin1', 0, length);
}

/** Member by member: one object of all headers, made with spreads, took 1.5 µs longer. */
function linesWithDefaults(headers: NonNullable<Reply['headers']>): string | undefined {
  let lines = '';
  for (const name in BODY_HEADERS) {
    if (headers[name] === undefined) lines += `${name}: ${BODY_HEADERS[name as keyof typeof BODY_HEADERS]}\r\n`;
  }
  for (const name in headers) {
    const value = headers[name];
    if (typeof value !== 'string' || !PLAIN.test(value)) return undefined;
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

/** What Latin-1 and a line have room for. Node decides about the rest. */
const PLAIN = /^[\x20-\x7e]*$/;

/** For headers whose values are ours. */
function linesOf(headers: Readonly<Record<string, string>>): string {
  let lines = '';
  for (const name in headers) lines += `${name}: ${headers[name]}\r\n`;
  return lines;
}

const BODY_LINES = linesOf(BODY_HEADERS);

let second = Number.NaN;
let secondText = '';

function httpDate(): string {
  const now = Date.now();
  const milliseconds = now % 1000;
  if (now - milliseconds !== second) {
    second = now - milliseconds;
    secondText = new Date(second).toUTCString();
  }
  return secondText;
}
