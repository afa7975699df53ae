// A statement that is sent: `pg` submits it, and hands it what arrives. The class that `pg` has for this copies its options, asks
// for the columns each time, and makes a result with an object for each column: a third of the time of a short read.

import type pg from 'pg';
import { type Columns, columnsOf, NO_COLUMNS, readRow } from './columns.ts';
import { becomeQuery, streamOf, takeConfirmation } from './driver.ts';
import { Outgoing } from './outgoing.ts';
import { pooledName } from './pooler.ts';
import { type PreparedStatement, PreparedStatements } from './prepared.ts';

/** What we keep for a connection. */
interface Wire {
  readonly client: pg.Client;
  readonly outgoing: Outgoing;
  /** Undefined where nothing can be prepared. */
  readonly prepared: PreparedStatements | undefined;
}

/**
 * Until the end of the transaction, which is that of the statement after it: there is no `Sync` between the two. A `set local`
 * would do the same with a warning.
 */
const PLAN_ONCE = "select set_config('plan_cache_mode', 'force_generic_plan', true)";

const wires = new WeakMap<pg.Client, Wire>();

function wireOf(client: pg.Client): Wire {
  let wire = wires.get(client);
  if (wire === undefined) {
    const outgoing = new Outgoing(streamOf(client));
    const prepared = pooledName(client) === undefined ? new PreparedStatements(outgoing) : undefined;
    wire = { client, outgoing, prepared };
    wires.set(client, wire);
  }
  return wire;
}

/** For an idle connection: what was prepared fails once its tables have other columns. */
export async function forgetPrepared(client: pg.Client): Promise<void> {
  await client.query('deallocate all');
  wires.delete(client);
}

/** From now on the statements of one turn of the event loop go out together, at its end. */
export function sendTogether(client: pg.Client): void {
  wireOf(client).outgoing.waitsForTurn = true;
}

type OnEnd = (error: Error | undefined, sent: SentStatement) => void;

interface Sendable {
  readonly text: string;
  readonly params: readonly unknown[];
  readonly prepare?: boolean;
}

/** Members without a comment are those that `pg` uses. */
export class SentStatement {
  readonly text: string;
  name: string | undefined = undefined;
  /** The rows so far. */
  readonly received: unknown[][] = [];
  readonly #wire: Wire;
  readonly #params: readonly unknown[];
  readonly #isNamed: boolean;
  readonly #onEnd: OnEnd;
  #prepared: PreparedStatement | undefined = undefined;
  /** Undefined until they have arrived. */
  #columns: Columns | undefined = undefined;
  #tag = '';
  /** What arrives is still that of PLAN_ONCE. */
  #isBeforeOwn = false;
  #error: Error | undefined = undefined;

  /** `text` is one statement: a cluster refuses several in one message (test/tidy/citus). */
  constructor(client: pg.Client, { text, params, prepare = params.length > 0 }: Sendable, onEnd: OnEnd) {
    this.text = text;
    this.#wire = wireOf(client);
    this.#params = params;
    this.#isNamed = prepare;
    this.#onEnd = onEnd;
  }

  /** What the database has done, such as COMMIT. */
  get command(): string {
    return this.#tag.split(' ', 1)[0]!;
  }

  /** Null for statements without one, such as `create table`. */
  get rowCount(): number | null {
    const count = /\d+$/.exec(this.#tag);
    return count === null ? null : Number(count[0]);
  }

  submit(): Error | null {
    const { outgoing, prepared } = this.#wire;
    if (!this.#isNamed && this.#params.length === 0) {
      outgoing.addQuery(this.text);
    } else {
      if (this.#isNamed) this.#prepared = prepared?.use(this.text);
      const start = outgoing.end;
      try {
        this.#addTo(outgoing);
      } catch (error) {
        // A parameter that cannot be sent.
        outgoing.takeBack(start);
        return error as Error;
      }
    }
    outgoing.send();
    return null;
  }

  handleRowDescription({ fields }: { readonly fields: readonly { readonly dataTypeID: number }[] }): void {
    this.#columns = columnsOf(fields);
    if (this.#prepared !== undefined) this.#prepared.columns = this.#columns;
  }

  handleDataRow({ fields }: { readonly fields: unknown[] }): void {
    if (this.#isBeforeOwn) return;
    try {
      if (this.#columns !== undefined) readRow(this.#columns, fields);
    } catch (error) {
      this.#error = error as Error;
    }
    this.received.push(fields);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    if (this.#isBeforeOwn) {
      this.#isBeforeOwn = false;
      return;
    }
    this.#tag = text;
    // A statement without rows.
    if (this.#prepared !== undefined) this.#prepared.columns ??= NO_COLUMNS;
  }

  handleReadyForQuery(): void {
    this.#end(this.#error);
  }

  handleError(error: Error): void {
    this.#end(error);
  }

  #addTo(outgoing: Outgoing): void {
    const prepared = this.#prepared;
    const name = prepared?.name ?? '';
    const prepares = prepared === undefined || prepared.state === 'unknown';
    // First, because `pg` takes the first confirmation for that of the name.
    if (prepares) outgoing.addParse(name, this.text);
    if (prepared !== undefined && prepared.usesTold > 0) {
      prepared.usesTold -= 1;
      this.#isBeforeOwn = true;
      outgoing.addParse('', PLAN_ONCE);
      outgoing.addBind('', []);
      outgoing.addExecute();
    }
    outgoing.addBind(name, this.#params);
    this.#columns = prepared?.columns;
    if (this.#columns === undefined) outgoing.addDescribe();
    outgoing.addExecuteAndSync();
    if (!prepares || prepared === undefined) return;
    prepared.state = 'sent';
    // `pg` remembers the name when the database confirms it.
    this.name = name;
  }

  #end(error: Error | undefined): void {
    const prepared = this.#prepared;
    if (prepared !== undefined && this.name !== undefined) {
      prepared.state = takeConfirmation(this.#wire.client, this.name) ? 'known' : 'unknown';
    }
    this.#onEnd(error, this);
  }
}

becomeQuery(SentStatement);
