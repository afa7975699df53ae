// Which engine the database runs, and whether it is supported: checked once, at the start.

import type { Engine, Reader } from './handles.ts';

const VERSION_MIN = 150_000;

export class UnsupportedDatabase extends Error {}

export interface DatabaseEngine {
  readonly engine: Engine;
  /** Of PostgreSQL, such as `15.4`. */
  readonly version: string;
  /** The version of Citus. */
  readonly citus: string | undefined;
  /** What this server does on plain PostgreSQL and not here. */
  readonly cannot: readonly string[];
}

/** docs/scaling.md says the same. */
const CANNOT_ON_CITUS = ['back up several applications as of one moment'];

export async function detectEngine(system: Reader): Promise<DatabaseEngine> {
  const rows = await system.rows(
    `select current_setting('server_version_num')::int, current_setting('server_encoding'),
       exists (select from pg_available_extensions where name = 'pg_trgm'),
       split_part(current_setting('server_version'), ' ', 1),
       (select extversion from pg_extension where extname = 'citus')`,
  );
  const [number, encoding, trigrams, version, citus] = rows[0] as [number, string, boolean, string, string | null];
  if (number < VERSION_MIN) {
    throw new UnsupportedDatabase(
      `PostgreSQL 15 or newer is needed, and the database is version ${Math.floor(number / 10_000)}.`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new UnsupportedDatabase(`The database must have the encoding UTF8, and has ${encoding}.`);
  }
  if (!trigrams) {
    throw new UnsupportedDatabase(
      'The database needs the extension pg_trgm, and its server does not have it. It is among the extensions that come with PostgreSQL, in some systems in a package called contrib.',
    );
  }
  return citus === null
    ? { engine: 'plain', version, citus: undefined, cannot: [] }
    : { engine: 'citus', version, citus, cannot: CANNOT_ON_CITUS };
}
