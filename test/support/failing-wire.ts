// Stands between the server and PostgreSQL and has one statement fail: the database is sent another in its place that
// raises the error, so that whatever an error does to a transaction happens there as well.

import { createServer, type Socket } from 'node:net';
import type pg from 'pg';
import { closedAtLast } from './left-open.ts';
import type { Reply } from './server.ts';
import { connectUpstream } from './upstream.ts';
import { messagesIn, type Pending } from './wire-messages.ts';

/** An SQLSTATE; `cut`: the connection ends before the statement is run; `lost`: it is run, and the answer is lost. */
export type Failure = { readonly sqlstate: string } | 'cut' | 'lost';

export interface FailingWire {
  readonly connection: pg.ClientConfig;
  /** Of the statements from now on, counted from 1, this one fails. */
  fail(at: number, failure: Failure): void;
  /**
   * The text of the statement that failed; undefined when there were fewer. Nothing fails from now on, and the database has
   * done all that it was sent on a connection that ended.
   */
  stop(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** What makes requests and transactions start over, and what may look like it. */
const FAILURES: readonly Failure[] = [
  ...['42703', '42P01', '40001', '40P01', '55P03'].map((sqlstate) => ({ sqlstate })),
  'cut',
  'lost',
];
/** Far more than any request of the tests needs. */
const STATEMENTS_MAX = 120;

export interface Attempt {
  readonly reply: Reply;
  readonly check: () => Promise<void>;
}

/**
 * Makes the attempt once for each statement that it has sent, and each way in which that can fail. `begin` is to be called
 * when it is prepared.
 */
export async function throughEveryFailure(
  wire: FailingWire,
  attempt: (failure: Failure, begin: () => void) => Promise<Attempt>,
  failures = FAILURES,
): Promise<void> {
  for (const failure of failures) {
    for (let at = 1; ; at++) {
      const { reply, check } = await attempt(failure, () => wire.fail(at, failure));
      const met = await wire.stop();
      try {
        await check();
      } catch (cause) {
        const how = typeof failure === 'string' ? failure : failure.sqlstate;
        throw new Error(`${how} at statement ${at}, ${met}: ${reply.status} ${reply.text}`, { cause });
      }
      if (met === undefined) break;
      if (at === STATEMENTS_MAX) throw new Error('there is no end to its statements');
    }
  }
}

const PARSE = 'P';
const BIND = 'B';
const QUERY = 'Q';
const SYNC = 'S';
const CLOSE = 'C';
const PASSWORD = 'p';
const TERMINATE = 'X';
const READY = 'Z';

export async function failingWire(target: pg.ClientConfig): Promise<FailingWire> {
  let plan: { at: number; readonly failure: Failure } | undefined;
  let failed: string | undefined;
  const sockets = new Set<Socket>();
  /** Of connections that were made to end: each settles when the database has done what it was sent. */
  const cuts: Promise<unknown>[] = [];

  /** How the statement is to fail, when it is its turn. */
  const failureOf = (text: string): Failure | undefined => {
    if (plan === undefined) return undefined;
    // It neither reads nor locks anything, and fails in no other way than with its connection.
    if (text === 'begin' && typeof plan.failure === 'object') return undefined;
    plan.at -= 1;
    if (plan.at > 0) return undefined;
    const { failure } = plan;
    plan = undefined;
    failed = text;
    return failure;
  };

  const server = createServer((client) => {
    const upstream = connectUpstream(target, client, sockets);
    // Statements travel one by one here: waiting for acknowledgements would take most of the time.
    for (const socket of [client, upstream]) socket.setNoDelay();
    const connection = new Connection(client, upstream, { failureOf, onCut: (done) => cuts.push(done) });
    client.on('data', (chunk) => connection.said(chunk));
    upstream.on('data', (chunk) => connection.answered(chunk));
    client.on('close', () => upstream.end());
    upstream.on('close', () => client.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    connection: { ...target, host: '127.0.0.1', port: address.port },
    fail: (at, failure) => {
      failed = undefined;
      plan = { at, failure };
    },
    stop: async () => {
      plan = undefined;
      await Promise.all(cuts.splice(0));
      return failed;
    },
    close: closedAtLast(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    }),
  };
}

interface Means {
  readonly failureOf: (text: string) => Failure | undefined;
  readonly onCut: (done: Promise<unknown>) => void;
}

class Connection {
  readonly #client: Socket;
  readonly #upstream: Socket;
  readonly #means: Means;
  readonly #fromClient: Pending = { bytes: Buffer.alloc(0), untyped: true };
  readonly #fromServer: Pending = { bytes: Buffer.alloc(0), untyped: false };
  /** The texts of prepared statements by their names. */
  readonly #texts = new Map<string, string>();
  /** What was said since the latest Sync. */
  #group: Buffer[] = [];
  #counts = true;
  /** Statements that were sent on; how often the server said that it is ready, first at the start; behind this one no answer arrives. */
  #sent = 0;
  #ready = 0;
  #lastAnswered = Number.POSITIVE_INFINITY;
  #isCut = false;

  constructor(client: Socket, upstream: Socket, means: Means) {
    this.#client = client;
    this.#upstream = upstream;
    this.#means = means;
  }

  said(chunk: Buffer): void {
    for (const message of messagesIn(this.#fromClient, chunk)) if (!this.#isCut) this.#hear(message);
  }

  /** What is answered goes through as it is, until an answer is to be lost: when all of it is there, the statement is done. */
  answered(chunk: Buffer): void {
    for (const message of messagesIn(this.#fromServer, chunk)) {
      const isLost = this.#ready >= this.#lastAnswered;
      if (!isLost && !this.#isCut) this.#client.write(message);
      if (typeOf(message) !== READY) continue;
      this.#ready += 1;
      if (isLost && !this.#isCut) this.#cut();
      if (this.#isCut && this.#isIdle) this.#upstream.destroy();
    }
  }

  #hear(message: Buffer): void {
    // The first has no type.
    if (this.#fromClient.untyped) {
      this.#fromClient.untyped = false;
      this.#counts = !message.includes('cartulary listener');
      this.#upstream.write(message);
      return;
    }
    const type = typeOf(message);
    if (type === PARSE) {
      const [name = '', text = ''] = stringsIn(message);
      this.#texts.set(name, text);
    }
    this.#group.push(message);
    if (type === PASSWORD || type === TERMINATE) this.#forward(this.#group);
    if (type !== SYNC && type !== QUERY) return;
    this.#statement(type === QUERY ? (stringsIn(message)[0] ?? '') : this.#boundText());
  }

  #statement(text: string | undefined): void {
    const group = this.#group;
    const failure = text !== undefined && this.#counts ? this.#means.failureOf(text) : undefined;
    if (failure === 'cut') {
      this.#cut();
    } else if (failure === undefined || failure === 'lost') {
      // The connection's own Ready, behind its start, is the first.
      if (failure === 'lost') this.#lastAnswered = this.#sent + 1;
      this.#sent += 1;
      this.#forward(group);
    } else {
      this.#sent += 1;
      // A Parse could fail by itself, and then all would be skipped up to a Sync that does not come.
      const kept = group.filter((message) => typeOf(message) === CLOSE);
      this.#forward([...kept, raising(failure.sqlstate)]);
    }
  }

  #boundText(): string | undefined {
    const bind = this.#group.find((message) => typeOf(message) === BIND);
    return bind && this.#texts.get(stringsIn(bind)[1] ?? '');
  }

  #forward(messages: readonly Buffer[]): void {
    this.#group = [];
    this.#upstream.write(Buffer.concat(messages));
  }

  /** Whether all that was sent on is answered; the start is answered too. */
  get #isIdle(): boolean {
    return this.#ready === this.#sent + 1;
  }

  #cut(): void {
    this.#isCut = true;
    this.#means.onCut(new Promise((resolve) => this.#upstream.once('close', resolve)));
    this.#client.destroy();
    if (this.#isIdle) this.#upstream.destroy();
  }
}

const typeOf = (message: Buffer): string => message.toString('latin1', 0, 1);

/** The strings, each with a zero behind it, with which a message begins. */
const stringsIn = (message: Buffer): string[] => message.subarray(5).toString('utf8').split('\0', 2);

function raising(sqlstate: string): Buffer {
  const text = `do $$ begin raise exception using errcode = '${sqlstate}', message = 'made to fail'; end $$\0`;
  const head = Buffer.alloc(5);
  head.write(QUERY, 'latin1');
  head.writeInt32BE(4 + Buffer.byteLength(text), 1);
  return Buffer.concat([head, Buffer.from(text)]);
}
