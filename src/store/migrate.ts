// Migrations: forward only, numbered, applied under an advisory lock so that any number of nodes may start at once. The
// system schema and every application's schema have their own line of them; a new application runs its whole line.

import { readdir, readFile } from 'node:fs/promises';
import { settleActivity } from './activity-months.ts';
import { getApplication, listApplicationIds } from './applications.ts';
import type { Database, Reader, Transaction } from './db.ts';
import { LAYOUT, raiseLayout } from './layouts.ts';
import { foldSharedUsers } from './shared-users.ts';
import { StaleDefinition } from './sqlstate.ts';

/** One lock for migrating the server, of our own choosing ("cart" in ASCII). */
const LOCK = 0x63617274;
/** Nobody waits for an answer. */
const UNHURRIED = 'set local statement_timeout = 0';
const FOLDER = new URL('../../../migrations/', import.meta.url);

interface Migration {
  readonly number: number;
  readonly text: string;
}

export async function readMigrations(line: 'system' | 'application'): Promise<Migration[]> {
  const folder = new URL(`${line}/`, FOLDER);
  const files = (await readdir(folder)).filter((file) => /^\d{4}_.*\.sql$/.test(file)).sort();
  return Promise.all(
    files.map(async (file) => ({
      number: Number(file.slice(0, 4)),
      text: await readFile(new URL(file, folder), 'utf8'),
    })),
  );
}

export async function migrate(database: Database): Promise<void> {
  await migrateSystem(database);
  const migrations = await readMigrations('application');
  for (const applicationId of await listApplicationIds(database.system)) {
    await database
      .application(applicationId)
      .transaction((tx) => migrateApplication(tx, database.system, { applicationId, migrations }))
      .catch((error) => {
        // Removed since it was listed.
        if (!(error instanceof StaleDefinition)) throw error;
      });
  }
}

async function migrateSystem(database: Database): Promise<void> {
  const migrations = await readMigrations('system');
  await database.system.transaction(async (tx) => {
    await tx.rows(UNHURRIED);
    await tx.rows('select pg_advisory_xact_lock($1)', [LOCK]);
    await tx.rows('create schema if not exists cartulary');
    await tx.rows('create table if not exists cartulary.migrations (number integer primary key)');
    const rows = await tx.rows('select coalesce(max(number), 0) from cartulary.migrations');
    const applied = Number(rows[0]?.[0]);
    for (const migration of migrations.filter(({ number }) => number > applied)) {
      await tx.rows(migration.text);
      await tx.rows('insert into cartulary.migrations (number) values ($1)', [migration.number]);
    }
    await foldSharedUsers(tx);
  });
}

/** Brings one application's schema up to date; its fence row is the lock and holds how far it has come. */
async function migrateApplication(
  tx: Transaction,
  system: Reader,
  { applicationId, migrations }: { applicationId: string; migrations: readonly Migration[] },
): Promise<void> {
  await tx.rows(UNHURRIED);
  const rows = await tx.rows(`select migration from ${tx.schema}.fence for update`);
  const applied = Number(rows[0]?.[0]);
  const missing = migrations.filter(({ number }) => number > applied);
  if (missing.length > 0) {
    for (const migration of missing) await tx.rows(migration.text.replaceAll('{{application}}', tx.schema));
    await tx.rows(`update ${tx.schema}.fence set migration = $1`, [missing.at(-1)?.number]);
  }
  const layoutRows = await tx.rows(`select layout from ${tx.schema}.fence`);
  const layout = Number(layoutRows[0]?.[0]);
  if (layout === LAYOUT) return;
  const stored = await getApplication(system, applicationId);
  if (stored === undefined) throw new StaleDefinition();
  await raiseLayout(tx, system, { stored, layout });
}

/** The schema of a new application, with everything but its collections. */
export async function createApplicationSchema(
  tx: Transaction,
  { generation, logs }: { generation: number; logs: boolean },
): Promise<void> {
  const migrations = await readMigrations('application');
  // A cluster then places the schema on one of its workers; plain PostgreSQL takes the setting and ignores it.
  await tx.rows("set local citus.enable_schema_based_sharding = 'on'");
  await tx.rows(`create schema ${tx.schema}`);
  for (const migration of migrations) await tx.rows(migration.text.replaceAll('{{application}}', tx.schema));
  await tx.rows(`insert into ${tx.schema}.fence (generation, migration, layout) values ($1, $2, $3)`, [
    generation,
    migrations.at(-1)?.number,
    LAYOUT,
  ]);
  await settleActivity(tx, { logs });
}

export async function dropApplicationSchema(tx: Transaction): Promise<void> {
  await tx.rows(`drop schema ${tx.schema} cascade`);
}

/** Whether every system migration that this server knows is applied. */
export async function migrationsApplied(system: Reader): Promise<boolean> {
  const latest = (await readMigrations('system')).at(-1)?.number ?? 0;
  const rows = await system.rows('select coalesce(max(number), 0) from cartulary.migrations where $1', [true]);
  return Number(rows[0]?.[0]) >= latest;
}
