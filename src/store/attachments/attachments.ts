// The rows of attachments. A row exists before the first byte is stored and until the last is removed. Its bytes are in
// store/blobs, announced uploads in store/attachments/announced-uploads, the statements of the sweep in
// store/attachments/sweeps.

import type { PreparedCollection } from '../../domain/definition/application.ts';
import { StaleDefinition } from '../database/database-errors.ts';
import type { Reader, Writer } from '../database/handles.ts';
import type { Row, Statement } from '../database/statements.ts';
import { tableOf } from '../records/tables.ts';

/** docs/architecture/attachments.md. */
export type AttachmentState = 'pending' | 'available' | 'removing' | 'missing';

export interface StoredAttachment {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  /** While pending, the announced size. */
  readonly size: number;
  /** SHA-256 in hex; null while pending. */
  readonly hash: string | null;
  readonly state: AttachmentState;
  readonly uploadedAt: Date | null;
  /** Whether no record is known to hold it. A write that will hold it must call `keepAttachments` first. */
  readonly unheld: boolean;
}

export interface NewAttachment {
  readonly id: string;
  readonly collectionId: string;
  readonly name: string;
  readonly contentType: string;
  readonly createdBy: string;
  readonly createdAt: string;
  /** The node that receives the bytes (store/nodes). While it lives, no other node touches the row. */
  readonly node: string;
}

export function insertAttachment(writer: Writer, row: NewAttachment): Promise<Row[]> {
  return writer.write(
    `insert into ${writer.schema}.attachments
       (id, collection_id, name, content_type, state, created_by, created_at, node, received, free_since)
     values ($1, $2, $3, $4, 'pending', $5, $6, $7, 0, $6) returning id`,
    [row.id, row.collectionId, row.name, row.contentType, row.createdBy, row.createdAt, row.node],
  );
}

export interface CompletedAttachment {
  readonly id: string;
  readonly node: string;
  readonly size: number;
  readonly hash: string;
  readonly at: string;
}

/**
 * From pending to available. Returns no row when another node has removed the upload. The row keeps the pieces of an
 * announced upload until they are removed (`forgetPieces`).
 */
export function completeAttachment(schema: string, done: CompletedAttachment): Statement {
  return {
    text: `update ${schema}.attachments set state = 'available', size = $3, received = $3, hash = $4, uploaded_at = $5,
        node = null, expires_at = null,
        free_since = case when free_since is null then null else $5::timestamptz end
      where id = $1 and node = $2 and state = 'pending' returning id`,
    params: [done.id, done.node, done.size, done.hash, done.at],
  };
}

/** The pieces of these attachments have been removed. */
export async function forgetPieces(writer: Writer, ids: readonly string[]): Promise<void> {
  await writer.write(
    `update ${writer.schema}.attachments set pieces = null
     where id = any($1::text[]) and state = 'available' returning id`,
    [ids],
  );
}

/** Hides the upload: its bytes may be removed, then its row. False: it is an attachment by now, or does not exist. */
export async function markUploadForRemoval(writer: Writer, id: string): Promise<boolean> {
  const rows = await writer.write(
    `update ${writer.schema}.attachments set state = 'removing' where id = $1 and state = 'pending' returning id`,
    [id],
  );
  return rows.length > 0;
}

export async function deleteMarkedForRemoval(writer: Writer, ids: readonly string[]): Promise<void> {
  await writer.write(
    `delete from ${writer.schema}.attachments where id = any($1::text[]) and state = 'removing' returning id`,
    [ids],
  );
}

/** The caller: an admin, or a user who may read what this scope allows (domain/people/access). */
export interface Fetcher {
  readonly userId: string;
  readonly admin: boolean;
  readonly readScope: string | undefined;
}

const fetchTexts = new WeakMap<PreparedCollection, string>();

/** Of `findFetchable`. */
export function fetchText(schema: string, collection: PreparedCollection): string {
  let text = fetchTexts.get(collection);
  if (text === undefined) {
    text = makeFetchText(schema, collection);
    fetchTexts.set(collection, text);
  }
  return text;
}

/**
 * The holders are a materialized query, which is planned to be read to its end. The planner cannot estimate their number,
 * and plans a plain `exists` for an early first row: it scanned the table, 700 ms for one attachment among 300,000
 * records, where the index takes 0.1 ms.
 */
function makeFetchText(schema: string, collection: PreparedCollection): string {
  const holds = holdsAny(collection, 'jsonb_build_array(a.id)');
  const held =
    holds === undefined
      ? '$5::text is null and false'
      : `(with holders as materialized (
            select t.created_by from ${tableOf(schema, collection.definition.id)} t where ${holds})
          select exists (select 1 from holders h where $5::text is null or h.created_by = $5))`;
  return `select a.id, a.name, a.content_type, a.size::float8, a.hash, a.state, a.uploaded_at, a.free_since is not null
    from ${schema}.attachments a
    where a.id = any($1::text[]) and a.collection_id = $2 and a.state in ('pending', 'available')
      and ($3::boolean or a.created_by = $4 or ${held})`;
}

/** A condition on the records `t` of the collection: one of its columns holds `ids`. undefined: no column can. */
export function holdsAny({ projections }: PreparedCollection, ids: string): string | undefined {
  const columns = [...projections.byColumn.values()].flatMap(({ held }) => held?.name ?? []);
  return columns.length === 0 ? undefined : columns.map((name) => `t.${name} @> ${ids}`).join(' or ');
}

/** The attachments that the caller may fetch: their creators, admins, and readers of a record that holds them may. */
export async function findFetchable(
  reader: Reader,
  collection: PreparedCollection,
  { ids, fetcher }: { ids: readonly string[]; fetcher: Fetcher },
): Promise<Map<string, StoredAttachment>> {
  const rows = await reader.rows(fetchText(reader.schema, collection), [
    ids,
    collection.definition.id,
    fetcher.admin,
    fetcher.userId,
    fetcher.readScope ?? null,
  ]);
  return new Map(rows.map(readAttachment).map((attachment) => [attachment.id, attachment]));
}

function readAttachment(row: Row): StoredAttachment {
  const [id, name, contentType, size, hash, state, uploadedAt, unheld] = row as [
    string,
    string,
    string,
    number | null,
    string | null,
    AttachmentState,
    Date | null,
    boolean,
  ];
  return { id, name, contentType, size: size ?? 0, hash, state, uploadedAt, unheld };
}

/**
 * Called before a record that holds them is written: the sweep then spares them for a whole grace period. Returns the
 * identifiers that still exist.
 */
export async function keepAttachments(writer: Writer, ids: readonly string[]): Promise<string[]> {
  const { schema } = writer;
  return writer.transaction(async (tx) => {
    // Locked in the order of identifiers, so that two writes with the same attachments cannot deadlock.
    const [, rows = []] = await tx.commitWith([
      { text: `select id from ${schema}.attachments where id = any($1::text[]) order by id for update`, params: [ids] },
      {
        text: `update ${schema}.attachments set free_since = null
          where id = any($1::text[]) and state in ('pending', 'available') returning id`,
        params: [ids],
      },
    ]);
    return rows.map((row) => row[0] as string);
  });
}

/** Undefined: the row or the application does not exist. */
export async function stateOf(reader: Reader, id: string): Promise<AttachmentState | undefined> {
  try {
    const rows = await reader.rows(`select state from ${reader.schema}.attachments where id = $1`, [id]);
    return rows[0]?.[0] as AttachmentState | undefined;
  } catch (error) {
    if (!(error instanceof StaleDefinition)) throw error;
    const [[removed] = []] = await reader.rows('select to_regnamespace($1) is null', [reader.schema]);
    if (removed === true) return undefined;
    throw error;
  }
}
