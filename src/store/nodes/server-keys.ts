// Keys that all nodes of a database share. The first node to start creates them.

import type { Writer } from '../database/handles.ts';

/** `make` is called only if the key does not exist. If several nodes create it at once, one of the keys wins for all. */
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
  if (made === undefined) throw new Error(`the key ${name} was created and is missing`);
  return made;
}

async function readKey(system: Writer, name: string): Promise<string | undefined> {
  const rows = await system.rows('select value from cartulary.server_keys where name = $1', [name]);
  return rows[0]?.[0] as string | undefined;
}
