// @ts-check
// Another commit of this repository in a folder of its own, installed and built as a user would.

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../scripts/prepare.mjs';
import { Failure, run, step } from '../scripts/processes.mjs';

/** What decides whether the packages of two commits are the same, and how each of them recognizes its own. */
const PACKAGE_FILES = ['package-lock.json', 'scripts/prepare.mjs'];

/** @param {readonly string[]} args @param {NodeJS.ProcessEnv} [env] */
async function git(args, env) {
  const { code, output } = await run('git', args, { cwd: ROOT, ...(env ? { env: { ...process.env, ...env } } : {}) });
  if (code !== 0) throw new Failure(`${output}git ${args.join(' ')} ended with status ${code}.`);
  return output.trim();
}

/** @param {string} revision @returns {Promise<string>} its short name */
export async function commitOf(revision) {
  return git(['rev-parse', '--short', '--verify', `${revision}^{commit}`]);
}

/**
 * @param {string} commit
 * @param {string} folder that is made; one that is there is from an earlier run
 */
export async function buildCommit(commit, folder) {
  if (!existsSync(folder)) {
    mkdirSync(folder);
    // An index of its own: neither that of the repository changes, nor its list of worktrees.
    const index = { GIT_INDEX_FILE: `${folder}.index` };
    await git(['read-tree', commit], index);
    await git(['checkout-index', '--all', `--prefix=${folder}/`], index);
  }
  const isSame = (/** @type {string} */ file) =>
    existsSync(join(folder, file)) && readFileSync(join(folder, file)).equals(readFileSync(join(ROOT, file)));
  const packages = join(folder, 'node_modules');
  if (!existsSync(packages) && PACKAGE_FILES.every(isSame)) linkPackages(packages);
  await step(`Installing and building ${commit}`, async () => {
    const { code, output } = await run(process.execPath, ['scripts/run.mjs', 'build'], { cwd: folder });
    if (code !== 0) throw new Failure(`${output}${commit} could not be built.`);
  });
}

/** Each by itself: `npm ci` empties the folder that it finds, and would empty ours through a link to it. @param {string} packages */
function linkPackages(packages) {
  const own = join(ROOT, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync(own)) symlinkSync(join(own, name), join(packages, name));
}
