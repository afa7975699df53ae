// A connection to the operator interface. The server proves that it knows the operator key before the key is sent over
// the same connection. Redirects are not followed and proxies of the environment are not used, so that no third party
// gets the key.

import { createSecretKey, randomBytes } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { endpointOf, isSameProof, proveOperatorKey } from '../domain/people/server-proof.ts';
import type { OperatorProof } from '../wire/operator.ts';
import { CommandFailure } from './failure.ts';
import { type ServerAddress, unknownHost } from './operator-address.ts';

export interface OperatorKey {
  readonly text: string;
  /** Where it comes from, for messages. */
  readonly source: string;
}

export interface Order {
  readonly method: string;
  /** Relative to the operator interface. */
  readonly path: string;
  readonly body: unknown;
  /** Bytes of any length in the place of a body, sent once the server asks for them. */
  readonly stream?: Readable;
}

const PROBE_MS = 30_000;
/** Less than the 75 s after which the server closes an idle connection (http/clients/timeouts). */
const IDLE_MS_MAX = 60_000;
const PROOF_MS_MAX = 10_000;
const PROOF_CHARACTERS_MAX = 10_000;

/** The server closed the connection before it had replied. */
export const isCut = (error: unknown): boolean => (error as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET';

export class OperatorConnection {
  readonly #server: ServerAddress;
  readonly #key: OperatorKey;
  readonly #agent: http.Agent;
  #socket: Socket | undefined;
  #usedAt = performance.now();

  private constructor(server: ServerAddress, key: OperatorKey) {
    this.#server = server;
    this.#key = key;
    this.#agent = makeAgent(server);
  }

  static async open(server: ServerAddress, key: OperatorKey): Promise<OperatorConnection> {
    const connection = new OperatorConnection(server, key);
    try {
      await connection.#requireProof();
    } catch (error) {
      connection.close();
      throw error;
    }
    return connection;
  }

  /** False once the server has closed the connection or is about to, because it was idle for long. */
  get isUsable(): boolean {
    return this.#socket?.destroyed !== true && performance.now() - this.#usedAt < IDLE_MS_MAX;
  }

  /** The caller records that a reply was read to its end. */
  markUsed(): void {
    this.#usedAt = performance.now();
  }

  /** A reply has to be read to its end before the next order. */
  send(order: Order): Promise<http.IncomingMessage> {
    return this.#exchange(order, { authorization: `Bearer ${this.#key.text}` });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Not with `fetch`, which times out after five minutes without a reply: publishing may take longer. */
  #exchange(
    { method, path, body, stream }: Order,
    credentials: http.OutgoingHttpHeaders,
    signal?: AbortSignal,
  ): Promise<http.IncomingMessage> {
    const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = {
      ...credentials,
      ...(content === undefined ? {} : { 'content-type': 'application/json', 'content-length': content.length }),
      // A server that refuses replies before the first byte.
      ...(stream === undefined ? {} : { 'content-type': 'application/x-tar', expect: '100-continue' }),
    };
    const { root } = this.#server;
    return new Promise((resolve, reject) => {
      const request = root.startsWith('https:') ? https.request : http.request;
      const options = { method, headers, agent: this.#agent, ...(signal === undefined ? {} : { signal }) };
      const sent = request(`${root}/operator/v1${path}`, options, (response) => {
        this.#socket = response.socket;
        resolve(response);
      });
      // TCP keep-alive notices a server that vanished without closing the connection.
      sent.setSocketKeepAlive(true, PROBE_MS);
      sent.on('error', reject);
      if (stream === undefined) sent.end(content);
      else {
        sent.flushHeaders();
        sent.once('continue', () => stream.on('error', reject).pipe(sent));
      }
    });
  }

  async #requireProof(): Promise<void> {
    const nonce = randomBytes(32).toString('base64url');
    const { status, endpoint, retryAfter, given } = await this.#requestProof(nonce);
    const { origin, isDirect } = this.#server;
    if (status === 429 || status === 503) {
      const state = status === 429 ? 'receives too many requests' : 'is not available now';
      throw new CommandFailure(`The server at ${origin} ${state}; try again in ${retryAfter} s.`, {
        exit: 'unavailable',
      });
    }
    const expected = proveOperatorKey(createSecretKey(Buffer.from(this.#key.text)), nonce, endpoint);
    if (!isSameProof(given.knows, expected.knows)) throw this.#unproven();
    if (isDirect && !isSameProof(given.here, expected.here)) {
      throw new CommandFailure(
        `The server at ${origin} knows the operator key, but the connection passes through a proxy or a mapped port, which could read the key. The key was not sent. Use https, or add --insecure to send it nevertheless.`,
        { exit: 'noRight' },
      );
    }
  }

  async #requestProof(nonce: string) {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), PROOF_MS_MAX);
    try {
      const response = await this.#exchange({ method: 'POST', path: '/proof', body: { nonce } }, {}, timeout.signal);
      const { remoteAddress, remotePort } = response.socket;
      const endpoint = endpointOf(remoteAddress, remotePort);
      const { statusCode: status, headers } = response;
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) {
        text += chunk;
        if (text.length > PROOF_CHARACTERS_MAX) throw this.#unproven();
      }
      return { status, endpoint, retryAfter: headers['retry-after'] ?? '60', given: proofIn(text) };
    } catch (error) {
      if (timeout.signal.aborted) {
        const seconds = PROOF_MS_MAX / 1000;
        throw new CommandFailure(`${this.#server.origin} did not reply within ${seconds} s. The key was not sent.`, {
          cause: error,
          exit: 'unavailable',
        });
      }
      const isKnown = error instanceof CommandFailure || connectFailure(error, this.#server.origin) !== undefined;
      throw isKnown ? error : this.#unproven(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #unproven(cause?: unknown): CommandFailure {
    return new CommandFailure(
      `The program that listens at ${this.#server.origin} did not prove that it knows the operator key from ${this.#key.source}. The key was not sent. The program is not a server of this version, or it has another key.`,
      { cause, exit: 'noRight' },
    );
  }
}

function proofIn(text: string): Partial<Record<keyof OperatorProof, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Why the connection could not be made; undefined for an error on an open connection. */
export function connectFailure(error: unknown, origin: string): string | undefined {
  const { code = '', syscall = '', message } = error as NodeJS.ErrnoException;
  if (syscall === 'getaddrinfo') return unknownHost(new URL(origin).hostname, code);
  if (syscall === 'connect') return `No server answers at ${origin}. Is it running?`;
  // OpenSSL read the beginning of a plain HTTP reply as a TLS record.
  if (code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return `${origin} does not speak TLS. If it is plain HTTP, use http:// instead of https://.`;
  }
  if (/CERT|SELF_SIGNED|SIGNATURE/.test(code)) {
    return `The TLS certificate of ${origin} is not trusted (${message}). To trust it, set NODE_EXTRA_CA_CERTS to the file of the certificate, or of the authority that signed it.`;
  }
  return /TLS|SSL/.test(code) ? `No TLS connection to ${origin}: ${message}.` : undefined;
}

/** One connection. Without TLS the agent may not replace it: another program on the same port has proved nothing. */
function makeAgent({ root, isDirect }: ServerAddress): http.Agent {
  const options = { keepAlive: true, maxSockets: 1 };
  const agent = root.startsWith('https:') ? new https.Agent(options) : new http.Agent(options);
  if (!isDirect) return agent;
  const connect = agent.createConnection.bind(agent);
  let isConnected = false;
  agent.createConnection = (to, callback): Duplex | null | undefined => {
    if (!isConnected) {
      isConnected = true;
      return connect(to, callback);
    }
    const ended = Object.assign(new Error('The connection has ended'), { code: 'ECONNRESET' });
    callback?.(ended, undefined as never);
    return undefined;
  };
  return agent;
}
