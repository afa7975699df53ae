// @ts-check
// Installs a product into a folder of its own, as `npm install` does it, running the scripts of its packages only where it
// does not work without. What is there from an earlier run is used again.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { Failure, run } from '../../scripts/processes.mjs';
import { note } from '../progress.mjs';

const INSTALL_MS = 1_200_000;
export const MACHINE = `${process.platform}-${process.arch}`;

/** @param {string} folder @param {readonly string[]} packages @param {{ node?: string, compiled?: readonly string[] }} [how] */
async function install(folder, packages, { node = process.execPath, compiled = [] } = {}) {
  const stamp = join(folder, 'packages.json');
  const wanted = JSON.stringify(packages);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  mkdirSync(folder, { recursive: true });
  if (packages.length === 0) return;
  writeFileSync(join(folder, 'package.json'), '{"name":"peer","private":true}\n');
  // Peers of peers are not agreed on by everybody who publishes packages.
  const args = ['install', '--omit=dev', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
  await npm(folder, process.execPath, [...args, ...packages]);
  if (compiled.length > 0) await npm(folder, node, ['rebuild', '--ignore-scripts=false', ...compiled]);
  writeFileSync(stamp, wanted);
}

/** @param {string} folder @param {string} node that npm runs with @param {readonly string[]} args */
async function npm(folder, node, args) {
  const cli = process.env.npm_execpath?.endsWith('npm-cli.js') ? process.env.npm_execpath : undefined;
  const [program, first] = cli ? [node, [cli]] : ['npm', []];
  const home = dirname(dirname(node));
  // A Node that came as a package has brought the headers that packages are compiled with.
  const headers = existsSync(join(home, 'include', 'node')) ? { npm_config_nodedir: home } : {};
  // Whoever runs the bench may have npm keep silent.
  const env = {
    ...process.env,
    ...headers,
    npm_config_loglevel: 'error',
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
  };
  const { code, output } = await run(program, [...first, ...args], { cwd: folder, env, timeoutMs: INSTALL_MS });
  if (code !== 0) throw new Failure(lastError(output));
}

/** Goes into the documents, where no address of a registry belongs. @param {string} output of npm */
function lastError(output) {
  const errors = output
    .split('\n')
    .filter((line) => line.startsWith('npm error') && !/log of this run|:\/\//.test(line));
  const reason = errors.map((line) => line.replace(/^npm error (?:code |\d+ *)?/, '')).filter(Boolean);
  return (reason.join(' ') || output.slice(-300)).slice(0, 300) || 'npm gave no reason';
}

/** The version that is installed of the first of its packages. @param {string} folder @param {readonly string[]} packages */
function versionOf(folder, [first = '']) {
  const name = first.slice(0, first.lastIndexOf('@'));
  return String(JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version);
}

/** @param {import('./peer.mjs').Peer} peer @param {string} folder */
export const isInstalled = ({ key }, folder) => existsSync(join(folder, key, 'packages.json'));

/**
 * @param {import('./peer.mjs').Peer} peer
 * @param {string} folder of all products
 * @returns {Promise<{ folder: string, node: string, version: string }>}
 */
export async function installPeer(peer, folder) {
  const own = join(folder, peer.key);
  const packages = peer.packages(MACHINE);
  const began = performance.now();
  const present = isInstalled(peer, folder);
  const node = await nodeFor(peer, folder);
  await install(own, packages, { node, compiled: peer.compiled ?? [] });
  if (!present) note(`Installed ${peer.name} in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return { folder: own, node, version: (await peer.version?.()) ?? versionOf(own, packages) };
}

/** @param {import('./peer.mjs').Peer} peer @param {string} folder @returns {Promise<string>} this Node, unless it has to be another */
async function nodeFor({ nodeMajor }, folder) {
  if (nodeMajor === undefined || process.versions.node.startsWith(`${nodeMajor}.`)) return process.execPath;
  const home = join(folder, 'node');
  await install(home, [`node-${MACHINE}@${nodeMajor}`]);
  return join(home, 'node_modules', `node-${MACHINE}`, 'bin', 'node');
}
