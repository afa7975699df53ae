// The rows of requests with an Idempotency-Key. A row is written with what its request does, in one transaction. Who may
// write it is decided by an advisory lock, which ends with the transaction, however that ends.

import { hash } from 'node:crypto';
import type { Reader, Writer } from '../database/handles.ts';
import type { Row, Statement } from '../database/statements.ts';

export interface KeyOfUser {
  readonly userId: string;
  readonly key: string;
}

export interface KeyRow extends KeyOfUser {
  /** Of the request without its body. */
  readonly fingerprint: string;
  /** Of the body; null if the reply does not depend on it. */
  readonly content: string | null;
  readonly createdAt: string;
  /** Null while an upload is under way. */
  readonly reply: StoredReply | null;
  /** The upload under way; null if there is a reply. */
  readonly upload: UploadUnderWay | null;
}

export interface StoredReply {
  readonly status: number;
  /** As JSON. */
  readonly headers: string;
  /** Null: the reply has none. */
  readonly body: string | null;
}

export interface UploadUnderWay {
  readonly attachmentId: string;
  readonly node: string;
}

/** Longer bodies are read separately, once the request holds that much byte budget. */
const SHORT_BYTES_MAX = 64 * 1024;

export interface FoundKey extends Omit<KeyRow, keyof KeyOfUser | 'createdAt'> {
  readonly createdAt: Date;
  /** Of a body that is not in `reply`, because it is long. */
  readonly longBytes: number | undefined;
}

/**
 * True if no other transaction has the key. Names no table: a cluster would take the lock on a worker. 64 bits of a hash:
 * two keys that share them would only refuse each other while both are under way.
 */
export const lockKey = (schema: string, { userId, key }: KeyOfUser): Statement => ({
  text: 'select pg_try_advisory_xact_lock($1::bigint)',
  params: [String(Buffer.from(hash('sha256', `${schema} ${userId} ${key}`, 'hex'), 'hex').readBigInt64BE())],
});

export const findKey = (schema: string, { userId, key }: KeyOfUser): Statement => ({
  text: `select fingerprint, content, created_at, attachment_id, node, status, headers,
      case when octet_length(body) <= ${SHORT_BYTES_MAX} then body end, octet_length(body)
    from ${schema}.idempotency_keys where user_id = $1 and key = $2`,
  params: [userId, key],
});

export function readFoundKey([row]: readonly Row[]): FoundKey | undefined {
  if (row === undefined) return undefined;
  const [fingerprint, content, createdAt, attachmentId, node, status, headers, body, bytes] = row as [
    string,
    string | null,
    Date,
    string | null,
    string | null,
    number | null,
    string | null,
    string | null,
    number | null,
  ];
  return {
    fingerprint,
    content,
    createdAt,
    reply: status === null ? null : { status, headers: headers ?? '{}', body },
    upload: attachmentId === null || node === null ? null : { attachmentId, node },
    longBytes: body === null && bytes !== null ? bytes : undefined,
  };
}

/** Undefined if it has expired and was removed meanwhile. */
export async function readLongBody(reader: Reader, { userId, key }: KeyOfUser): Promise<string | undefined> {
  const [rows] = await reader.longQuery({
    text: `select body from ${reader.schema}.idempotency_keys where user_id = $1 and key = $2`,
    params: [userId, key],
  });
  return (rows?.[0]?.[0] ?? undefined) as string | undefined;
}

/** Fails if there is a row, even one that has expired: the lock and `findKey` come first. */
export const insertKey = (schema: string, row: KeyRow): Statement => ({
  text: `insert into ${schema}.idempotency_keys
      (user_id, key, fingerprint, content, created_at, attachment_id, node, status, headers, body)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning key`,
  params: [
    ...[row.userId, row.key, row.fingerprint, row.content, row.createdAt],
    ...[row.upload?.attachmentId ?? null, row.upload?.node ?? null],
    ...[row.reply?.status ?? null, row.reply?.headers ?? null, row.reply?.body ?? null],
  ],
});

export const removeKey = (schema: string, { userId, key }: KeyOfUser): Statement => ({
  text: `delete from ${schema}.idempotency_keys where user_id = $1 and key = $2 returning key`,
  params: [userId, key],
});

/** Gives up the key of an upload that has ended without a reply to keep. */
export async function releaseKey(
  writer: Writer,
  { userId, key }: KeyOfUser,
  { attachmentId, node }: UploadUnderWay,
): Promise<void> {
  await writer.write(
    `delete from ${writer.schema}.idempotency_keys
     where user_id = $1 and key = $2 and attachment_id = $3 and node = $4 and status is null returning key`,
    [userId, key, attachmentId, node],
  );
}

const REMOVED_AT_ONCE = 1_000;

/** Removes some of the rows created up to `until`, oldest first. False: there may be more. */
export async function removeExpiredKeys(writer: Writer, until: string): Promise<boolean> {
  const { schema } = writer;
  const rows = await writer.write(
    `delete from ${schema}.idempotency_keys where (user_id, key) in (
       select k.user_id, k.key from ${schema}.idempotency_keys k where k.created_at <= $1
       order by k.created_at limit ${REMOVED_AT_ONCE})
     returning key`,
    [until],
  );
  return rows.length < REMOVED_AT_ONCE;
}
