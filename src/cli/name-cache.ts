// Names of applications, collections and columns for completion in a shell, which must not wait for a server. Commands
// that read a definition keep its names here; what is old is at worst a suggestion that fails.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ApplicationDefinition } from '../../client/src/shapes.ts';

export interface CachedNames {
  readonly applications: readonly { readonly id: string; readonly name: string }[];
  /** By the ID of the application: the columns of each collection. */
  readonly collections: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

const NONE: CachedNames = { applications: [], collections: {} };
const APPLICATIONS_MAX = 50;

/** Undefined where the environment names no home: then nothing is kept. */
function cacheFile({ XDG_CACHE_HOME: given, HOME, USERPROFILE }: NodeJS.ProcessEnv): string | undefined {
  const home = HOME || USERPROFILE;
  const base = given || (home ? join(home, '.cache') : undefined);
  return base === undefined ? undefined : join(base, 'cartulary', 'names.json');
}

export async function cachedNames(environment: NodeJS.ProcessEnv): Promise<CachedNames> {
  const file = cacheFile(environment);
  try {
    return file === undefined ? NONE : { ...NONE, ...JSON.parse(await readFile(file, 'utf8')) };
  } catch {
    return NONE;
  }
}

/** Of the operator's list of applications. */
export async function keepApplications(environment: NodeJS.ProcessEnv, list: unknown): Promise<void> {
  const known = await cachedNames(environment);
  const listed = (list as CachedNames['applications']).map(({ id, name }) => ({ id, name })).slice(0, APPLICATIONS_MAX);
  const others = known.applications.filter(({ id }) => listed.every((application) => application.id !== id));
  await keep(environment, known, { ...known, applications: [...listed, ...others].slice(0, APPLICATIONS_MAX) });
}

export async function keepNames(environment: NodeJS.ProcessEnv, definition: ApplicationDefinition): Promise<void> {
  const { id, name, collections } = definition;
  const known = await cachedNames(environment);
  const others = known.applications.filter((application) => application.id !== id).slice(0, APPLICATIONS_MAX - 1);
  const names = collections.map((collection) => [collection.name, collection.columns.map((column) => column.name)]);
  const kept = Object.entries(known.collections).filter(([other]) => others.some((one) => one.id === other));
  await keep(environment, known, {
    applications: [{ id, name }, ...others],
    collections: { ...Object.fromEntries(kept), [id]: Object.fromEntries(names) },
  });
}

/** Errors are ignored: without the cache, completion offers fewer names. */
async function keep(environment: NodeJS.ProcessEnv, before: CachedNames, names: CachedNames): Promise<void> {
  const text = JSON.stringify(names);
  if (text === JSON.stringify(before)) return;
  const file = cacheFile(environment);
  if (file === undefined) return;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const temporary = `${file}.${process.pid}`;
    await writeFile(temporary, text, { mode: 0o600 });
    await rename(temporary, file);
  } catch {
    // Nothing else depends on it.
  }
}
