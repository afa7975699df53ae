// `npm pack`, `npm install` and `npx cartulary start`, as somebody does it who has no clone: in an empty folder whose path
// has a space, as an ordinary account where the test runs as root, and with no network once it is installed.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { VERSION } from '../../src/cli/version.ts';
import { isRoot, PERSON, personCanRun } from '../embedded/sandbox.ts';
import { fetchChecked } from '../support/http-client.ts';
import { ROOT } from '../tidy/tree.ts';

interface Packed {
  readonly file: string;
  readonly version: string;
  readonly paths: readonly string[];
}

interface Packaged {
  readonly NoNetwork: new () => Error;
  watchOf(notes: string): string;
  pack(part: '.' | 'client', folder: string): Promise<Packed>;
  install(file: string, place: { folder: string; global?: boolean }): Promise<string>;
  serving(
    how: { command: readonly string[]; cwd: string; scratch: string; uid?: number },
    work: (address: string, data: string) => Promise<void>,
  ): Promise<{ output: string; code: number | null; connections: string }>;
}

// The scripts are plain JavaScript beside the sources, so that they are not part of what is compiled.
const script: Packaged = await import(pathToFileURL(join(ROOT, 'scripts', 'packaged.mjs')).href);
const run = promisify(execFile);

/** What `data/demonstration.env` sets, as the examples of the documentation read it. */
async function demonstrationIn(data: string): Promise<Record<string, string>> {
  const text = await readFile(join(data, 'demonstration.env'), 'utf8');
  return Object.fromEntries([...text.matchAll(/^(\w+)='(.*)'$/gm)].map(([, name, value]) => [name, value]));
}

describe('the package', () => {
  let scratch: string;
  let server: Packed;
  let client: Packed;
  let build: string;

  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'cartulary-package-'));
    server = await script.pack('.', scratch);
    client = await script.pack('client', scratch);
    // Not what this process has loaded: packing names the build anew.
    ({ build } = JSON.parse(await readFile(join(ROOT, 'dist', 'build.json'), 'utf8')));
    assert.match(build, /^([0-9a-f]{12}(-changed)?|sources-[0-9a-f]{12})$/);
  });
  after(() => rm(scratch, { recursive: true, force: true }));

  it('has what serves, and no sources, tests or data', () => {
    assert.equal(server.version, VERSION);
    for (const path of [
      'bin/cartulary.js',
      'dist/program/main.js',
      'dist/console-files/index.html',
      'dist/src/images/thumbnail-worker.js',
      'deploy/systemd/cartulary.service',
      'docs/operating.md',
      'LICENSE',
    ]) {
      assert.ok(server.paths.includes(path), `${path} is missing`);
    }
    const folders = ['bin', 'deploy', 'dist', 'docs', 'migrations'];
    const files = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json'];
    const others = server.paths.filter((path) => !files.includes(path) && !folders.includes(path.split('/')[0] ?? ''));
    assert.deepEqual(others, []);
    assert.deepEqual(
      server.paths.filter((path) => /\.test\.|\.ts$|\.map$|(^|\/)(tests?|data)\/|secret\.yaml$/.test(path)),
      [],
    );
  });

  it('of the client has its program and its types', () => {
    assert.deepEqual(client.paths.filter((path) => !/^dist\/[\w-]+(\.d\.ts|\.js)$/.test(path)).sort(), [
      'README.md',
      'package.json',
    ]);
    assert.ok(client.paths.includes('dist/main.js') && client.paths.includes('dist/main.d.ts'));
  });

  it('would be seen to connect to another machine, in whatever way', async () => {
    const [notes, watch] = [join(scratch, 'notes'), join(scratch, 'watch-itself.mjs')];
    await writeFile(watch, script.watchOf(notes));
    // Addresses that lead nowhere, by RFC 5737.
    const program = `const ignore = () => undefined;
await fetch('http://192.0.2.1/', { signal: AbortSignal.timeout(100) }).catch(ignore);
(await import('node:https')).get('https://192.0.2.2/').on('error', ignore).destroy();
(await import('node:net')).connect(1, '192.0.2.3').on('error', ignore).destroy();
(await import('node:net')).connect('/nowhere').on('error', ignore);
await fetch('http://127.0.0.1:1/').catch(ignore);`;
    const args = [`--import=${pathToFileURL(watch).href}`, '--input-type=module', '--eval', program];
    await run(process.execPath, args);
    assert.equal(await readFile(notes, 'utf8'), '192.0.2.1\n192.0.2.2\n192.0.2.3\n');
  });

  it('serves from an empty folder with two commands, asks nothing of the network, and works with the client', async (t) => {
    const folder = join(scratch, 'an empty folder');
    await mkdir(folder);
    let bin: string;
    try {
      bin = await script.install(server.file, { folder });
    } catch (error) {
      if (!(error instanceof script.NoNetwork)) throw error;
      t.skip('npm cannot reach a registry, so the package cannot be installed');
      return;
    }
    await script.install(client.file, { folder });
    const { stdout } = await run(join(bin, 'cartulary'), ['--version'], { cwd: folder });
    assert.equal(stdout, `${VERSION} (build ${build})\n`);

    const account = isRoot && personCanRun() ? { uid: PERSON } : {};
    const command = ['npx', 'cartulary', 'start'];
    const served = await script.serving({ command, cwd: folder, scratch, ...account }, async (address, data) => {
      const health = await fetchChecked(`${address}/healthz`);
      assert.deepEqual(await health.json(), { status: 'ok', version: VERSION, build });
      assert.equal((await fetchChecked(`${address}/readyz`)).status, 200);
      assert.match(await (await fetchChecked(`${address}/console`)).text(), /<script /);

      const { API, TOKEN = '', APPLICATION = '', PHOTOS, PHOTO } = await demonstrationIn(data);
      const headers = { authorization: `Bearer ${TOKEN}` };
      const photo = await fetchChecked(`${API}/collections/${PHOTOS}/attachments/${PHOTO}?size=256`, { headers });
      assert.equal(photo.status, 200, 'thumbnails are made by a program of their own');
      assert.match(photo.headers.get('content-type') ?? '', /^image\//);

      const program = `import { createClient } from 'cartulary-client';
const client = createClient({ url: process.env.ADDRESS, application: process.env.APPLICATION, token: process.env.TOKEN });
for await (const site of client.collection('Sites').search('')) console.log(site.Name);`;
      await writeFile(join(folder, 'program.mjs'), program);
      const env = { PATH: process.env.PATH ?? '', ADDRESS: address, APPLICATION, TOKEN };
      const listed = await run(process.execPath, ['program.mjs'], { cwd: folder, env });
      assert.ok(listed.stdout.trim().split('\n').length > 5, listed.stdout);
    });
    assert.equal(served.connections, '', 'it connected to other machines');
    assert.match(served.output, /^Ctrl-C stops the server, and npx cartulary start starts it again/m);
    assert.match(served.output, /^Stopping\.$/m);
  });
});
