// Migrations: forward only, numbered, applied under an advisory lock so that any number of nodes may start at once. The
// system schema and every application's schema have their own line of them; a new application runs its whole line.
// Nodes of the version before serve meanwhile. So whatever locks a table is short, gives way to those who use it, and is
// tried again (docs/architecture.md, "Rolling upgrades").

import { readdir, readFile } from 'node:fs/promises';
import { settleActivity } from '../activity/months.ts';
import type { Database } from '../database/db.ts';
import type { Reader, Transaction } from '../database/handles.ts';
import { StaleDefinition } from '../database/sqlstate.ts';
import { foldSharedUsers } from '../people/shared-users.ts';
import { getApplication, listApplicationIds } from './applications.ts';
import { LAYOUT, raiseLayout } from './layouts.ts';
import { givingWay } from './publishing.ts';

/** One lock for migrating the server, of our own choosing ("cart" in ASCII). */
const LOCK = 0x63617274;
const FOLDER = new URL('../../../../migrations/', import.meta.url);

interface Migration {
  readonly number: number;
  readonly text: string;
}

export async function readMigrations(line: 'system' | 'application', from = FOLDER): Promise<Migration[]> {
  const folder = new URL(`${line}/`, from);
  const files = (await readdir(folder)).filter((file) => /^\d{4}_.*\.sql$/.test(file)).sort();
  return Promise.all(
    files.map(async (file) => ({
      number: Number(file.slice(0, 4)),
      text: await readFile(new URL(file, folder), 'utf8'),
    })),
  );
}

interface MigrateOptions {
  /** Where the migrations are; tests bring those of a version to come. */
  readonly folder?: URL;
  /** Told what it is that takes long, again and again while it does. */
  readonly onWaiting?: ((what: string) => void) | undefined;
}

export async function migrate(database: Database, { folder = FOLDER, onWaiting }: MigrateOptions = {}): Promise<void> {
  const telling: Telling = (what, work) => tellOfLong(what, work, onWaiting);
  await migrateSystem(database, await readMigrations('system', folder), telling);
  const migrations = await readMigrations('application', folder);
  for (const applicationId of await listApplicationIds(database.system)) {
    const migrating = () => migrateApplication(database, applicationId, migrations);
    await telling(`application ${applicationId} is brought up to date${GIVING_WAY}`, migrating).catch((error) => {
      // Removed since it was listed.
      if (!(error instanceof StaleDefinition)) throw error;
    });
  }
}

type Telling = <T>(what: string, work: () => Promise<T>) => Promise<T>;

const LONG_MS = 3_000;
const GIVING_WAY = ', which waits while its tables are in use; pg_stat_activity shows by whom';

async function tellOfLong<T>(what: string, work: () => Promise<T>, tell?: (what: string) => void): Promise<T> {
  const timer = setInterval(() => tell?.(what), LONG_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Of an application that this node meets for the first time: one of an earlier version may have made its schema. */
export async function keepMigrated(database: Database, applicationId: string): Promise<void> {
  await migrateApplication(database, applicationId, await applicationLine());
}

let line: Promise<Migration[]> | undefined;

function applicationLine(): Promise<Migration[]> {
  line ??= readMigrations('application').catch((error) => {
    line = undefined;
    throw error;
  });
  return line;
}

async function migrateSystem({ system }: Database, migrations: readonly Migration[], telling: Telling): Promise<void> {
  const inTurn = (waitMs: number, work: (tx: Transaction) => Promise<void>) =>
    system.transaction(async (tx) => {
      await tx.unhurried();
      await telling('another server is bringing it up to date', () =>
        tx.rows('select pg_advisory_xact_lock($1)', [LOCK]),
      );
      await tx.rows(`set local lock_timeout = ${waitMs}`);
      await work(tx);
    });
  let applied = 0;
  await inTurn(0, async (tx) => {
    await tx.rows('create schema if not exists cartulary');
    await tx.rows('create table if not exists cartulary.migrations (number integer primary key)');
    applied = await lastApplied(tx);
  });
  for (const { number, text } of migrations.filter((migration) => migration.number > applied)) {
    const migrating = () =>
      givingWay((waitMs) =>
        inTurn(waitMs, async (tx) => {
          if ((await lastApplied(tx)) >= number) return;
          await tx.rows(text);
          await tx.rows('insert into cartulary.migrations (number) values ($1)', [number]);
        }),
      );
    await telling(`it is brought up to date (step ${number})${GIVING_WAY}`, migrating);
  }
  await inTurn(0, foldSharedUsers);
}

async function lastApplied(tx: Transaction): Promise<number> {
  const rows = await tx.rows('select coalesce(max(number), 0) from cartulary.migrations');
  return Number(rows[0]?.[0]);
}

/** Brings one application's schema up to date; its fence row is the lock and holds how far it has come. */
async function migrateApplication(
  database: Database,
  applicationId: string,
  migrations: readonly Migration[],
): Promise<void> {
  const application = database.application(applicationId);
  if (isCurrent(await readFence(application), migrations)) return;
  await givingWay((waitMs) =>
    application.transaction(async (tx) => {
      await tx.unhurried();
      await tx.rows(`set local lock_timeout = ${waitMs}`);
      const applied = (await readFence(tx, 'for update')).migration;
      const missing = migrations.filter(({ number }) => number > applied);
      if (missing.length > 0) {
        for (const migration of missing) await tx.rows(migration.text.replaceAll('{{application}}', tx.schema));
        await tx.rows(`update ${tx.schema}.fence set migration = $1`, [missing.at(-1)?.number]);
      }
      const { layout } = await readFence(tx);
      if (layout >= LAYOUT) return;
      const stored = await getApplication(database.system, applicationId);
      if (stored === undefined) throw new StaleDefinition();
      await raiseLayout(tx, database.system, { stored, layout });
    }),
  );
}

interface Fence {
  readonly migration: number;
  readonly layout: number;
}

/** Whatever columns it has: the first had no layout. */
async function readFence(reader: Reader, locking = ''): Promise<Fence> {
  const rows = await reader.rows(
    `select to_json(fence) ->> 'migration', to_json(fence) ->> 'layout' from ${reader.schema}.fence ${locking}`,
  );
  return { migration: Number(rows[0]?.[0]), layout: Number(rows[0]?.[1] ?? 0) };
}

/** Or ahead: a node of the version before that starts once more changes nothing. */
const isCurrent = ({ migration, layout }: Fence, migrations: readonly Migration[]): boolean =>
  migration >= (migrations.at(-1)?.number ?? 0) && layout >= LAYOUT;

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
