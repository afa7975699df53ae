// A connection on which the server has proved that it knows the operator key, before the key goes over it. Redirects are
// answers like any other, and proxies of the environment are not asked: nobody else may be between.

import { createSecretKey, randomBytes } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { endpointOf, isSameProof, proveOperatorKey } from '../domain/people/operator-proof.ts';
import type { OperatorProof } from '../wire/operator.ts';
import { CommandFailure } from './failure.ts';
import type { ServerAddress } from './operator-address.ts';

export interface OperatorKey {
  readonly text: string;
  /** Where it is from, for people. */
  readonly source: string;
}

export interface Order {
  readonly method: string;
  /** Below the operator's interface. */
  readonly path: string;
  readonly body: unknown;
}

const PROBE_MS = 30_000;
const PROOF_MS_MAX = 10_000;
const PROOF_CHARACTERS_MAX = 10_000;

/** Ended by the other side, before all was done on it. */
export const isCut = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ECONNRESET';

export class OperatorConnection {
  readonly #server: ServerAddress;
  readonly #key: OperatorKey;
  readonly #agent: http.Agent;

  private constructor(server: ServerAddress, key: OperatorKey) {
    this.#server = server;
    this.#key = key;
    this.#agent = makeAgent(server);
  }

  static async open(server: ServerAddress, key: OperatorKey): Promise<OperatorConnection> {
    const connection = new OperatorConnection(server, key);
    try {
      await connection.#demandProof();
    } catch (error) {
      connection.close();
      throw error;
    }
    return connection;
  }

  /** The answer is to be read to its end before the next order. */
  send(order: Order): Promise<http.IncomingMessage> {
    return this.#exchange(order, { authorization: `Bearer ${this.#key.text}` });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Not with `fetch`: it gives up after five minutes without an answer, and publishing may take longer. */
  #exchange(
    { method, path, body }: Order,
    credentials: http.OutgoingHttpHeaders,
    signal?: AbortSignal,
  ): Promise<http.IncomingMessage> {
    const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = {
      ...credentials,
      ...(content === undefined ? {} : { 'content-type': 'application/json', 'content-length': content.length }),
    };
    const { root } = this.#server;
    return new Promise((resolve, reject) => {
      const request = root.startsWith('https:') ? https.request : http.request;
      const options = { method, headers, agent: this.#agent, ...(signal === undefined ? {} : { signal }) };
      const sent = request(`${root}/operator/v1${path}`, options, (response) => resolve(response.setEncoding('utf8')));
      // A server that has gone without a word is noticed nevertheless.
      sent.setSocketKeepAlive(true, PROBE_MS);
      sent.on('error', reject);
      sent.end(content);
    });
  }

  async #demandProof(): Promise<void> {
    const nonce = randomBytes(32).toString('base64url');
    const { status, endpoint, retryAfter, given } = await this.#askForProof(nonce);
    const { origin, isDirect } = this.#server;
    if (status === 429 || status === 503) {
      const state = status === 429 ? 'is asked too often' : 'cannot serve now';
      throw new CommandFailure(`The server at ${origin} ${state}; try again in ${retryAfter} s.`);
    }
    const expected = proveOperatorKey(createSecretKey(Buffer.from(this.#key.text)), nonce, endpoint);
    if (!isSameProof(given.knows, expected.knows)) throw this.#unproven();
    if (isDirect && !isSameProof(given.here, expected.here)) {
      throw new CommandFailure(
        `The server at ${origin} knows the operator key, but something is between, such as a proxy or a mapped port, and could read it. Nothing was sent. Use https, or add --insecure if that is meant.`,
      );
    }
  }

  async #askForProof(nonce: string) {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), PROOF_MS_MAX);
    try {
      const response = await this.#exchange({ method: 'POST', path: '/proof', body: { nonce } }, {}, late.signal);
      const { remoteAddress, remotePort } = response.socket;
      const endpoint = endpointOf(remoteAddress, remotePort);
      const { statusCode: status, headers } = response;
      let text = '';
      for await (const chunk of response) {
        text += chunk;
        if (text.length > PROOF_CHARACTERS_MAX) throw this.#unproven();
      }
      return { status, endpoint, retryAfter: headers['retry-after'] ?? '60', given: proofIn(text) };
    } catch (error) {
      if (late.signal.aborted) {
        const seconds = PROOF_MS_MAX / 1000;
        throw new CommandFailure(`${this.#server.origin} did not answer within ${seconds} s. No key was sent.`, {
          cause: error,
        });
      }
      throw isUnreached(error) || error instanceof CommandFailure ? error : this.#unproven(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #unproven(cause?: unknown): CommandFailure {
    return new CommandFailure(
      `Who listens at ${this.#server.origin} did not prove to know the operator key, which is from ${this.#key.source}. Nothing was sent. Either it is no server of this version, or one with another key.`,
      { cause },
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

/** No connection came to be: nobody is there, or nobody whom TLS trusts. */
export const isUnreached = (error: unknown): boolean => {
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
  return syscall === 'connect' || syscall === 'getaddrinfo' || /CERT|TLS|SSL/.test(code);
};

/** One connection at a time. Without TLS it is never replaced: who takes the port meanwhile has proved nothing. */
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
