// Reads a request's JSON body within its bound. Nothing beyond the bound is kept: a body that says it is too long is
// refused unread, one that turns out to be is refused as soon as it is.

import type { IncomingMessage } from 'node:http';
import { fault } from '../faults.ts';

/** What an answered request may still send before its connection is cut: enough for a client to finish and read. */
const DISCARD_BYTES_MAX = 16 * 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

export async function readJsonBody(request: IncomingMessage, bytesMax: number): Promise<unknown> {
  checkContentType(request);
  const bytes = await readBytes(request, bytesMax);
  return parseJson(bytes);
}

function checkContentType(request: IncomingMessage): void {
  const type = request.headers['content-type'];
  if (type === undefined) {
    throw fault('INVALID_CONTENT_TYPE', { reason: 'Content-Type must be application/json, and is missing' });
  }
  const [media = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (media !== 'application/json' || (charset !== undefined && !/^"?utf-?8"?$/.test(charset))) {
    throw fault('INVALID_CONTENT_TYPE', { reason: 'Content-Type must be application/json in UTF-8' });
  }
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw fault('INVALID_CONTENT_TYPE', { reason: 'Content-Encoding is not supported' });
  }
}

const tooLarge = (bytesMax: number) =>
  fault('INVALID_BODY', { reason: `the body is larger than ${bytesMax} bytes`, maxBytes: bytesMax });

function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytesMax) return Promise.reject(tooLarge(bytesMax));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (finish: () => void) => {
      request.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost);
      finish();
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > bytesMax) settle(() => reject(tooLarge(bytesMax)));
      else chunks.push(chunk);
    };
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks, length)));
    const onLost = () =>
      settle(() => reject(fault('INVALID_BODY', { reason: 'the body ended before its declared length' })));
    request.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost);
  });
}

/**
 * Lets what nobody read flow by unseen, so that the client can finish and read the answer; cuts off what never ends.
 * To be called before the answer goes out: behind it Node does the same, without a bound.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete) return;
  let discarded = 0;
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > DISCARD_BYTES_MAX) request.destroy();
  });
  request.on('error', () => undefined);
  request.resume();
}

function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw fault('INVALID_BODY', { reason: 'the body is empty; it must be JSON' });
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw fault('INVALID_BODY', { reason: 'the body is not UTF-8' });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fault('INVALID_BODY', { reason: `the body is not JSON: ${jsonComplaint(error)}` });
  }
}

/** The parser's sentence without the excerpt of the body that newer versions of it quote. */
function jsonComplaint(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const position = /position (\d+)/.exec(message)?.[1];
  return position === undefined ? 'it ends too early or is malformed' : `malformed at position ${position}`;
}
