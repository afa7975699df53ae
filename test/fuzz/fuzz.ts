// The loop: inputs of a seed, sent over several connections at once, and each reply judged. No reply may be a failure of
// the server or of another shape than the interface promises, and none may be missing.

import { mixSeeds, Random } from '../search/random.ts';
import { INSIDE } from '../support/http-client.ts';
import { checkReply } from '../support/reply-shapes.ts';
import { Connection, type Outcome, type RawReply, textOfReply } from './connection.ts';
import { type Operation, operationsOf } from './operations.ts';
import { rawInput } from './raw.ts';
import { type Input, operationInput } from './request.ts';
import { openScene, type Scene, type Target } from './scene.ts';

export interface FuzzOptions extends Target {
  readonly seed: number;
  readonly inputs: number;
  /** The number of the only input to send. */
  readonly only?: number | undefined;
  readonly connections: number;
  /** After each batch: how many inputs were sent. */
  readonly onBatch?: (done: number) => Promise<void> | void;
}

export interface Finding {
  readonly input: number;
  readonly title: string;
  readonly reason: string;
  /** The beginning of what was sent. */
  readonly sent: string;
}

export interface FuzzReport {
  readonly inputs: number;
  readonly raw: number;
  readonly replies: number;
  /** Replies 503 that are right. */
  readonly busy: number;
  readonly statuses: ReadonlyMap<number, number>;
  readonly operations: readonly string[];
  /** Operations of which an input had a success. */
  readonly succeeded: ReadonlySet<string>;
  readonly tried: ReadonlySet<string>;
  readonly scenes: number;
  readonly findings: readonly Finding[];
}

/** After so many inputs the scene is looked at, and the modes of users change after five times as many. */
const BATCH = 100;
const MODE_INPUTS = 500;
const RAW_SHARE = 0.12;
const FINDINGS_MAX = 40;
const SENT_SHOWN = 1_500;
/** A server may cut a connection before it has read a body as large as this, and the reply with it. */
const CUT_BYTES = 64_000;

export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { seed, inputs, only, connections, onBatch } = options;
  const run = new Run(options);
  const numbers = only === undefined ? Array.from({ length: inputs }, (_, index) => index) : [only];
  for (let at = 0; at < numbers.length && run.findings.length < FINDINGS_MAX; at += BATCH) {
    const batch = numbers.slice(at, at + BATCH);
    await run.prepare(Math.floor((batch[0] ?? 0) / MODE_INPUTS) % 2 === 1);
    const next = batch.values();
    const worker = async () => {
      for (const number of next) await run.send(number, new Random(mixSeeds(seed, number)));
    };
    await Promise.all(Array.from({ length: connections }, worker));
    await onBatch?.(at + batch.length);
  }
  return run.close();
}

class Run {
  readonly findings: Finding[] = [];
  readonly #target: FuzzOptions;
  readonly #idle: Connection[] = [];
  readonly #statuses = new Map<number, number>();
  readonly #tried = new Set<string>();
  readonly #succeeded = new Set<string>();
  #scene: { scene: Scene; operations: readonly Operation[]; total: number; shared: boolean } | undefined;
  #counts = { inputs: 0, raw: 0, busy: 0, scenes: 0 };

  constructor(target: FuzzOptions) {
    this.#target = target;
  }

  async prepare(shared: boolean): Promise<void> {
    const { scene, shared: former } = this.#scene ?? {};
    if (scene !== undefined && former === shared && (await scene.alive())) return;
    await scene?.remove();
    this.#counts.scenes += 1;
    const opened = await openScene(this.#target, this.#counts.scenes, shared);
    const operations = operationsOf(opened.document);
    const total = operations.reduce((sum, { weight }) => sum + weight, 0);
    this.#scene = { scene: opened, operations, total, shared };
  }

  async send(number: number, random: Random): Promise<void> {
    const { scene, operations } = this.#scene!;
    this.#counts.inputs += 1;
    if (random.chance(RAW_SHARE)) {
      this.#counts.raw += 1;
      await this.#exchange(number, rawInput(random, scene));
      return;
    }
    const operation = random.weighted(...operations.map((each) => [each.weight, each] as const));
    this.#tried.add(operation.title);
    const succeeded = await this.#exchange(number, operationInput(random, scene, operation));
    if (succeeded) this.#succeeded.add(operation.title);
  }

  async close(): Promise<FuzzReport> {
    for (const connection of this.#idle) connection.cut();
    await this.#scene?.scene.remove();
    const replies = [...this.#statuses.values()].reduce((sum, count) => sum + count, 0);
    const operations = (this.#scene?.operations ?? []).map(({ title }) => title);
    const { findings } = this;
    const sets = { succeeded: this.#succeeded, tried: this.#tried };
    return { ...this.#counts, replies, statuses: this.#statuses, operations, findings, ...sets };
  }

  /** Whether the (last) reply was a success. */
  async #exchange(number: number, input: Input): Promise<boolean> {
    const { connection, outcome } = await this.#sent(number, input);
    this.#note(number, input, outcome);
    const reply = isReply(outcome) ? outcome : undefined;
    const stays = input.ending === 'wait' && reply !== undefined && reply.headers.connection !== 'close';
    if (stays && connection.usable && this.#idle.length < this.#target.connections) this.#idle.push(connection);
    else connection.cut();
    return reply !== undefined && reply.status < 300;
  }

  async #sent(number: number, input: Input): Promise<{ connection: Connection; outcome: Outcome }> {
    const reused = input.ending === 'wait' && input.expects?.length === 1 ? this.#idle.pop() : undefined;
    if (reused !== undefined) {
      const before = reused.replies;
      const outcome = await this.#converse(reused, number, input);
      // The server ends connections that were idle for long, and may have just done so.
      if (outcome !== 'ended' || reused.replies > before) return { connection: reused, outcome };
      reused.cut();
    }
    const connection = new Connection(this.#target.address);
    return { connection, outcome: await this.#converse(connection, number, input) };
  }

  /** The last outcome. */
  async #converse(connection: Connection, number: number, input: Input): Promise<Outcome> {
    await connection.write(input.pieces);
    if (input.ending === 'cut') {
      connection.cut();
      return 'ended';
    }
    if (input.ending === 'end') connection.endOurSide();
    const expects = input.expects ?? [];
    let outcome: Outcome = 'ended';
    for (const { method, path } of expects) {
      outcome = await connection.reply(method === 'HEAD');
      if (!isReply(outcome)) return outcome;
      this.#judge(number, input, outcome, { method, path });
    }
    while (input.ending === 'end') {
      outcome = await connection.reply(false);
      if (!isReply(outcome)) return outcome;
      this.#judge(number, input, outcome);
      if (input.mustRefuse && (outcome.status < 400 || connection.replies > 1)) {
        this.#find(number, input, `a request with two readings had reply ${connection.replies}: ${outcome.status}`);
      }
    }
    return outcome;
  }

  #note(number: number, input: Input, outcome: Outcome): void {
    if (outcome === 'late') this.#find(number, input, 'no reply, and the connection stayed open');
    else if (typeof outcome === 'object' && 'unreadable' in outcome) {
      this.#find(number, input, `bytes that are no reply: ${JSON.stringify(outcome.unreadable)}`);
    } else if (outcome === 'ended' && input.ending === 'wait' && lengthOf(input) < CUT_BYTES) {
      this.#find(number, input, 'the connection ended without a reply');
    }
  }

  #judge(number: number, input: Input, reply: RawReply, asked?: { method: string; path: string }) {
    const { status, headers } = reply;
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    try {
      const text = textOfReply(reply);
      if (isForNow(input, reply, text)) this.#counts.busy += 1;
      else if (status >= 500) throw new Error(`${status} ${text.slice(0, 500)}`);
      if (status >= 400 && INSIDE.test(text)) throw new Error(`inner details: ${text.slice(0, 500)}`);
      if (asked !== undefined)
        checkReply(asked.method, asked.path, { status, contentType: headers['content-type'], text });
    } catch (error) {
      this.#find(number, input, error instanceof Error ? error.message.slice(0, 1_500) : String(error));
    }
  }

  #find(number: number, input: Input, reason: string): void {
    const sent = JSON.stringify(Buffer.concat(input.pieces).toString('latin1', 0, SENT_SHOWN));
    this.findings.push({ input: number, title: input.title, reason, sent });
  }
}

const isReply = (outcome: Outcome): outcome is RawReply => typeof outcome === 'object' && 'status' in outcome;
const lengthOf = ({ pieces }: Input): number => pieces.reduce((sum, { length }) => sum + length, 0);

/**
 * Replies 503 that are right: more at once than an application may have, a backup under way, a provider of single sign-on,
 * which is a closed port here, tables that a publishing or a removal did not get for itself in time, and applications that
 * a publishing or a removal keeps for itself meanwhile.
 */
function isForNow({ title }: Input, { status, headers }: RawReply, text: string): boolean {
  if (status !== 503) return false;
  const reason = /"reason":"(\w+)"/.exec(text)?.[1];
  if (reason === 'provider') return true;
  const changesApplication = /^(?:POST|PUT|DELETE) \S+\/applications(?:\/\{applicationId\}\S*)? as/.test(title);
  // The reply to a HEAD has no reason.
  const isTold =
    text === '' || reason === 'busy' || reason === 'backup' || (reason === 'database' && changesApplication);
  return isTold && headers['retry-after'] !== undefined;
}
