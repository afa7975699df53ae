// From definition to tables: the names of a collection's table and of its columns, and the DDL that publishing runs.
// Every name is built from identifiers whose form was checked, so none needs quoting.

import type { Collection, Column } from '../wire/applications.ts';

/** Projected columns and indexes exist only for what the definition asks for. */
export interface Projection {
  readonly columnId: string;
  /** Name of the projected column in the collection's table. */
  readonly name: string;
}

export const tableOf = (schema: string, collectionId: string): string => `${schema}.${collectionId}`;

export function uniqueProjection(column: Column): Projection | undefined {
  return column.unique ? { columnId: column.id, name: `u_${column.id}` } : undefined;
}

export function projectionsOf(collection: Collection): Projection[] {
  return collection.columns.map(uniqueProjection).filter((projection) => projection !== undefined);
}

/** Within 50 bytes, because a cluster appends the shard's number. */
export const uniqueIndexName = (collectionId: string, columnId: string): string => `${collectionId}_${columnId}_key`;

export function readUniqueIndexName(name: string): { collectionId: string; columnId: string } | undefined {
  const parts = /^(t[a-z0-9]{7})_(c[a-z0-9]{7})_key$/.exec(name);
  return parts?.[1] !== undefined && parts[2] !== undefined
    ? { collectionId: parts[1], columnId: parts[2] }
    : undefined;
}

/**
 * rec: the whole record as the JSON text that goes out (domain/record-text). The other columns are what conditions,
 * order and uniqueness need.
 */
export function createCollectionTable(schema: string, collectionId: string): string {
  return `create table ${tableOf(schema, collectionId)} (
    id text collate "C" primary key,
    rec text not null,
    hash text collate "C" not null,
    created_by text collate "C" not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`;
}

export const dropCollectionTable = (schema: string, collectionId: string): string =>
  `drop table ${tableOf(schema, collectionId)}`;

export const addProjection = (schema: string, collectionId: string, projection: Projection): string =>
  `alter table ${tableOf(schema, collectionId)} add column ${projection.name} text collate "C"`;

export const dropProjection = (schema: string, collectionId: string, projection: Pick<Projection, 'name'>): string =>
  `alter table ${tableOf(schema, collectionId)} drop column ${projection.name}`;

export const createUniqueIndex = (schema: string, collectionId: string, projection: Projection): string =>
  `create unique index ${uniqueIndexName(collectionId, projection.columnId)} on ${tableOf(schema, collectionId)} (${projection.name})`;

/**
 * Keeps writers out and lets readers go on, until the commit. Not a weaker mode: it must also wait for those who have
 * locked rows and are about to write them, or the two would wait for each other.
 */
export const lockAgainstWriters = (schema: string, collectionId: string): string =>
  `lock table ${tableOf(schema, collectionId)} in exclusive mode`;
