// HTTP as the tests need to see it: requests that fetch would not send, answers byte by byte, and what every refusal
// must look like.

import assert from 'node:assert/strict';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect as netConnect, type Socket } from 'node:net';
import { checkRefusal, checkReply } from './reply-shapes.ts';

export interface WireReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parsed JSON, or undefined when there was no body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly body: any;
}

export interface WireRequest {
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Uint8Array;
  /** Sends the body without declaring its length. */
  readonly chunked?: boolean;
}

/** How long a test waits for what must come; only a broken server ever takes that long. */
const PATIENCE_MS = 15_000;
const CHUNK_BYTES = 60_000;

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** Lines of JSON, archives, metrics and pages are left as they are. */
const parse = (text: string, type = ''): unknown =>
  text === '' || /^(?:application\/x-(?:ndjson|tar)|text\/(?:plain|html))\b/.test(type) ? undefined : JSON.parse(text);

/** Like fetch, for any verb, any header, and bodies with or without a declared length. */
export function send(address: string, method: string, path: string, options: WireRequest = {}): Promise<WireReply> {
  const body = options.body === undefined ? undefined : Buffer.from(options.body as Uint8Array);
  const length = body === undefined || options.chunked ? {} : { 'content-length': String(body.length) };
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const headers = { ...length, ...options.headers };
    const request = httpRequest({ agent, hostname, port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const status = response.statusCode ?? 0;
        const contentType = response.headers['content-type'];
        try {
          checkReply(method, path, { status, contentType, text });
        } catch (error) {
          reject(error);
          return;
        }
        resolve({
          status,
          headers: response.headers,
          text,
          body: parse(text, response.headers['content-type']),
        });
      });
    });
    request.on('error', reject);
    if (body !== undefined && options.chunked) {
      for (let at = 0; at < body.length; at += CHUNK_BYTES) request.write(body.subarray(at, at + CHUNK_BYTES));
      request.end();
    } else request.end(body);
  });
}

/** `fetch` for a reply that is read to its end. */
export async function fetchChecked(url: string | URL, options: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, options);
  const { pathname } = new URL(url);
  const contentType = response.headers.get('content-type') ?? undefined;
  const text = await response.clone().text();
  checkReply(options.method ?? 'GET', pathname, { status: response.status, contentType, text });
  return response;
}

/**
 * A bare connection: what is written goes out as it is, and answers are read one after the other. Which request an answer
 * belongs to is not known here, so that only refusals are checked.
 */
export class Wire {
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    const finish = () => {
      this.#ended = true;
      this.#wake();
    };
    // A server may cut what it refused; what counts is whether the answer came.
    socket.on('end', finish).on('close', finish).on('error', finish);
  }

  static async open(address: string): Promise<Wire> {
    const { hostname, port } = new URL(address);
    const socket = netConnect({ host: hostname, port: Number(port) });
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new Wire(socket);
  }

  write(data: string | Uint8Array): this {
    this.socket.write(data);
    return this;
  }

  /** The next answer, whatever the client has still to send. `bodyless` for the answer to a HEAD. */
  async answer({ bodyless = false } = {}): Promise<WireReply> {
    const headEnd = await this.#until(() => this.#received.indexOf('\r\n\r\n'));
    const [statusLine = '', ...lines] = this.#received.subarray(0, headEnd).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    assert.ok(status > 0, `not an answer: ${statusLine}`);
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = bodyless || status < 200 ? 0 : Number(headers['content-length'] ?? 0);
    const end = headEnd + 4 + length;
    await this.#until(() => (this.#received.length >= end ? end : -1));
    const text = this.#received.subarray(headEnd + 4, end).toString('utf8');
    this.#received = this.#received.subarray(end);
    checkRefusal(`${status} ${text.slice(0, 2_000)}`, { status, contentType: headers['content-type'], text });
    return { status, headers, text, body: parse(text, headers['content-type']) };
  }

  /** Whether the server ended the connection with nothing more to say. */
  async over(): Promise<void> {
    await this.#until(() => (this.#ended ? 0 : -1));
    assert.equal(this.#received.toString('latin1'), '');
  }

  close(): void {
    this.socket.destroy();
  }

  async #until(position: () => number): Promise<number> {
    const late = Date.now() + PATIENCE_MS;
    for (let found = position(); ; found = position()) {
      if (found >= 0) return found;
      const got = this.#received.subarray(0, 200).toString('latin1');
      assert.ok(!this.#ended, `the connection ended too early, after ${JSON.stringify(got)}`);
      assert.ok(Date.now() < late, `nothing came, after ${JSON.stringify(got)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, late - Date.now());
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

/** Opens a connection, runs `work` on it and closes it in any case. */
export async function onWire<T>(address: string, work: (wire: Wire) => Promise<T>): Promise<T> {
  const wire = await Wire.open(address);
  try {
    return await work(wire);
  } finally {
    wire.close();
  }
}

/** The head of a request as text, with the empty line behind it. */
export function head(method: string, path: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries({ Host: 'test', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
}

/** Stack frames, statements, files and what drivers say: nothing of it may leave the server. */
export const INSIDE =
  /\n\s+at |node_modules|node:internal|\.[jt]s:\d|file:\/\/|(?:^|["\s])\/(?:work|root|home|tmp|usr)\/|\b(?:select|insert into|update|delete from)\b.*\b(?:from|values|set|where)\b|SQLSTATE|FST_ERR|\bECONN|pg_|\bsyntax error\b/i;

/** No cache keeps what does not say that it may be kept, and no browser takes an answer for anything but what it says. */
export function assertPrivate({ headers }: WireReply, what = ''): void {
  const cacheControl = headers.etag === undefined ? 'no-store' : 'private, no-cache';
  assert.equal(headers['cache-control'], cacheControl, what);
  assert.equal(headers['x-content-type-options'], 'nosniff', what);
}

/** What every refusal has in common. */
export function assertProblem(reply: WireReply, status: number, code: string, where = ''): void {
  const what = `${where} answered ${reply.status} ${reply.text}`;
  assert.equal(reply.status, status, what);
  assert.match(String(reply.headers['content-type']), /^application\/json(?:;|$)/, what);
  assert.match(String(reply.headers['x-request-id']), /^[\w-]{4,}$/, what);
  assertPrivate(reply, what);
  assert.equal(reply.body?.code, code, what);
  assert.deepEqual(
    Object.keys(reply.body).filter((member) => member !== 'code' && member !== 'params'),
    [],
    what,
  );
  assert.ok(reply.body.params === undefined || Object.keys(reply.body.params).length > 0, what);
  assert.doesNotMatch(reply.text, INSIDE, what);
}

/** The same of the answer to a HEAD, of whose body only the length is known. */
export function assertBareProblem(reply: WireReply, status: number, code: string, where = ''): void {
  const what = `${where} answered ${reply.status}`;
  assert.equal(reply.status, status, what);
  assert.match(String(reply.headers['content-type']), /^application\/json(?:;|$)/, what);
  assert.match(String(reply.headers['x-request-id']), /^[\w-]{4,}$/, what);
  assertPrivate(reply, what);
  assert.ok(Number(reply.headers['content-length']) >= JSON.stringify({ code }).length, what);
  assert.equal(reply.text, '', what);
}

export const basic = (userId: string, password: string): string =>
  `Basic ${Buffer.from(`${userId}:${password}`, 'utf8').toString('base64')}`;
