// The latest definitions of an application, one for each version. They are in the application's schema, and so in its
// backups.

import type { DefinitionChange } from '../../wire/operator.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { Reader, Transaction } from '../database/handles.ts';
import { readDefinition } from './applications.ts';

export const VERSIONS_MAX = 50;

export interface PublishedDefinition {
  readonly version: number;
  readonly publishedAt: string;
  readonly definition: Definition;
  /** Undefined if it was not recorded. */
  readonly changes: readonly DefinitionChange[] | undefined;
}

/** Also removes the oldest beyond the maximum. A version that is kept stays as it is. */
export async function keepDefinition(tx: Transaction, published: PublishedDefinition): Promise<void> {
  const { version, publishedAt, definition, changes } = published;
  await tx.rows(
    `insert into ${tx.schema}.published_definitions (version, published_at, definition, changes)
     values ($1, $2, $3, $4) on conflict (version) do nothing`,
    [version, publishedAt, JSON.stringify(definition), changes === undefined ? null : JSON.stringify(changes)],
  );
  await tx.rows(`delete from ${tx.schema}.published_definitions where version <= $1`, [version - VERSIONS_MAX]);
}

export interface PublishedVersion {
  readonly version: number;
  readonly publishedAt: Date;
  readonly changes: DefinitionChange[] | null;
}

/** The latest first. */
export async function listDefinitions(reader: Reader): Promise<PublishedVersion[]> {
  const rows = await reader.rows(
    `select version, published_at, changes from ${reader.schema}.published_definitions order by version desc`,
  );
  return (rows as [number, Date, string | null][]).map(([version, publishedAt, changes]) => ({
    version,
    publishedAt,
    changes: changes === null ? null : JSON.parse(changes),
  }));
}

export async function getDefinition(reader: Reader, version: number): Promise<Definition | undefined> {
  const rows = await reader.rows(`select definition from ${reader.schema}.published_definitions where version = $1`, [
    version,
  ]);
  return rows[0] === undefined ? undefined : readDefinition(rows[0][0] as string);
}
