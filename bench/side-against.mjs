// @ts-check
// The other side of `--against`, `--against-node` and `--against-workers`: the server of another commit, under another
// Node, or with another number of processes. It has a data folder and a database of its own, since an older commit may
// have other tables.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../scripts/prepare.mjs';
import { Failure, run } from '../scripts/processes.mjs';
import { buildCommit, commitOf } from './commit.mjs';
import { onGround } from './ground.mjs';

/** @param {import('./options.mjs').Options} options */
export const hasOpponent = ({ against, againstNode, againstWorkers }) =>
  [against, againstNode, againstWorkers].some((option) => option !== undefined);

/** @param {string} node */
async function versionOf(node) {
  const { code, output } = await run(node, ['--version'], { cwd: ROOT });
  if (code !== 0 || !/^v\d/.test(output)) throw new Failure(`${node} is no Node; it said: ${output.slice(0, 200)}`);
  return `Node ${output.trim().slice(1)}`;
}

/** @param {number | undefined} workers @returns {string | undefined} */
export const workersName = (workers) =>
  workers === undefined ? undefined : `${workers} worker${workers === 1 ? '' : 's'}`;

/**
 * @template T
 * @param {string} folder of the run; what the other server has goes below it
 * @param {import('./options.mjs').Options} options
 * @param {(ground: import('./application.mjs').Ground, name: string) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function onOtherGround(folder, { against, againstNode, againstWorkers, workers, logLevel }, work) {
  const commit = against === undefined ? undefined : await commitOf(against);
  const version = againstNode === undefined ? undefined : await versionOf(againstNode);
  const name = [commit, version, workersName(againstWorkers)].filter(Boolean).join(', ');
  // Of each commit its own, so that a kept folder serves comparisons with several.
  const home = join(folder, `against-${commit ?? 'ours'}`);
  mkdirSync(home, { recursive: true, mode: 0o711 });
  const root = commit === undefined ? ROOT : join(home, 'commit');
  if (commit !== undefined) await buildCommit(commit, root);
  const server = { logLevel, root, node: againstNode, workers: againstWorkers ?? workers };
  return onGround(home, server, (ground) => work(ground, name));
}
