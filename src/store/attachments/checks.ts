// The rows of attachments as `cartulary doctor` compares them with what is stored, and what it sets right in them.

import type { Reader, Writer } from '../database/handles.ts';
import type { AttachmentState } from './attachments.ts';

/** Each of them is asked for in the store. */
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

/** Those of the identifiers that have a row. */
export async function existingAttachments(reader: Reader, ids: readonly string[]): Promise<Map<string, CheckedRow>> {
  const rows = await reader.rows(`select ${COLUMNS} from ${reader.schema}.attachments where id = any($1::text[])`, [
    ids,
  ]);
  return new Map(rows.map(readRow).map((row) => [row.id, row]));
}

/** Those that have bytes, or had, behind the identifier given. */
export async function pageOfStored(reader: Reader, after: string): Promise<CheckedRow[]> {
  const rows = await reader.rows(
    `select ${COLUMNS} from ${reader.schema}.attachments
     where id > $1 and state in ('available', 'missing') order by id limit ${PAGE}`,
    [after],
  );
  return rows.map(readRow);
}

/** From one of the two states to the other; the identifiers of those that were in it. */
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
