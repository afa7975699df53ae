// The client of the operator interface that all commands use. It talks HTTP like any other client.

import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { type Config, readConfig } from '../settings/settings.ts';
import { CommandFailure, exitOfStatus } from './failure.ts';
import { keepApplications } from './name-cache.ts';
import { type AddressOptions, findServer, type ServerAddress } from './operator-address.ts';
import { connectFailure, isCut, OperatorConnection, type OperatorKey, type Order } from './operator-connection.ts';
import { operatorKeyFile, readOperatorKey } from './operator-key.ts';
import { Refusal, type RefusalParams } from './refusals.ts';

export interface OperatorClient {
  /** The server's address, without a slash at the end. */
  readonly root: string;
  send(method: string, path: string, body?: unknown): Promise<unknown>;
  /** The values of a reply with one JSON value per line, as they arrive. */
  lines(method: string, path: string): AsyncIterable<unknown>;
}

/** For backups, which only the operator has. */
export interface TransferClient extends OperatorClient {
  /** The bytes of a reply, as they arrive. */
  bytes(path: string): AsyncIterable<Buffer>;
  /** Sends bytes of any length. */
  upload(path: string, stream: Readable): Promise<unknown>;
}

export async function connectOperator(
  environment: NodeJS.ProcessEnv,
  options: AddressOptions,
): Promise<TransferClient> {
  const config: Config = readConfig(environment);
  const key = await findKey(config);
  const keyIsKept = config.CARTULARY_OPERATOR_KEY === undefined;
  const server = await findServer(environment, config, { ...options, keyIsKept });
  const client = new Client(server, key);
  return {
    root: server.root,
    send: async (method, path, body) => {
      const reply = await client.send({ method, path, body });
      if (method === 'GET' && path === '/applications') await keepApplications(environment, reply);
      return reply;
    },
    lines: (method, path) => client.lines({ method, path, body: undefined }),
    bytes: (path) => client.bytes({ method: 'GET', path, body: undefined }),
    upload: (path, stream) => client.send({ method: 'POST', path, body: undefined, stream }),
  };
}

export async function hasOperatorKey(environment: NodeJS.ProcessEnv): Promise<boolean> {
  const { CARTULARY_OPERATOR_KEY: given, CARTULARY_DATA: folder } = readConfig(environment);
  return given !== undefined || (await readOperatorKey(folder)) !== undefined;
}

async function findKey({ CARTULARY_OPERATOR_KEY: given, CARTULARY_DATA: folder }: Config): Promise<OperatorKey> {
  if (given !== undefined) return { text: given, source: 'CARTULARY_OPERATOR_KEY' };
  const kept = await readOperatorKey(folder);
  if (kept !== undefined) return { text: kept, source: operatorKeyFile(folder) };
  throw new CommandFailure(
    `No operator key: set CARTULARY_OPERATOR_KEY, or CARTULARY_DATA to the server's data folder (tried ${folder}).`,
    { exit: 'noRight' },
  );
}

class Client {
  readonly #server: ServerAddress;
  readonly #key: OperatorKey;
  /** Idle connections; as many as there were concurrent orders. */
  readonly #idle: OperatorConnection[] = [];

  constructor(server: ServerAddress, key: OperatorKey) {
    this.#server = server;
    this.#key = key;
  }

  async send(order: Order): Promise<unknown> {
    let text = '';
    for await (const chunk of this.#texts(order)) text += chunk;
    return text === '' ? undefined : JSON.parse(text);
  }

  async *lines(order: Order): AsyncGenerator<unknown> {
    let text = '';
    for await (const chunk of this.#texts(order)) {
      text += chunk;
      const whole = text.split('\n');
      text = whole.pop() ?? '';
      for (const line of whole) yield JSON.parse(line);
    }
  }

  bytes(order: Order): AsyncIterable<Buffer> {
    return this.#chunks(order);
  }

  async *#texts(order: Order): AsyncGenerator<string> {
    const decoder = new StringDecoder('utf8');
    for await (const chunk of this.#chunks(order)) yield decoder.write(chunk);
    yield decoder.end();
  }

  #takeIdle(): OperatorConnection | undefined {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.isUsable) return connection;
      connection.close();
    }
    return undefined;
  }

  /** The chunks of a successful reply; any other reply is thrown. */
  async *#chunks(order: Order): AsyncGenerator<Buffer> {
    let connection: OperatorConnection | undefined;
    try {
      connection = this.#takeIdle() ?? (await OperatorConnection.open(this.#server, this.#key));
      const response = await connection.send(order);
      const { statusCode: status = 0 } = response;
      const problem: Buffer[] = [];
      for await (const chunk of response as AsyncIterable<Buffer>) {
        if (isGood(status)) yield chunk;
        else problem.push(chunk);
      }
      // A refused upload was not sent to its end.
      if (order.stream === undefined) {
        connection.markUsed();
        this.#idle.push(connection);
        connection = undefined;
      }
      if (!isGood(status)) throw this.#refusal(status, Buffer.concat(problem).toString());
    } catch (error) {
      throw this.#unanswered(error);
    } finally {
      connection?.close();
    }
  }

  #unanswered(error: unknown): unknown {
    const { origin, advice } = this.#server;
    if (isCut(error)) {
      return new CommandFailure(
        `The server at ${origin} closed the connection before it replied. The command may or may not have been carried out.`,
        { cause: error, exit: 'unavailable' },
      );
    }
    const why = connectFailure(error, origin);
    return why === undefined ? error : new CommandFailure(`${why} ${advice}`, { cause: error, exit: 'unavailable' });
  }

  #refusal(status: number, text: string): CommandFailure {
    const { origin } = this.#server;
    if (status >= 300 && status < 400) {
      return new CommandFailure(
        `${origin} replied with a redirect (${status}); the operator key is not sent to other addresses.`,
      );
    }
    return refusalOf({ origin, key: this.#key }, status, text);
  }
}

const isGood = (status: number): boolean => status >= 200 && status < 300;

function refusalOf(
  { origin, key }: { origin: string; key: OperatorKey },
  status: number,
  text: string,
): CommandFailure {
  let problem: { readonly code?: string; readonly params?: RefusalParams };
  try {
    problem = Object(JSON.parse(text));
  } catch {
    return new CommandFailure(`The server replied with status ${status}.`, { exit: exitOfStatus(status) });
  }
  const { code = String(status), params = {} } = problem;
  if (code !== 'UNAUTHORIZED') return new Refusal(code, params, status);
  return new CommandFailure(`The server at ${origin} refused the operator key from ${key.source}.`, {
    exit: 'noRight',
  });
}
