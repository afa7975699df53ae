// @ts-check
// Installs the packages of package-lock.json, compiles the sources and bundles the program, each only if missing or
// stale. Once that is done, nothing here needs the network.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeBuildName } from './build-name.mjs';
import { withLock } from './lock.mjs';
import { Failure, run, step } from './processes.mjs';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const SOURCES = ['src', 'client/src', 'demo', 'test'];

/** @param {string} file */
const readIfThere = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);

/** @param {readonly string[]} parts */
function digest(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('hex');
}

/**
 * Every file below a folder, as sorted paths from the root with forward slashes.
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
export function filesBelow(root, folder) {
  const base = join(root, folder);
  if (!existsSync(base)) return [];
  return readdirSync(base, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(base, path)).isFile())
    .map((path) => `${folder}/${path.split(sep).join('/')}`)
    .sort();
}

// Packages

/** @param {string} root */
const installStampFile = (root) => join(root, 'node_modules', '.cartulary-install');

/** What the installed packages depend on. @param {string} root */
export function installStamp(root) {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  return `${digest([lock])} abi-${process.versions.modules} ${process.platform}-${process.arch}\n`;
}

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, os?: string[], cpu?: string[], libc?: string[] }} LockEntry
 */

/**
 * Whether npm's record of the installed packages agrees with package-lock.json: `npm ci` may have been run by hand, on a
 * machine that has no network now.
 * @param {string} root
 */
export function installedByHand(root) {
  const noted = readIfThere(join(root, 'node_modules', '.package-lock.json'));
  if (noted === undefined) return false;
  /** @type {Record<string, LockEntry>} */
  const present = JSON.parse(noted).packages ?? {};
  /** @type {Record<string, LockEntry>} */
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages ?? {};
  const fits = (/** @type {LockEntry} */ entry) =>
    !entry.libc &&
    (entry.os ?? [process.platform]).includes(process.platform) &&
    (entry.cpu ?? [process.arch]).includes(process.arch);
  const same = Object.entries(present).every(
    ([path, { version, integrity }]) => wanted[path]?.version === version && wanted[path]?.integrity === integrity,
  );
  const complete = Object.entries(wanted).every(
    ([path, entry]) => path === '' || path in present || (entry.optional === true && !fits(entry)),
  );
  return same && complete;
}

/** @param {string} root */
function isInstalled(root) {
  return readIfThere(installStampFile(root)) === installStamp(root);
}

/** @param {string} root */
async function install(root) {
  if (!existsSync(installStampFile(root)) && installedByHand(root)) {
    await writeFile(installStampFile(root), installStamp(root));
    return;
  }
  const stamp = installStamp(root);
  const live = process.stderr.isTTY === true;
  // No package needs its install script (embedded/ creates the links that one of them would create), so scripts are
  // disabled: the result is the same everywhere, and no code of a dependency runs as root.
  const args = [
    'ci',
    '--include=dev',
    '--include=optional',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
  ];
  // `npm start` passes the path of npm in the environment, so npm need not be on the PATH.
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js') ? process.env.npm_execpath : undefined;
  await step(
    'Installing packages',
    async () => {
      const { code, output } = npm
        ? await run(process.execPath, [npm, ...args], { cwd: root, live })
        : await run('npm', args, { cwd: root, live });
      if (code !== 0) throw new Failure(`${output}npm ci ended with status ${code}; the lines above are its own.`);
    },
    { live },
  );
  await writeFile(installStampFile(root), stamp);
}

// Build

/** @param {string} root */
const buildStampFile = (root) => join(root, 'dist', '.cartulary-build');

/**
 * What the compiled files depend on: every source by name and content, the compiler's settings and its version.
 * Modification times do not count: a checkout or a copy changes them.
 * @param {string} root
 */
export function buildStamp(root) {
  // Tests also compile the parts of the console that need no browser.
  const folders = [...SOURCES, 'console/src'];
  const settings = ['tsconfig.json', 'package-lock.json', 'scripts/program.mjs'];
  const files = [...folders.flatMap((folder) => filesBelow(root, folder)), ...settings];
  return `${digest(files.flatMap((file) => [file, readFileSync(join(root, file), 'utf8')]))}\n`;
}

/** What the compiler makes of the sources, as paths below dist. @param {readonly string[]} sources */
export function outputsOf(sources) {
  return sources
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .map((path) => path.replace(/\.ts$/, '.js'));
}

/**
 * Files in dist whose source is gone. A test that was deleted must not go on running.
 * @param {string} root
 */
export function orphans(root) {
  const kept = new Set(SOURCES.flatMap((folder) => outputsOf(filesBelow(root, folder))));
  const dist = join(root, 'dist');
  return SOURCES.flatMap((folder) => filesBelow(dist, folder)).filter((path) => !kept.has(path.replace(/\.map$/, '')));
}

/** @param {string} root */
const missingOutputs = (root) =>
  SOURCES.flatMap((folder) => outputsOf(filesBelow(root, folder))).filter(
    (path) => !existsSync(join(root, 'dist', path)),
  );

/** @param {string} root */
function isBuilt(root) {
  const isComplete = existsSync(programFile(root)) && missingOutputs(root).length === 0;
  return isComplete && readIfThere(buildStampFile(root)) === buildStamp(root);
}

// The console

/** @param {string} root */
const consoleStampFile = (root) => join(root, 'dist', '.cartulary-console');

/** The console checks values, reads definitions and imports tables as the server does. */
export const CONSOLE_SOURCES = ['console', 'client/src', 'src/domain', 'src/wire', 'src/moving'];

/** What the console's files depend on. @param {string} root */
export function consoleStamp(root) {
  const files = [...CONSOLE_SOURCES.flatMap((folder) => filesBelow(root, folder)), 'package-lock.json'];
  return `${digest(files.flatMap((file) => [file, readFileSync(join(root, file), 'utf8')]))}\n`;
}

/** @param {string} root */
const isConsoleBuilt = (root) =>
  readIfThere(consoleStampFile(root)) === consoleStamp(root) &&
  existsSync(join(root, 'dist', 'console-files', 'index.html'));

/** @param {string} root */
async function buildConsole(root) {
  await step('Building the console', async () => {
    const stamp = consoleStamp(root);
    await rm(consoleStampFile(root), { force: true });
    const { code, output } = await run(packageBin(root, 'vite'), ['build', 'console', '--logLevel', 'warn'], {
      cwd: root,
    });
    if (code !== 0) throw new Failure(`${output}The console cannot be built.`);
    await writeFile(consoleStampFile(root), stamp);
  });
}

/** The path of a program that a package brings. @param {string} root @param {string} name */
export const packageBin = (root, name) => join(root, 'node_modules', '.bin', name);

/** @param {string} root */
const programFile = (root) => join(root, 'dist', 'program', 'main.js');

/** Makes the program of few files (scripts/program.mjs) from what was compiled. @param {string} root */
async function bundle(root) {
  const { code, output } = await run(process.execPath, [join(root, 'scripts', 'program.mjs')], { cwd: root });
  if (code !== 0) throw new Failure(`${output}The program cannot be bundled.`);
}

/** @param {string} root */
async function build(root) {
  await step('Building', async () => {
    const stamp = buildStamp(root);
    await rm(buildStampFile(root), { force: true });
    for (const path of orphans(root)) await rm(join(root, 'dist', path), { force: true });
    // The compiler trusts its record of the files that it wrote; if files are missing, the record has to be deleted.
    if (missingOutputs(root).length > 0) await rm(join(root, 'dist', '.tsbuildinfo'), { force: true });
    const { code, output } = await run(packageBin(root, 'tsc'), [], { cwd: root });
    if (code !== 0) throw new Failure(`${output}The sources do not compile.`);
    await bundle(root);
    await writeBuildName(root, stamp);
    await writeFile(buildStampFile(root), stamp);
  });
}

/**
 * Installs and builds what is missing. Concurrent calls are safe: one process works, the others wait for it.
 * @param {{ root?: string, compile?: boolean }} [options] `compile: false` stops after the packages
 */
export async function prepare({ root = ROOT, compile = true } = {}) {
  const isDone = () => isInstalled(root) && (!compile || (isBuilt(root) && isConsoleBuilt(root)));
  if (isDone()) return;
  const onWait = (/** @type {number} */ pid) =>
    process.stderr.write(`Waiting for process ${pid}, which is installing or building here.\n`);
  await withLock(
    join(root, 'dist', '.lock'),
    async () => {
      if (!isInstalled(root)) await install(root);
      if (compile && !isBuilt(root)) await build(root);
      if (compile && !isConsoleBuilt(root)) await buildConsole(root);
    },
    { onWait },
  );
}
