// Requests with an Idempotency-Key. What such a request does and the reply to it are one transaction under the lock of its
// key, so a repetition finds both or neither, on any node and after any crash (docs/architecture/idempotency.md).

import type { Context, KeptReply, KeyedRequest } from '../context.ts';
import { DAY_MS } from '../domain/dates/days.ts';
import { isoTime } from '../domain/dates/iso-time.ts';
import { Fault, type FaultCode, fault, tooBusy } from '../faults.ts';
import { violatedConstraint } from '../store/database/database-errors.ts';
import type { Transaction } from '../store/database/handles.ts';
import type { Statement } from '../store/database/statements.ts';
import {
  type FoundKey,
  findKey,
  insertKey,
  type KeyOfUser,
  type KeyRow,
  lockKey,
  readFoundKey,
  readLongBody,
  removeKey,
  type StoredReply,
} from '../store/idempotency/keys.ts';
import { requireBytes, withBytes } from './held-bytes.ts';

/** How long a reply is kept. An older row counts as absent, removed or not. */
export const KEPT_MS = DAY_MS;

type Asking = Pick<Context, 'caller' | 'store' | 'now'>;

/** The request was done before: thrown out of the transaction that found its reply. */
export class AlreadyDone extends Error {
  readonly found: FoundKey;

  constructor(found: FoundKey) {
    super('the request was done before');
    this.found = found;
  }
}

/** Another transaction or upload has the key. A moment later it has a reply, or is free. */
export const keyInUse = (): Fault => fault('IDEMPOTENCY_KEY_IN_USE', undefined, { 'retry-after': '1' });

export const otherContent = (): Fault =>
  fault('IDEMPOTENCY_KEY_REUSED', { reason: 'the key was used with another body' });

export const keyOf = ({ caller }: Pick<Context, 'caller'>, { key }: KeyedRequest): KeyOfUser => ({
  userId: caller.id,
  key,
});

/** A row that is in the way: it has expired, or is that of an upload without a reply. */
export interface HeldKey {
  readonly expired: boolean;
  readonly upload: FoundKey['upload'];
}

/**
 * Takes the key for the rest of the transaction. Undefined: it has no row. A row with a reply is looked at before the lock,
 * because other repetitions may be reading it too.
 */
export async function takeKey(at: Asking, tx: Transaction, keyed: KeyedRequest): Promise<HeldKey | undefined> {
  const key = keyOf(at, keyed);
  const [[[isFree] = []] = [], rows = []] = await tx.pipeline([lockKey(tx.schema, key), findKey(tx.schema, key)]);
  const found = readFoundKey(rows);
  const expired = found !== undefined && found.createdAt.getTime() <= at.now() - KEPT_MS;
  if (found !== undefined && !expired) {
    if (found.fingerprint !== keyed.fingerprint)
      throw fault('IDEMPOTENCY_KEY_REUSED', { reason: 'the key was used for another request' });
    if (!isSameContent(found.content, keyed.content)) throw otherContent();
    if (found.reply !== null) throw new AlreadyDone(found);
  }
  if (isFree !== true) throw keyInUse();
  return found && { expired, upload: found.upload };
}

/** The content of an upload is compared when its bytes have arrived (operations/attachments/keyed-uploads). */
const isSameContent = (kept: string | null, content: string | undefined): boolean =>
  kept === null || content === undefined || kept === content;

/** The statements that keep a reply; `held`: as `takeKey` returned it. */
export function keepStatements(
  at: Asking,
  tx: Transaction,
  {
    keyed,
    held,
    ...kept
  }: Pick<KeyRow, 'content' | 'reply' | 'upload'> & {
    readonly keyed: KeyedRequest;
    readonly held: HeldKey | undefined;
  },
): Statement[] {
  const key = keyOf(at, keyed);
  const row = { ...key, fingerprint: keyed.fingerprint, createdAt: isoTime(at.now()), ...kept };
  return [...(held === undefined ? [] : [removeKey(tx.schema, key)]), insertKey(tx.schema, row)];
}

export function storedReply({ status, headers = {}, body }: KeptReply): StoredReply {
  return { status, headers: JSON.stringify(headers), body: body === undefined ? null : textOf(body) };
}

function textOf(body: NonNullable<KeptReply['body']>): string {
  if (typeof body === 'string') return body;
  const parts = body instanceof Uint8Array ? [body] : body;
  return Buffer.concat(parts.map((part) => Buffer.from(part as Uint8Array))).toString();
}

/** What is left to do when everything else has been written: these statements, and the reply. */
export interface Finish<R> {
  readonly statements: readonly Statement[];
  /** May throw a fault, of a batch that was applied up to an element. It is kept as well. */
  readonly reply: () => R;
}

/** Does `work`, keeps the reply and commits. Throws AlreadyDone if the request was done before. */
export async function keyedTransaction<R extends KeptReply>(
  at: Asking,
  keyed: KeyedRequest,
  work: (tx: Transaction) => Promise<Finish<R>>,
): Promise<R> {
  const outcome = await at.store.transaction(async (tx) => {
    const held = await takeKey(at, tx, keyed);
    if (held?.upload && !held.expired) throw keyInUse();
    const { statements, reply } = await work(tx);
    const made = replyOrFault(reply);
    const kept = storedReply(made instanceof Fault ? keyed.problemOf(made) : made);
    const keeping = { keyed, held, content: keyed.content ?? null, reply: kept, upload: null };
    await commitKept(tx, [...statements, ...keepStatements(at, tx, keeping)]);
    return made;
  });
  keyed.kept = true;
  if (outcome instanceof Fault) throw outcome;
  return outcome;
}

function replyOrFault<R>(reply: () => R): R | Fault {
  try {
    return reply();
  } catch (error) {
    if (error instanceof Fault && isKept(error)) return error;
    throw error;
  }
}

/** The lock lets only one transaction come here. If it ever did not, the primary key would. */
export async function commitKept(tx: Transaction, statements: readonly Statement[]): Promise<void> {
  try {
    await tx.commitWith(statements);
  } catch (error) {
    throw violatedConstraint(error) === 'idempotency_keys_pkey' ? keyInUse() : error;
  }
}

/** Statuses that say nothing about the request itself: repeated later, it may well be done. */
const UNKEPT_STATUSES: ReadonlySet<number> = new Set([401, 403, 408, 413, 429]);
const UNKEPT_CODES: ReadonlySet<FaultCode> = new Set(['IDEMPOTENCY_KEY_IN_USE', 'IDEMPOTENCY_KEY_REUSED']);

/** A body that is too large has the status 400 here, and counts as 413. */
export function isKept({ code, status, params }: Fault): boolean {
  if (UNKEPT_CODES.has(code) || (params !== undefined && 'maxBytes' in params)) return false;
  return status >= 400 && status < 500 && !UNKEPT_STATUSES.has(status);
}

/** Keeps a refusal of a request that did nothing. Throws AlreadyDone if the request was done before. */
export async function keepRefusal(at: Asking, keyed: KeyedRequest, refusal: Fault): Promise<void> {
  const refuse = () => {
    throw refusal;
  };
  await keyedTransaction(at, keyed, async () => ({ statements: [], reply: refuse })).catch((error: unknown) => {
    if (error !== refusal) throw error;
  });
}

type Reading = Pick<Context, 'caller' | 'store' | 'scope' | 'byteBudget' | 'withoutSlot'>;

/** The reply that was found. A long body counts in the byte budget until it has gone out. */
export async function readKeptReply(
  at: Reading,
  keyed: KeyedRequest,
  { reply, longBytes }: FoundKey,
): Promise<StoredReply> {
  if (reply === null) throw keyInUse();
  if (longBytes === undefined) return reply;
  const body = await withBytes(at, async () => {
    requireBytes(at, longBytes);
    return readLongBody(at.store, keyOf(at, keyed));
  });
  // It has expired and was removed since it was found; sent again, the request is done anew.
  if (body === undefined) throw tooBusy();
  return { ...reply, body };
}
