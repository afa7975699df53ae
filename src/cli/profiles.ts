// Login profiles: where the commands of a user find the server, the application and the token. They are kept in one file
// of the user's config folder, which nobody else can read. No password is ever kept.

import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CommandFailure } from './failure.ts';
import { writeProblem } from './output.ts';

export interface Profile {
  /** The server's address, without a slash at the end. */
  readonly address: string;
  readonly application: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string; readonly name: string };
  readonly token: string;
  /** Of a token that `login` made, which `logout` revokes. */
  readonly tokenId?: string;
  /** Whether the token may go to the address over plain HTTP, because the user said so. */
  readonly insecure?: true;
}

export interface Profiles {
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const FILE = 'profiles.json';
export const PROFILE_NAME = /^[\p{L}\p{N}][\p{L}\p{N}._@-]{0,63}$/u;

/** `$XDG_CONFIG_HOME/cartulary`, or the folder that the platform has for settings of a user. */
export function configFolder(environment: NodeJS.ProcessEnv, platform = process.platform): string {
  const { XDG_CONFIG_HOME: given, APPDATA: roaming } = environment;
  if (given) return join(given, 'cartulary');
  if (platform === 'win32' && roaming) return join(roaming, 'cartulary');
  const home = environment.HOME || homedir();
  return platform === 'darwin'
    ? join(home, 'Library', 'Application Support', 'cartulary')
    : join(home, '.config', 'cartulary');
}

export const profilesFile = (environment: NodeJS.ProcessEnv): string => join(configFolder(environment), FILE);

export async function readProfiles(environment: NodeJS.ProcessEnv): Promise<Profiles> {
  const file = profilesFile(environment);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return { profiles: {} };
    throw new CommandFailure(`Cannot read the login profiles: ${(error as Error).message}`, { cause: error });
  }
  await closeToOthers(file);
  try {
    const { current, profiles } = JSON.parse(text) as Profiles;
    if (typeof profiles !== 'object' || profiles === null) throw new Error('it has no profiles');
    return current !== undefined && current in profiles ? { current, profiles } : { profiles };
  } catch (error) {
    throw new CommandFailure(
      `The file of the login profiles, ${file}, cannot be read: ${(error as Error).message}. Delete it and log in again.`,
      { cause: error },
    );
  }
}

/** A file that was copied or restored may have lost its mode. */
async function closeToOthers(file: string): Promise<void> {
  if (process.platform === 'win32') return;
  const { mode } = await stat(file);
  if ((mode & 0o077) === 0) return;
  await chmod(file, 0o600).catch(() => undefined);
  console.error(`Warning: other accounts could read ${file}, which holds tokens. Now only you can.`);
}

/** Keeps a profile and makes it the current one. */
export async function saveProfile(environment: NodeJS.ProcessEnv, name: string, profile: Profile): Promise<void> {
  const { profiles } = await readProfiles(environment);
  await write(environment, { current: name, profiles: { ...profiles, [name]: profile } });
}

export async function useProfile(environment: NodeJS.ProcessEnv, name: string): Promise<void> {
  const { profiles } = await readProfiles(environment);
  await write(environment, { current: name, profiles });
}

export async function removeProfile(environment: NodeJS.ProcessEnv, name: string): Promise<void> {
  const { current, profiles } = await readProfiles(environment);
  const { [name]: _, ...left } = profiles;
  const stays = current !== undefined && current in left ? current : Object.keys(left)[0];
  await write(environment, stays === undefined ? { profiles: left } : { current: stays, profiles: left });
}

/** The file is replaced whole, so that a full disk or a crash leaves the former one. */
async function write(environment: NodeJS.ProcessEnv, profiles: Profiles): Promise<void> {
  const folder = configFolder(environment);
  const file = profilesFile(environment);
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    await writeFile(temporary, `${JSON.stringify(profiles, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    const why = writeProblem(error as NodeJS.ErrnoException);
    throw new CommandFailure(`Cannot keep the login profile in ${file}: ${why}`, { cause: error });
  }
}
