// What a backup reads: one snapshot of the database, which a connection holds while another copies table by table in short
// transactions. So a backup has the locks of one table at a time: a transaction over all tables of all applications would fill
// the database's table of locks, which is shared by all.
//
// On a Citus cluster a snapshot of the coordinator says nothing about the workers: each transaction of the coordinator begins
// one on the worker, with a snapshot of the worker's own. So there each application is read in one transaction.

import type { ArchivedTable } from '../../domain/backup/archive.ts';
import type { CopyConnection } from '../database/copy-connections.ts';
import type { Engine } from '../database/handles.ts';
import { relationsIn } from '../database/schemas.ts';
import type { Row } from '../database/statements.ts';

const BEGIN = 'begin isolation level repeatable read read only';

/** All that is read through it is as of one moment. */
export interface Moment {
  rows(text: string, params?: readonly unknown[]): Promise<Row[]>;
  /** The rows of a table, in the text format of COPY. */
  copy(statement: string, partBytes: number): AsyncGenerator<Buffer>;
  end(): Promise<void>;
}

/** It keeps the database from removing what was deleted since: it ends as soon as all tables are copied. */
export interface Snapshot extends Moment {
  /** When it was taken, by the database's clock. */
  readonly takenAt: Date;
  /**
   * For the tables of one application, or those of the system: the snapshot itself, and on Citus a later moment. There may be
   * one at a time. For an application on Citus it is that of the first SELECT: a COPY alone, of a table by its name, begins no
   * transaction on the worker, and one of a table of the system would not even see that of the coordinator.
   */
  moment(): Promise<Moment>;
}

export async function takeSnapshot(holder: CopyConnection, copier: CopyConnection, engine: Engine): Promise<Snapshot> {
  await holder.rows(BEGIN);
  const taken = await holder.rows('select pg_export_snapshot(), clock_timestamp()');
  const [name, takenAt] = taken[0] as [string, Date];
  const reading = {
    // Also what is asked of the catalog is as of the snapshot.
    rows: (text: string, params?: readonly unknown[]) => holder.rows(text, params),
    async *copy(statement: string, partBytes: number) {
      await copier.rows(BEGIN);
      await copier.rows(`set transaction snapshot '${name}'`);
      yield* copier.copyOut(statement, partBytes);
      await copier.rows('commit');
    },
  };
  return {
    ...{ takenAt, ...reading },
    moment: async () => (engine === 'citus' ? laterMoment(copier) : { ...reading, end: async () => undefined }),
    end: async () => {
      await holder.rows('commit');
    },
  };
}

async function laterMoment(connection: CopyConnection): Promise<Moment> {
  await connection.rows(BEGIN);
  return {
    rows: (text, params) => connection.rows(text, params),
    copy: (statement, partBytes) => connection.copyOut(statement, partBytes),
    end: async () => {
      await connection.rows('commit');
    },
  };
}

/** Tables before those that refer to them. Without partitions, which are read and written through their parent. */
export async function listTables(moment: Moment, schema: string): Promise<ArchivedTable[]> {
  const rows = (await moment.rows(
    `select c.relname::text, c.oid::text,
       array(select a.attname::text from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum),
       array(select f.confrelid::text from pg_constraint f where f.conrelid = c.oid and f.contype = 'f')
     from pg_class c where c.oid = any(${relationsIn('$1')}) and c.relkind in ('r', 'p') and not c.relispartition
     order by 1`,
    [schema],
  )) as [string, string, string[], string[]][];
  const sorted: ArchivedTable[] = [];
  const placed = new Set<string>();
  const known = new Set(rows.map(([, oid]) => oid));
  while (placed.size < rows.length) {
    const before = placed.size;
    for (const [name, oid, columns, references] of rows) {
      const isNext = references.every((other) => other === oid || placed.has(other) || !known.has(other));
      if (placed.has(oid) || !isNext) continue;
      placed.add(oid);
      sorted.push({ name, columns });
    }
    if (placed.size === before) throw new Error(`the tables of ${schema} refer to each other in a circle`);
  }
  return sorted;
}

/** `migration`: the last one that was applied. */
export async function readSystemMigration(moment: Moment): Promise<number> {
  const rows = await moment.rows('select coalesce(max(number), 0) from cartulary.migrations');
  return Number(rows[0]?.[0]);
}

export interface SnapshotApplication {
  readonly organization: string;
  readonly version: number;
  readonly generation: number;
  readonly publishedAt: Date;
  readonly definition: string;
  readonly publishing: { readonly other: string; readonly switched: boolean; readonly startedAt: Date } | undefined;
}

export async function readSnapshotApplication(
  moment: Moment,
  applicationId: string,
): Promise<SnapshotApplication | undefined> {
  const rows = await moment.rows(
    `select a.organization, a.version, a.generation, a.published_at, a.definition, p.other, p.switched, p.started_at
     from cartulary.applications a left join cartulary.publishing p on p.application_id = a.id where a.id = $1`,
    [applicationId],
  );
  if (rows[0] === undefined) return undefined;
  const [organization, version, generation, publishedAt, definition, other, switched, startedAt] = rows[0] as [
    ...[string, number, number, Date, string],
    ...[string | null, boolean, Date],
  ];
  const publishing = other === null ? undefined : { other, switched, startedAt };
  return { organization, version, generation, publishedAt, definition, publishing };
}

export interface SnapshotFence {
  readonly generation: number;
  /** The last one that the application's schema has. */
  readonly migration: number;
}

export async function readSnapshotFence(moment: Moment, schema: string): Promise<SnapshotFence> {
  const rows = await moment.rows(`select generation, migration from ${schema}.fence`);
  const [generation, migration] = rows[0] as [number, number];
  return { generation, migration };
}

/** Of an application. Columns as they are, in the order in which they are given. */
export const copyTable = (schema: string, { name, columns }: ArchivedTable): string =>
  `copy ${schema}.${name} (${columns.join(', ')}) to stdout`;

/** A partitioned table is copied through a query. */
export const copyActivity = (schema: string, { name, columns }: ArchivedTable): string =>
  `copy (select ${columns.join(', ')} from ${schema}.${name}) to stdout`;

/** What belongs to the node that receives an upload. */
const OF_UPLOADS = ['node', 'pieces'];

/** Without uploads that are under way: their clients find them gone, and begin again. */
export function copyAttachments(schema: string, { name, columns }: ArchivedTable): string {
  const values = columns.map((column) => (OF_UPLOADS.includes(column) ? 'null' : column));
  return `copy (select ${values.join(', ')} from ${schema}.${name} where state in ('available', 'missing')) to stdout`;
}

/** Of the system. Through a query, which also on Citus sees the moment that it belongs to. */
export const copySystemTable = ({ name, columns }: ArchivedTable): string =>
  `copy (select ${columns.join(', ')} from cartulary.${name}) to stdout`;

/** Of one application; its shared users are those that its users are. */
export function copySharedUsers({ columns }: ArchivedTable, ids: readonly string[]): string {
  const listed = ids.map((id) => `'${id}'`).join(', ');
  return `copy (select ${columns.join(', ')} from cartulary.shared_users where id in (${listed || 'null'})) to stdout`;
}

/** `organization` comes as a literal, because COPY takes no parameters. */
export async function copyOrganization(moment: Moment, { columns }: ArchivedTable, organization: string) {
  const rows = await moment.rows('select quote_literal($1::text)', [organization]);
  return `copy (select ${columns.join(', ')} from cartulary.organizations where name = ${rows[0]?.[0] as string}) to stdout`;
}

export async function listSharedUserIds(moment: Moment, schema: string): Promise<string[]> {
  const rows = await moment.rows(`select shared_user_id from ${schema}.users where shared_user_id is not null`);
  return rows.map((row) => row[0] as string);
}

const PAGE = 1_000;

export interface StoredFileRow {
  readonly id: string;
  readonly size: number;
  readonly hash: string;
}

export async function pageOfStoredFiles(moment: Moment, schema: string, after: string): Promise<StoredFileRow[]> {
  const rows = await moment.rows(
    `select id, size::text, hash from ${schema}.attachments where id > $1 and state = 'available' order by id limit ${PAGE}`,
    [after],
  );
  return (rows as [string, string, string][]).map(([id, size, hash]) => ({ id, size: Number(size), hash }));
}

export async function pageOfSnapshotApplications(moment: Moment, after: string): Promise<string[]> {
  const rows = await moment.rows(`select id from cartulary.applications where id > $1 order by id limit ${PAGE}`, [
    after,
  ]);
  return rows.map((row) => row[0] as string);
}
