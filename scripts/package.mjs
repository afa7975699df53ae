// @ts-check
// `npm run package`: packs, installs and serves the package with this Node, or with every supported one (`--nodes`, each
// from npm): with npx in a folder and as a global command, as root and not. `--image` runs the build steps of the
// Dockerfile instead, in a folder. Nothing is published.

import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install, installNode, pack, serving } from './packaged.mjs';
import { ROOT } from './prepare.mjs';
import { Failure, run, step } from './processes.mjs';

const NODES = [20, 22, 24, 26];

/** An account that is neither root nor the one that root lends to PostgreSQL. */
function ordinaryAccount() {
  const uids = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => Number(line.split(':')[2]));
  return uids.find((uid) => uid > 0 && uid !== 65_534);
}

/** @param {string} folder @param {number | undefined} major */
async function nodeOf(folder, major) {
  if (major === undefined) return process.execPath;
  const place = join(folder, `node-${major}`);
  await mkdir(place, { recursive: true });
  return step(`Installing Node ${major}`, () => installNode(major, place));
}

/** Version and build, and a thumbnail, which a program of its own makes. @param {string} address @param {string} data */
async function lookAt(address, data) {
  const health = await (await fetch(`${address}/healthz`)).text();
  if (!/"version":"[^"]+","build":"[^"]+"/.test(health)) throw new Failure(`/healthz tells ${health}.`);
  const env = readFileSync(join(data, 'demonstration.env'), 'utf8');
  const value = (/** @type {string} */ name) => new RegExp(`^${name}='(.*)'$`, 'm').exec(env)?.[1] ?? '';
  const photo = `${value('API')}/collections/${value('PHOTOS')}/attachments/${value('PHOTO')}?size=256`;
  const { status } = await fetch(photo, { headers: { authorization: `Bearer ${value('TOKEN')}` } });
  if (status !== 200) throw new Failure(`A thumbnail has the status ${status}.`);
}

/** Serves once, from no data at all. @param {import('./packaged.mjs').Serving} how */
async function tryOut(how) {
  await mkdir(how.cwd, { recursive: true });
  const { connections, output } = await serving(how, lookAt);
  if (connections !== '') throw new Failure(`It connected to ${connections}.`);
  if (!/^Stopping\.$/m.test(output)) throw new Failure(`${output}It did not stop in order.`);
  await rm(join(how.cwd, 'data'), { recursive: true, force: true });
}

/**
 * The build steps of the Dockerfile's first stage, in folders that stand for /build and /app, and a server from what they
 * make. Run by root, the server's account cannot write there, as in a container with a read-only root.
 * @param {string} scratch
 */
async function tryImage(scratch) {
  const [build, app, data] = [join(scratch, 'build'), join(scratch, 'app'), join(scratch, 'served here')];
  const places = (/** @type {string} */ text) =>
    text.replaceAll('/build', build).replaceAll(/(?<![\w.-])\/app\b/g, app);
  const sent = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const path of sent.output.split('\0').filter(Boolean)) await cp(join(ROOT, path), join(build, path));
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '');
  const [, stage = ''] = text.split(/^FROM .*$/m);
  let cwd = build;
  for (const line of stage.split('\n')) {
    const [, word, rest = ''] = /^(WORKDIR|RUN) (.*)$/.exec(line) ?? [];
    if (word === 'WORKDIR') cwd = places(rest);
    if (word !== 'RUN') continue;
    await step(`RUN ${rest.slice(0, 60)}`, async () => {
      const { code, output } = await run('sh', ['-c', places(rest)], { cwd });
      if (code !== 0) throw new Failure(`${output.slice(-3000)}The step ended with status ${code}.`);
    });
  }
  const uid = process.getuid?.() === 0 ? ordinaryAccount() : undefined;
  const command = [process.execPath, join(app, 'bin', 'cartulary.js'), 'start'];
  await step('Serving from what they made', () => tryOut({ command, cwd: data, scratch, ...(uid && { uid }) }));
}

const OPTIONS = ['--nodes', '--image'];

/** @param {readonly string[]} args */
export async function runPackage(args) {
  const unknown = args.filter((arg) => !OPTIONS.includes(arg));
  if (unknown.length > 0) {
    throw new Failure(`Unknown: ${unknown.join(' ')}. Usage: npm run package -- [${OPTIONS.join(' | ')}]`);
  }
  const scratch = await mkdtemp(join(tmpdir(), 'cartulary-package-'));
  try {
    if (args.includes('--image')) await tryImage(scratch);
    else await tryPackage(scratch, args.includes('--nodes') ? NODES : [undefined]);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** @param {string} scratch @param {readonly (number | undefined)[]} majors */
async function tryPackage(scratch, majors) {
  const { file } = await step('Packing', () => pack('.', scratch));
  const [own, all] = [join(scratch, 'with a space'), join(scratch, 'for all')];
  for (const folder of [own, all]) await mkdir(folder);
  await step('Installing it in a folder', () => install(file, { folder: own }));
  const bin = await step('Installing it as a command', () => install(file, { folder: all, global: true }));
  const isRoot = process.getuid?.() === 0;
  const ordinary = isRoot ? ordinaryAccount() : undefined;
  const accounts = [
    ...(isRoot ? [{ who: 'root' }] : []),
    { who: 'an ordinary account', ...(ordinary && { uid: ordinary }) },
  ];
  for (const major of majors) {
    const node = await nodeOf(scratch, major);
    const { output: name } = await run(node, ['--version'], { cwd: scratch });
    for (const { who, ...account } of accounts) {
      const how = { scratch, node, ...account };
      const label = `Node ${name.trim()} as ${who}:`;
      await step(`${label} npx cartulary start`, () =>
        tryOut({ ...how, command: ['npx', 'cartulary', 'start'], cwd: own }),
      );
      const command = [join(bin, 'cartulary'), 'start'];
      await step(`${label} cartulary start`, () => tryOut({ ...how, command, cwd: join(all, 'served here') }));
    }
  }
}
