// The rows of announced uploads: attachments whose metadata comes first and whose bytes come later, in pieces. `pieces` is
// not null from the announcement until the pieces are removed; for uploads in one request it is always null.

import type { Reader, Writer } from '../database/handles.ts';
import type { Row, Statement } from '../database/statements.ts';

/** Received bytes, durable under `part` beside the attachment (store/blobs/blobs). */
export interface Piece {
  readonly offset: number;
  readonly size: number;
  readonly hash: string;
  readonly part: string;
}

interface NewUploadRow {
  readonly id: string;
  readonly collectionId: string;
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export const insertUpload = (schema: string, row: NewUploadRow): Statement => ({
  text: `insert into ${schema}.attachments
      (id, collection_id, name, content_type, size, state, created_by, created_at, pieces, received, expires_at, free_since)
    values ($1, $2, $3, $4, $5, 'pending', $6, $7, '[]', 0, $8, $7) returning id`,
  params: [
    ...[row.id, row.collectionId, row.name, row.contentType, row.size],
    ...[row.createdBy, row.createdAt, row.expiresAt],
  ],
});

export interface StoredUpload {
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
  readonly received: number;
  readonly available: boolean;
  /** The node that has claimed it. */
  readonly node: string | null;
  /** Null once it is available. */
  readonly expiresAt: Date | null;
}

interface UploadSought {
  readonly id: string;
  readonly collectionId: string;
  /** Undefined: any creator. */
  readonly createdBy: string | undefined;
  readonly at: string;
}

/** An upload that waits for bytes and has not expired, or that has become an attachment. */
export async function findUpload(reader: Reader, sought: UploadSought): Promise<StoredUpload | undefined> {
  const rows = await reader.rows(
    `select name, content_type, size::float8, received::float8, state = 'available', node, expires_at
     from ${reader.schema}.attachments
     where id = $1 and collection_id = $2 and ($3::text is null or created_by = $3)
       and (state = 'available' or (state = 'pending' and pieces is not null and expires_at > $4))`,
    [sought.id, sought.collectionId, sought.createdBy ?? null, sought.at],
  );
  return rows[0] === undefined ? undefined : readUpload(rows[0]);
}

function readUpload(row: Row): StoredUpload {
  const [name, contentType, size, received, available, node, expiresAt] = row as [
    string,
    string,
    number,
    number,
    boolean,
    string | null,
    Date | null,
  ];
  return { name, contentType, size, received, available, node, expiresAt };
}

interface UploadClaim {
  readonly id: string;
  readonly node: string;
  /** The claim fails unless this many bytes have been received. */
  readonly offset: number;
  /** A node that is gone: its claims may be taken over. */
  readonly goneNode: string | null;
  readonly at: string;
  readonly expiresAt: string;
}

/** The upload belongs to this node afterwards and does not expire meanwhile. Returns the pieces so far; undefined: not claimed. */
export async function claimUpload(writer: Writer, claim: UploadClaim): Promise<Piece[] | undefined> {
  const rows = await writer.write(
    `update ${writer.schema}.attachments set node = $2, expires_at = $6
     where id = $1 and state = 'pending' and pieces is not null and received = $3 and expires_at > $5
       and (node is null or node = $2 or node = $4)
     returning pieces`,
    [claim.id, claim.node, claim.offset, claim.goneNode, claim.at, claim.expiresAt],
  );
  return rows[0] === undefined ? undefined : (JSON.parse(rows[0][0] as string) as Piece[]);
}

interface RecordedPieces extends Pick<UploadClaim, 'id' | 'node' | 'offset' | 'expiresAt'> {
  /** All pieces; the last begins at `offset`. */
  readonly pieces: readonly Piece[];
  readonly received: number;
}

/** False: this node no longer has the upload, or it does not exist any more. */
export async function recordPieces(writer: Writer, recorded: RecordedPieces): Promise<boolean> {
  const rows = await writer.write(
    `update ${writer.schema}.attachments set pieces = $3, received = $4, expires_at = $5
     where id = $1 and node = $2 and received = $6 and state = 'pending' returning id`,
    [
      recorded.id,
      recorded.node,
      JSON.stringify(recorded.pieces),
      recorded.received,
      recorded.expiresAt,
      recorded.offset,
    ],
  );
  return rows.length > 0;
}

export async function releaseUpload(writer: Writer, id: string, node: string): Promise<void> {
  await writer.write(
    `update ${writer.schema}.attachments set node = null
     where id = $1 and node = $2 and state = 'pending' and pieces is not null returning id`,
    [id, node],
  );
}
