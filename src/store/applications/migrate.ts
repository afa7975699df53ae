// Migrations: forward only, numbered, and applied under a lock, so that any number of nodes may start at once. The system
// schema and the application schemas have a series each; a new application gets the whole series.
// Nodes of the previous version serve meanwhile, so a migration that locks a table is short, times out instead of
// blocking other statements, and is run again (docs/architecture/publishing.md).

import { readdir, readFile } from 'node:fs/promises';
import { Fault } from '../../faults.ts';
import { listUnreachableSchemas } from '../cluster/workers.ts';
import type { Database } from '../database/database.ts';
import { isLocked, StaleDefinition } from '../database/database-errors.ts';
import { UnsupportedDatabase } from '../database/engine.ts';
import type { Reader, Transaction, Writer } from '../database/handles.ts';
import { schemaOf } from '../database/schemas.ts';
import { splitStatements } from '../database/split-statements.ts';
import { plain, type Statement } from '../database/statements.ts';
import { isWorkerLost } from '../database/worker-errors.ts';
import { getApplication, listUnmigrated, noteMigration, type StoredApplication } from './applications.ts';
import { retryOnLockTimeout, SHORT_ATTEMPTS } from './table-changes.ts';

/** The advisory lock for migrating the system schema; the number is "cart" in ASCII. */
const LOCK = 0x63617274;
/** The migrations of this version. */
export const MIGRATIONS = new URL('../../../../migrations/', import.meta.url);

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statements: readonly string[];
}

async function readMigrations(series: 'system' | 'application', from: URL): Promise<Migration[]> {
  const folder = new URL(`${series}/`, from);
  const files = (await readdir(folder)).filter((file) => /^\d{4}_.*\.sql$/.test(file)).sort();
  return Promise.all(
    files.map(async (file) => ({
      number: Number(file.slice(0, 4)),
      name: file.replace(/\.sql$/, ''),
      statements: splitStatements(await readFile(new URL(file, folder), 'utf8')).map(({ text }) => text),
    })),
  );
}

const applicationSeries = new Map<string, Promise<Migration[]>>();

/** Read once for each folder, unless reading failed. */
function applicationMigrations(folder: URL): Promise<Migration[]> {
  const known = applicationSeries.get(folder.href);
  if (known !== undefined) return known;
  const series = readMigrations('application', folder);
  applicationSeries.set(folder.href, series);
  series.catch(() => applicationSeries.delete(folder.href));
  return series;
}

interface MigrateOptions {
  readonly folder?: URL | undefined;
  /** Called repeatedly with the reason while a migration takes long. */
  readonly onWaiting?: ((reason: string) => void) | undefined;
  /** Called with an application whose worker is away, or that is being moved. It is migrated when it is first used. */
  readonly onSkipped?: ((applicationId: string) => void) | undefined;
}

export async function migrate(
  database: Database,
  { folder = MIGRATIONS, onWaiting, onSkipped }: MigrateOptions = {},
): Promise<void> {
  const reporting: Reporting = (reason, work) => reportWhileRunning(reason, work, onWaiting);
  await migrateSystem(database, await readMigrations('system', folder), reporting);
  const isCluster = database.engine === 'citus';
  const unreachable = isCluster ? await listUnreachableSchemas(database.system) : new Set<string>();
  const { application: latest } = await knownMigrations(folder);
  for (const applicationId of await listUnmigrated(database.system, latest)) {
    const migrating = () => migrateApplication(database, applicationId, folder);
    try {
      if (unreachable.has(schemaOf(applicationId))) onSkipped?.(applicationId);
      else await reporting(`application ${applicationId} is being migrated${LOCK_HINT}`, migrating);
    } catch (error) {
      if (error instanceof Fault && (isWorkerLost(error.cause) || (isCluster && isLocked(error)))) {
        onSkipped?.(applicationId);
        continue;
      }
      // A table is missing: the application was removed after it was listed, or the migration is wrong.
      if (!(error instanceof StaleDefinition)) throw error;
      if ((await getApplication(database.system, applicationId)) !== undefined) throw error.cause;
    }
  }
}

type Reporting = <T>(reason: string, work: () => Promise<T>) => Promise<T>;

const REPORT_MS = 3_000;
const LOCK_HINT = ', which waits while its tables are in use; see pg_stat_activity';

async function reportWhileRunning<T>(
  reason: string,
  work: () => Promise<T>,
  report?: (reason: string) => void,
): Promise<T> {
  const timer = setInterval(() => report?.(reason), REPORT_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

async function migrateSystem(
  { system }: Database,
  migrations: readonly Migration[],
  reporting: Reporting,
): Promise<void> {
  const locked = (lockTimeoutMs: number, work: (tx: Transaction) => Promise<void>) =>
    system.transaction(async (tx) => {
      await tx.removeTimeout();
      await reporting('another server is migrating it', () => tx.rows('select pg_advisory_xact_lock($1)', [LOCK]));
      await tx.rows(`set local lock_timeout = ${lockTimeoutMs}`);
      await work(tx);
    });
  let applied = 0;
  await locked(0, async (tx) => {
    // Only if they are missing: a coordinator would send the statements to its workers, and fail while one is away.
    const [row] = await tx.rows("select to_regclass('cartulary.migrations') is null");
    if (row?.[0] === true) {
      await tx.rows('create schema if not exists cartulary');
      await tx.rows('create table if not exists cartulary.migrations (number integer primary key, name text not null)');
    }
    await refuseUnreleasedVersions(tx);
    applied = await lastApplied(tx);
  });
  for (const { number, name, statements } of migrations.filter((migration) => migration.number > applied)) {
    const migrating = () =>
      retryOnLockTimeout((lockTimeoutMs) =>
        locked(lockTimeoutMs, async (tx) => {
          if ((await lastApplied(tx)) >= number) return;
          await tx.pipeline(statements.map(plain));
          await tx.rows('insert into cartulary.migrations (number, name) values ($1, $2)', [number, name]);
        }),
      );
    await reporting(`it is being migrated (step ${number})${LOCK_HINT}`, migrating);
  }
}

/** Development versions before the first release numbered other migrations the same way and recorded no names. */
async function refuseUnreleasedVersions(tx: Transaction): Promise<void> {
  const names = await tx.rows(
    `select 1 from pg_attribute where attrelid = 'cartulary.migrations'::regclass and attname = $1`,
    ['name'],
  );
  if (names.length > 0) return;
  throw new UnsupportedDatabase(
    'This database was made by an earlier development version of Cartulary, whose data this version cannot read: start with an empty data folder (CARTULARY_DATA), or with an empty database where DATABASE_URL is set.',
  );
}

async function lastApplied(tx: Transaction): Promise<number> {
  const rows = await tx.rows('select coalesce(max(number), 0) from cartulary.migrations');
  return Number(rows[0]?.[0]);
}

/**
 * Migrates the schema of one application. Also called when a node first loads an application: a node of the previous
 * version may have created its schema. The row of the fence is the lock and holds the number of the last migration.
 */
export async function migrateApplication(
  database: Database,
  applicationId: string,
  folder: URL = MIGRATIONS,
): Promise<void> {
  const migrations = await applicationMigrations(folder);
  const latest = migrations.at(-1)?.number ?? 0;
  const application = database.application(applicationId);
  // Greater than the latest if a node of a newer version has migrated it.
  const applied = await readMigration(application);
  // On a cluster a move keeps its locks to the end, which may be hours away: it is not waited for.
  const attempts = database.engine === 'citus' ? SHORT_ATTEMPTS : undefined;
  if (applied < latest) await migrateSchema(application, migrations, { latest, attempts });
  await noteMigration(database.system, applicationId, Math.max(applied, latest));
}

async function migrateSchema(
  application: Writer,
  migrations: readonly Migration[],
  { latest, attempts }: { readonly latest: number; readonly attempts: number | undefined },
): Promise<void> {
  const migrating = (lockTimeoutMs: number) =>
    application.transaction(async (tx) => {
      await tx.removeTimeout();
      // Also on the worker of the application, which has the locks of those that write there directly.
      await tx.rows("set local citus.propagate_set_commands = 'local'");
      await tx.rows(`set local lock_timeout = ${lockTimeoutMs}`);
      const applied = await readMigration(tx, 'for update');
      if (applied >= latest) return;
      for (const migration of migrations) {
        if (migration.number > applied) await tx.pipeline(statementsFor(tx.schema, migration));
      }
      await tx.rows(`update ${tx.schema}.fence set migration = $1`, [latest]);
    });
  await retryOnLockTimeout(migrating, attempts);
}

/** Unless the application is known to have all migrations. */
export async function ensureMigrated(
  database: Database,
  { definition, migration }: Pick<StoredApplication, 'definition' | 'migration'>,
  folder: URL = MIGRATIONS,
): Promise<void> {
  const latest = (await applicationMigrations(folder)).at(-1)?.number ?? 0;
  if (migration < latest) await migrateApplication(database, definition.id, folder);
}

const statementsFor = (schema: string, { statements }: Migration): Statement[] =>
  statements.map((text) => plain(text.replaceAll('{{application}}', schema)));

async function readMigration(reader: Reader, locking = ''): Promise<number> {
  const rows = await reader.rows(`select migration from ${reader.schema}.fence ${locking}`);
  return Number(rows[0]?.[0]);
}

/**
 * Creates the schema of a new application, without its collections. `upTo`: with the migrations up to that one. Returns the
 * last of them.
 */
export async function createApplicationSchema(
  tx: Transaction,
  { generation, upTo }: { generation: number; upTo?: number },
): Promise<number> {
  const migrations = (await applicationMigrations(MIGRATIONS)).filter(({ number }) => number <= (upTo ?? number));
  // A Citus cluster then places the schema on one of its workers; plain PostgreSQL accepts the setting and ignores it.
  await tx.rows("set local citus.enable_schema_based_sharding = 'on'");
  await tx.rows(`create schema ${tx.schema}`);
  await tx.pipeline(migrations.flatMap((migration) => statementsFor(tx.schema, migration)));
  const migration = migrations.at(-1)?.number ?? 0;
  await tx.rows(`insert into ${tx.schema}.fence (generation, migration) values ($1, $2)`, [generation, migration]);
  return migration;
}

export async function dropApplicationSchema(tx: Transaction): Promise<void> {
  await tx.rows(`drop schema ${tx.schema} cascade`);
}

/** The last migrations that this version has. */
export async function knownMigrations(folder: URL = MIGRATIONS): Promise<{ system: number; application: number }> {
  const [system, application] = await Promise.all([readMigrations('system', folder), applicationMigrations(folder)]);
  return { system: system.at(-1)?.number ?? 0, application: application.at(-1)?.number ?? 0 };
}

/** Whether every system migration of this version is applied. */
export async function migrationsApplied(system: Reader, folder: URL = MIGRATIONS): Promise<boolean> {
  const latest = (await readMigrations('system', folder)).at(-1)?.number ?? 0;
  const rows = await system.rows('select coalesce(max(number), 0) from cartulary.migrations', [], { prepare: true });
  return Number(rows[0]?.[0]) >= latest;
}
