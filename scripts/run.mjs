// @ts-check
// The entry point of all npm scripts: `node scripts/run.mjs start|serve|test|test:citus|check|build|package|bench|simulate|torture|audit`.
// It runs before anything is installed, so it is plain JavaScript without dependencies, with types in comments (checked by
// `check`).

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { audit } from './audit.mjs';
import { writeBuildName } from './build-name.mjs';
import { NOT_ON_CITUS, requireCitus } from './citus.mjs';
import { runPackage } from './package.mjs';
import { buildStamp, packageBin, prepare, ROOT } from './prepare.mjs';
import { Failure, holdSignals, Interrupted, run, step } from './processes.mjs';
import { runSuite } from './suite.mjs';

const NODE_MINIMUM = /** @type {const} */ ([20, 19]);

/** @param {string} version such as `20.19.0` */
function isSupported(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > NODE_MINIMUM[0] || (major === NODE_MINIMUM[0] && minor >= NODE_MINIMUM[1]);
}

/**
 * The server runs in this process: there is no wrapper that would have to forward signals, or that `kill -9` could end
 * without ending the server.
 * @param {readonly string[]} args
 */
async function becomeServer(args) {
  await prepare();
  releaseSignals();
  const main = join(ROOT, 'dist', 'program', 'main.js');
  process.argv = [process.execPath, main, ...args];
  await import(pathToFileURL(main).href);
}

async function check() {
  await prepare({ compile: false });
  /** @param {string} label @param {string} program @param {readonly string[]} args @param {string} advice */
  const inspect = (label, program, args, advice) =>
    step(label, async () => {
      const { code, output } = await run(packageBin(ROOT, program), args, { cwd: ROOT });
      if (code !== 0) throw new Failure(`${output}${advice}`);
    });
  const biome = 'The lines above are Biome’s; `npx biome check --write` repairs what it can.';
  await inspect('Checking format and habits', 'biome', ['check', '--error-on-warnings'], biome);
  await inspect('Checking the types of the console', 'tsc', ['-p', 'console'], 'The types of the console fail.');
  await inspect(
    'Checking the types of scripts',
    'tsc',
    ['-p', 'scripts'],
    'The types of scripts, bench and torture fail.',
  );
  await prepare();
}

/** Also the package of the client, for programs outside of this folder. */
async function build() {
  await prepare();
  await step('Building the client', async () => {
    const { code, output } = await run(packageBin(ROOT, 'tsc'), ['-p', 'client'], { cwd: ROOT });
    if (code !== 0) throw new Failure(`${output}The client does not compile.`);
  });
}

/** @type {Record<string, (args: readonly string[]) => Promise<void>>} */
const COMMANDS = {
  start: (args) => becomeServer(['serve', '--demo', ...args]),
  serve: (args) => becomeServer(['serve', ...args]),
  check,
  build,
  package: async (args) => {
    await prepare();
    await runPackage(args);
  },
  prepack: async () => {
    await prepare();
    // The commit may have changed since the last build, with the same sources.
    await writeBuildName(ROOT, buildStamp(ROOT));
  },
  test: async (args) => {
    await check();
    process.exitCode = await runSuite(args);
  },
  'test:citus': async (args) => {
    await prepare();
    await requireCitus();
    process.exitCode = await runSuite(args, { leftOut: NOT_ON_CITUS });
  },
  bench: async (args) => {
    await prepare();
    // Imported here because it needs the packages.
    const { runBench } = await import('../bench/run.mjs');
    await runBench(args);
  },
  audit: async () => {
    process.exitCode = await audit();
  },
  simulate: async (args) => {
    await prepare();
    const { runSimulation } = await import('../simulate/run.mjs');
    await runSimulation(args);
  },
  torture: async (args) => {
    await prepare();
    const [scenario, ...rest] = args;
    if (scenario === 'fuzz') {
      const { run: fuzz } = await import('../torture/fuzz/run.mjs');
      await fuzz(rest);
    } else if (scenario === 'soak') {
      const { run: soak } = await import('../torture/soak/run.mjs');
      await soak(rest);
    } else {
      const { runTorture } = await import('../torture/run.mjs');
      await runTorture(args);
    }
  },
};

const [name = '', ...args] = process.argv.slice(2);
const command = COMMANDS[name];
const releaseSignals = holdSignals();
try {
  if (!isSupported(process.versions.node)) {
    throw new Failure(`Cartulary needs Node ${NODE_MINIMUM.join('.')} or newer; this is ${process.versions.node}.`);
  }
  if (!command) throw new Failure(`Usage: node scripts/run.mjs ${Object.keys(COMMANDS).join('|')} [arguments]`);
  await command(args);
} catch (error) {
  if (!(error instanceof Failure || error instanceof Interrupted)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error instanceof Interrupted ? error.status : 1;
} finally {
  releaseSignals();
}
