// How much applications hold: measured one by one, and kept in the system schema for the list of all.

import type { Reader, Writer } from '../database/handles.ts';
import { relationsIn } from '../database/schemas.ts';
import { runOnShard } from '../database/shards.ts';

export interface StoredSize {
  readonly records: number;
  readonly recordsExact: boolean;
  readonly databaseBytes: number | null;
  readonly attachments: number;
  readonly attachmentBytes: number;
  readonly measuredAt: number;
}

/** Collections of up to this many records are counted; of larger ones the database's own estimate is taken. */
const COUNTED_MAX = 20_000;

/** Without `measuredAt`. */
export async function measureSize(
  system: Reader,
  application: Writer,
  collectionIds: readonly string[],
): Promise<Omit<StoredSize, 'measuredAt'>> {
  const tables = await tablesOf(system, application);
  let records = 0;
  let recordsExact = true;
  for (const id of collectionIds) {
    const estimate = tables.rows.get(id) ?? 0;
    const counted = estimate > COUNTED_MAX ? undefined : await countUpTo(application, id);
    recordsExact &&= counted !== undefined;
    records += counted ?? Math.max(tables.isCluster ? await estimateOnWorker(application, id) : estimate, COUNTED_MAX);
  }
  return { records, recordsExact, databaseBytes: tables.bytes, ...(await attachmentsOf(application)) };
}

interface Tables {
  readonly isCluster: boolean;
  /** Estimates, by name. With Citus the coordinator has the tables without their rows, and knows none. */
  readonly rows: Map<string, number>;
  readonly bytes: number;
}

async function tablesOf(system: Reader, application: Reader): Promise<Tables> {
  const [rows = []] = await system.longQuery({
    text: `select c.relname::text, c.reltuples::float8, pg_total_relation_size(c.oid)::float8,
        exists (select from pg_extension where extname = 'citus')
      from pg_class c where c.oid = any(${relationsIn('$1')}) and c.relkind = 'r'`,
    params: [application.schema],
  });
  const tables = rows as [string, number, number, boolean][];
  const isCluster = tables[0]?.[3] === true;
  return {
    isCluster,
    rows: new Map(tables.map(([name, estimate]) => [name, estimate])),
    bytes: isCluster ? await bytesOnWorker(application) : tables.reduce((sum, [, , bytes]) => sum + bytes, 0),
  };
}

async function bytesOnWorker(application: Reader): Promise<number> {
  const [rows = []] = await application.longQuery({
    text: `select coalesce(sum(citus_total_relation_size(c.oid)), 0)::float8
      from pg_class c join pg_dist_partition p on p.logicalrelid = c.oid
      where c.oid = any(${relationsIn('$1')}) and c.relkind = 'r'`,
    params: [application.schema],
  });
  return rows[0]?.[0] as number;
}

async function estimateOnWorker(application: Writer, collectionId: string): Promise<number> {
  const table = `${application.schema}.${collectionId}`;
  return Number(
    await runOnShard(application, table, "select reltuples::float8 from pg_class where oid = '%s'::regclass"),
  );
}

/** Undefined: there are more. */
async function countUpTo(application: Reader, collectionId: string): Promise<number | undefined> {
  const [rows = []] = await application.longQuery({
    text: `select count(*)::int from (select from ${application.schema}.${collectionId} limit $1) as counted`,
    params: [COUNTED_MAX + 1],
  });
  const count = Number(rows[0]?.[0]);
  return count > COUNTED_MAX ? undefined : count;
}

async function attachmentsOf(application: Reader): Promise<Pick<StoredSize, 'attachments' | 'attachmentBytes'>> {
  const [rows = []] = await application.longQuery({
    text: `select count(*)::float8, coalesce(sum(size), 0)::float8 from ${application.schema}.attachments where state = $1`,
    params: ['available'],
  });
  const [attachments = 0, attachmentBytes = 0] = (rows[0] ?? []) as number[];
  return { attachments, attachmentBytes };
}

/** Keeps nothing of an application that is being removed: the lock waits for the removal, and then finds no row. */
export async function keepSize(writer: Writer, applicationId: string, size: StoredSize): Promise<void> {
  await writer.write(
    `insert into cartulary.application_sizes (application_id, records, records_exact, database_bytes, attachments,
       attachment_bytes, measured_at)
     select id, $2, $3, $4, $5, $6, $7 from cartulary.applications where id = $1 for key share
     on conflict (application_id) do update set records = excluded.records, records_exact = excluded.records_exact,
       database_bytes = excluded.database_bytes, attachments = excluded.attachments,
       attachment_bytes = excluded.attachment_bytes, measured_at = excluded.measured_at
     returning 1`,
    [
      applicationId,
      size.records,
      size.recordsExact,
      size.databaseBytes,
      size.attachments,
      size.attachmentBytes,
      new Date(size.measuredAt),
    ],
  );
}

const COLUMNS = `records::float8, records_exact, database_bytes::float8, attachments::float8, attachment_bytes::float8,
  measured_at`;

type SizeRow = [number, boolean, number | null, number, number, Date];

const readSize = ([
  records,
  recordsExact,
  databaseBytes,
  attachments,
  attachmentBytes,
  measuredAt,
]: SizeRow): StoredSize => ({
  ...{ records, recordsExact, databaseBytes, attachments, attachmentBytes },
  measuredAt: measuredAt.getTime(),
});

export async function getSize(reader: Reader, applicationId: string): Promise<StoredSize | undefined> {
  const rows = await reader.rows(`select ${COLUMNS} from cartulary.application_sizes where application_id = $1`, [
    applicationId,
  ]);
  return rows[0] && readSize(rows[0] as SizeRow);
}

/** By application. */
export async function listSizes(reader: Reader): Promise<Map<string, StoredSize>> {
  const rows = await reader.rows(`select application_id, ${COLUMNS} from cartulary.application_sizes`);
  return new Map(rows.map(([id, ...size]) => [id as string, readSize(size as SizeRow)]));
}
