// The command line's side of the operator interface: it goes through the front door like any other client.

import http from 'node:http';
import https from 'node:https';
import { type Config, readConfig } from '../config.ts';
import { CommandFailure } from './failure.ts';
import { operatorKeyFile, readOperatorKey } from './operator-key.ts';
import { runningServer } from './server-file.ts';

interface OperatorKey {
  readonly text: string;
  /** Where it is from, for people. */
  readonly source: string;
}

interface Order {
  readonly url: string;
  readonly key: OperatorKey;
  readonly method: string;
  readonly body: unknown;
}

export interface OperatorClient {
  send(method: string, path: string, body?: unknown): Promise<unknown>;
  /** The values of an answer that has one on each line, as they arrive. */
  lines(method: string, path: string): AsyncIterable<unknown>;
}

export async function connectOperator(
  environment: NodeJS.ProcessEnv,
  options: { url?: string },
): Promise<OperatorClient> {
  const config: Config = readConfig(environment);
  const key = await findKey(config);
  // A server that picked a port by itself cannot be named by that setting.
  const isPlaced = environment.CARTULARY_HOST || Number(environment.CARTULARY_PORT) > 0;
  const found = options.url ?? (isPlaced ? undefined : await runningServer(config.CARTULARY_DATA));
  const host = config.CARTULARY_HOST.includes(':') ? `[${config.CARTULARY_HOST}]` : config.CARTULARY_HOST;
  const url = found ?? `http://${host}:${config.CARTULARY_PORT}`;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new CommandFailure(`${url} is not the address of a server; it should look like http://127.0.0.1:8080.`);
  }
  // The base address that the server prints will do as well.
  const root = url.replace(/\/+$/, '').replace(/\/v1$/, '');
  const address = (path: string) => `${root}/operator/v1${path}`;
  return {
    send: (method, path, body) => send({ url: address(path), key, method, body }),
    lines: (method, path) => lines({ url: address(path), key, method, body: undefined }),
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

async function send(order: Order): Promise<unknown> {
  let status = 0;
  let text = '';
  try {
    const response = await exchange(order);
    status = response.statusCode ?? 0;
    for await (const chunk of response) text += chunk;
  } catch (error) {
    throw unanswered(order, error);
  }
  if (isGood(status)) return text === '' ? undefined : JSON.parse(text);
  throw new CommandFailure(explain(order, status, text));
}

async function* lines(order: Order): AsyncGenerator<unknown> {
  let status = 0;
  let text = '';
  try {
    const response = await exchange(order);
    status = response.statusCode ?? 0;
    for await (const chunk of response) {
      text += chunk;
      if (!isGood(status)) continue;
      const whole = text.split('\n');
      text = whole.pop() ?? '';
      for (const line of whole) yield JSON.parse(line);
    }
  } catch (error) {
    throw unanswered(order, error);
  }
  if (!isGood(status)) throw new CommandFailure(explain(order, status, text));
}

const isGood = (status: number): boolean => status >= 200 && status < 300;

function unanswered({ url }: Order, error: unknown): unknown {
  if (typeof (error as NodeJS.ErrnoException).code !== 'string') return error;
  const { origin } = new URL(url);
  return new CommandFailure(
    isCut(error)
      ? `The server at ${origin} ended the connection before it answered. What was asked for may have been done or not.`
      : `No server answers at ${origin}. Is it running? Where it listens elsewhere, set CARTULARY_HOST and CARTULARY_PORT, or give --url.`,
    { cause: error },
  );
}

const isCut = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ECONNRESET';

const PROBE_MS = 30_000;

/** Not with `fetch`: it gives up after five minutes without an answer, and publishing may take longer. */
function exchange({ url, key, method, body }: Order): Promise<http.IncomingMessage> {
  const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const headers = {
    authorization: `Bearer ${key.text}`,
    ...(content === undefined ? {} : { 'content-type': 'application/json', 'content-length': content.length }),
  };
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? https.request : http.request;
    const sent = request(url, { method, headers }, (response) => resolve(response.setEncoding('utf8')));
    // A server that has gone without a word is noticed nevertheless.
    sent.setSocketKeepAlive(true, PROBE_MS);
    sent.on('error', reject);
    sent.end(content);
  });
}

interface ProblemBody {
  readonly code?: string;
  readonly params?: {
    readonly reason?: string;
    readonly path?: string;
    readonly problems?: { path: string; reason: string }[];
    readonly changes?: { text: string; records?: number }[];
    readonly collisions?: { collectionId: string; columnId: string; value: unknown; recordIds: string[] }[];
  };
}

function explain({ url, key }: Order, status: number, text: string): string {
  let problem: ProblemBody;
  try {
    problem = JSON.parse(text) as ProblemBody;
  } catch {
    return `The server answered ${status}.`;
  }
  const { code, params } = problem;
  if (code === 'UNAUTHORIZED') {
    return `The server at ${new URL(url).origin} refused the operator key, which is from ${key.source}.`;
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
  return `${code ?? status}${params === undefined ? '' : ` ${JSON.stringify(params)}`}`;
}
