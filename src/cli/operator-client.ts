// The command line's side of the operator interface: it goes through the front door like any other client.

import { type Config, readConfig } from '../settings/settings.ts';
import { CommandFailure } from './failure.ts';
import { type AddressOptions, findServer, type ServerAddress } from './operator-address.ts';
import { isCut, isUnreached, OperatorConnection, type OperatorKey, type Order } from './operator-connection.ts';
import { operatorKeyFile, readOperatorKey } from './operator-key.ts';

export interface OperatorClient {
  send(method: string, path: string, body?: unknown): Promise<unknown>;
  /** The values of an answer that has one on each line, as they arrive. */
  lines(method: string, path: string): AsyncIterable<unknown>;
}

export async function connectOperator(
  environment: NodeJS.ProcessEnv,
  options: AddressOptions,
): Promise<OperatorClient> {
  const config: Config = readConfig(environment);
  const key = await findKey(config);
  const keyIsKept = config.CARTULARY_OPERATOR_KEY === undefined;
  const client = new Client(await findServer(environment, config, { ...options, keyIsKept }), key);
  return {
    send: (method, path, body) => client.send({ method, path, body }),
    lines: (method, path) => client.lines({ method, path, body: undefined }),
  };
}

async function findKey({ CARTULARY_OPERATOR_KEY: given, CARTULARY_DATA: folder }: Config): Promise<OperatorKey> {
  if (given !== undefined) return { text: given, source: 'CARTULARY_OPERATOR_KEY' };
  const kept = await readOperatorKey(folder);
  if (kept !== undefined) return { text: kept, source: operatorKeyFile(folder) };
  throw new CommandFailure(
    `No operator key: set CARTULARY_OPERATOR_KEY, or CARTULARY_DATA to the server's data folder (tried ${folder}).`,
  );
}

class Client {
  readonly #server: ServerAddress;
  readonly #key: OperatorKey;
  /** Those on which nothing is under way; as many as there ever were orders at once. */
  readonly #idle: OperatorConnection[] = [];

  constructor(server: ServerAddress, key: OperatorKey) {
    this.#server = server;
    this.#key = key;
  }

  async send(order: Order): Promise<unknown> {
    let text = '';
    for await (const chunk of this.#chunks(order)) text += chunk;
    return text === '' ? undefined : JSON.parse(text);
  }

  async *lines(order: Order): AsyncGenerator<unknown> {
    let text = '';
    for await (const chunk of this.#chunks(order)) {
      text += chunk;
      const whole = text.split('\n');
      text = whole.pop() ?? '';
      for (const line of whole) yield JSON.parse(line);
    }
  }

  /** Of an answer that is good; any other is thrown. */
  async *#chunks(order: Order): AsyncGenerator<string> {
    let connection: OperatorConnection | undefined;
    try {
      connection = this.#idle.pop() ?? (await OperatorConnection.open(this.#server, this.#key));
      const response = await connection.send(order);
      const { statusCode: status = 0 } = response;
      let problem = '';
      for await (const chunk of response) {
        if (isGood(status)) yield chunk;
        else problem += chunk;
      }
      this.#idle.push(connection);
      connection = undefined;
      if (!isGood(status)) throw new CommandFailure(this.#explain(status, problem));
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
        `The server at ${origin} ended the connection before it answered. What was asked for may have been done or not.`,
        { cause: error },
      );
    }
    if (!isUnreached(error)) return error;
    const { syscall, message } = error as NodeJS.ErrnoException;
    const why =
      syscall === undefined
        ? `Cannot speak to ${origin}: ${message}.`
        : `No server answers at ${origin}. Is it running?`;
    return new CommandFailure(`${why} ${advice}`, { cause: error });
  }

  #explain(status: number, text: string): string {
    const { origin } = this.#server;
    if (status >= 300 && status < 400)
      return `What is at ${origin} answered ${status}; the operator key is not sent on to other addresses.`;
    return explain({ origin, key: this.#key }, status, text);
  }
}

const isGood = (status: number): boolean => status >= 200 && status < 300;

interface ProblemBody {
  readonly code?: string;
  readonly params?: {
    readonly reason?: string;
    readonly path?: string;
    readonly property?: string;
    readonly problems?: { path: string; reason: string }[];
    readonly changes?: { text: string; records?: number }[];
    readonly collisions?: { collectionId: string; columnId: string; value: unknown; recordIds: string[] }[];
  };
}

function explain({ origin, key }: { origin: string; key: OperatorKey }, status: number, text: string): string {
  let problem: ProblemBody;
  try {
    problem = JSON.parse(text) as ProblemBody;
  } catch {
    return `The server answered ${status}.`;
  }
  const { code, params } = problem;
  if (code === 'UNAUTHORIZED') {
    return `The server at ${origin} refused the operator key, which is from ${key.source}.`;
  }
  if (params?.problems)
    return ['The document is wrong:', ...params.problems.map((p) => `  ${p.path || '/'} ${p.reason}`)].join('\n');
  if (params?.collisions) {
    const lines = params.collisions.map(
      (c) => `  ${JSON.stringify(c.value)} in column ${c.columnId} of ${c.collectionId}: ${c.recordIds.join(', ')}`,
    );
    return ['Records share values in a column that is to be unique:', ...lines].join('\n');
  }
  if (params?.changes) {
    const lines = params.changes.map((c) => `  ${c.text} (${c.records ?? 0} records)`);
    return ['This would lose data:', ...lines, 'Publish with --allow-data-loss if that is meant.'].join('\n');
  }
  if (params?.reason !== undefined && params.path !== undefined)
    return `${code}: ${params.path || '/'} ${params.reason}`;
  if (params?.reason !== undefined && params.property !== undefined)
    return `${code} ${params.property}: ${params.reason}`;
  return `${code ?? status}${params === undefined ? '' : ` ${JSON.stringify(params)}`}`;
}
