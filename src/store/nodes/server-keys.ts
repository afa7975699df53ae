// Keys that all servers of a database share. Whichever server starts first makes them.

import type { Writer } from '../database/handles.ts';

/** The key of the name; `make` is asked only where there is none. Of several servers that make one, one counts for all. */
export async function keepServerKey(
  system: Writer,
  name: string,
  { make, madeAt }: { make: () => string; madeAt: string },
): Promise<string> {
  const kept = await readKey(system, name);
  if (kept !== undefined) return kept;
  await system.write(
    'insert into cartulary.server_keys (name, value, made_at) values ($1, $2, $3) on conflict (name) do nothing',
    [name, make(), madeAt],
  );
  const made = await readKey(system, name);
  if (made === undefined) throw new Error(`the key ${name} was made and is not there`);
  return made;
}

async function readKey(system: Writer, name: string): Promise<string | undefined> {
  const rows = await system.rows('select value from cartulary.server_keys where name = $1', [name]);
  return rows[0]?.[0] as string | undefined;
}
