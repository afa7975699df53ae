// The statements of `cartulary doctor`: the rows that it compares with the stored files, and the states that it corrects.

import type { Reader, Writer } from '../database/handles.ts';
import type { AttachmentState } from './attachments.ts';

/** Each row costs a call to the blob store. */
const PAGE = 200;

export interface CheckedRow {
  readonly id: string;
  readonly name: string;
  readonly state: AttachmentState;
  readonly size: number;
  readonly hash: string | null;
}

const COLUMNS = 'id, name, state, coalesce(size, 0)::float8, hash';

const readRow = (row: readonly unknown[]): CheckedRow => {
  const [id, name, state, size, hash] = row as [string, string, AttachmentState, number, string | null];
  return { id, name, state, size, hash };
};

/** The identifiers that have a row. */
export async function existingAttachments(reader: Reader, ids: readonly string[]): Promise<Map<string, CheckedRow>> {
  const rows = await reader.rows(`select ${COLUMNS} from ${reader.schema}.attachments where id = any($1::text[])`, [
    ids,
  ]);
  return new Map(rows.map(readRow).map((row) => [row.id, row]));
}

/** A page of attachments that have bytes, or had, by identifier. */
export async function pageOfStored(reader: Reader, after: string): Promise<CheckedRow[]> {
  const rows = await reader.rows(
    `select ${COLUMNS} from ${reader.schema}.attachments
     where id > $1 and state in ('available', 'missing') order by id limit ${PAGE}`,
    [after],
  );
  return rows.map(readRow);
}

/** Returns the identifiers whose state was changed. */
export async function changeState(
  writer: Writer,
  ids: readonly string[],
  { from, to }: { from: 'available' | 'missing'; to: 'available' | 'missing' },
): Promise<string[]> {
  const rows = await writer.write(
    `update ${writer.schema}.attachments set state = $2 where id = any($1::text[]) and state = $3 returning id`,
    [ids, to, from],
  );
  return rows.map((row) => row[0] as string);
}
