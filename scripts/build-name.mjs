// @ts-check
// Which sources a build was made of, for `--version` and `/healthz`: the commit where it is known, else a digest.

import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure, run } from './processes.mjs';

const COMMIT_LENGTH = 12;

/** @param {string} root @param {readonly string[]} args */
async function git(root, args) {
  try {
    const { code, output } = await run('git', args, { cwd: root, timeoutMs: 10_000 });
    return code === 0 ? output.trim() : undefined;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/**
 * `SOURCE_COMMIT` is for builds without a repository, such as those of container images.
 * @param {string} root
 * @param {string} stamp the digest of the sources
 */
export async function buildName(root, stamp) {
  const given = process.env.SOURCE_COMMIT ?? '';
  if (/^[0-9a-f]{7,64}$/.test(given)) return given.slice(0, COMMIT_LENGTH);
  // The repository of a folder above would name something else.
  const commit = existsSync(join(root, '.git')) ? await git(root, ['rev-parse', 'HEAD']) : undefined;
  if (commit === undefined) return `sources-${stamp.slice(0, COMMIT_LENGTH)}`;
  const changes = await git(root, ['status', '--porcelain', '--untracked-files=no']);
  return `${commit.slice(0, COMMIT_LENGTH)}${changes === '' ? '' : '-changed'}`;
}

/** @param {string} root @param {string} stamp */
export async function writeBuildName(root, stamp) {
  const file = join(root, 'dist', 'build.json');
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify({ build: await buildName(root, stamp) })}\n`);
  // A command that starts meanwhile reads the old or the new one.
  await rename(draft, file);
}
