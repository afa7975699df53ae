// Which engine the database runs, and whether it is supported: checked once, at the start.

import type { Engine, Reader } from './handles.ts';

const VERSION_MIN = 150_000;

export class UnsupportedDatabase extends Error {}

export async function detectEngine(system: Reader): Promise<Engine> {
  const rows = await system.rows(
    `select current_setting('server_version_num')::int, current_setting('server_encoding'),
       exists (select from pg_extension where extname = 'citus'),
       exists (select from pg_available_extensions where name = 'pg_trgm')`,
  );
  const [version, encoding, citus, trigrams] = rows[0] as [number, string, boolean, boolean];
  if (version < VERSION_MIN) {
    throw new UnsupportedDatabase(
      `PostgreSQL 15 or newer is needed, and the database is version ${Math.floor(version / 10_000)}.`,
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
  return citus ? 'citus' : 'plain';
}
