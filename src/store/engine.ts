// What kind of server the database is: asked once, at the start.

import type { Engine, Reader } from './db.ts';

const VERSION_MIN = 150_000;

export class UnsupportedDatabase extends Error {}

export async function detectEngine(system: Reader): Promise<Engine> {
  const rows = await system.rows(
    `select current_setting('server_version_num')::int, current_setting('server_encoding'),
       exists (select from pg_extension where extname = 'citus')`,
  );
  const [version, encoding, citus] = rows[0] as [number, string, boolean];
  if (version < VERSION_MIN) {
    throw new UnsupportedDatabase(
      `PostgreSQL 15 or newer is needed, and the database is version ${Math.floor(version / 10_000)}.`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new UnsupportedDatabase(`The database must have the encoding UTF8, and has ${encoding}.`);
  }
  return citus ? 'citus' : 'plain';
}
