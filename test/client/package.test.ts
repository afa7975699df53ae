// The client as a package: packed, installed into a fresh folder without a network, and used from there.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../tidy/tree.ts';
import { openScene, type Scene } from './scene.ts';

const run = promisify(execFile);
const TSC = join(ROOT, 'node_modules', '.bin', 'tsc');

const PROGRAM = `
import { createClient, CartularyError } from 'cartulary-client';
const [url, application, token] = process.argv.slice(2);
const sites = createClient({ url, application, token }).collection('Sites');
await sites.createMany([{ Name: 'a', Floors: 1 }, { Name: 'b', Floors: 2 }]).finish();
const names = [];
for await (const site of sites.search('Floors>0', { sort: 'Name' })) names.push(site.Name);
const error = await sites.get('r${'0'.repeat(26)}').catch((reason) => reason);
console.log(names.join(), error instanceof CartularyError && error.is('RECORD_NOT_FOUND'));
`;

const TYPED_PROGRAM = `
import { type Column, createClient } from 'cartulary-client';
interface App { Sites: { Name: Column<'String', 'sortable'>; Opened: Column<'DateTime'> } }
const sites = createClient<App>({ url: 'http://127.0.0.1', application: 'p', token: 't' }).collection('Sites');
export const name: string | undefined = (await sites.get('r')).Name;
// @ts-expect-error: no such column
export const other = (await sites.get('r')).Nmae;
// @ts-expect-error: not a time
await sites.create({ Opened: 5n });
`;

describe('the package of the client', () => {
  let scene: Scene;
  let folder: string;
  before(async () => {
    scene = await openScene();
    folder = await mkdtemp(join(tmpdir(), 'cartulary-package-'));
    // Built elsewhere, so that nothing is written into the project while other tests read it.
    const source = join(folder, 'client');
    for (const name of ['src', 'package.json', 'tsconfig.json', 'README.md']) {
      await cp(join(ROOT, 'client', name), join(source, name), { recursive: true });
    }
    await run(TSC, ['-p', source]);
    const npm = (args: string[]) =>
      run('npm', [...args, '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
    await npm(['pack', './client']);
    await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }');
    await npm(['install', './cartulary-client-0.1.0.tgz']);
  });
  after(async () => {
    await scene?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('runs in a fresh folder', async () => {
    await writeFile(join(folder, 'program.mjs'), PROGRAM);
    const { stdout } = await run(
      process.execPath,
      ['program.mjs', scene.server.address, scene.app.id, scene.app.admin.token],
      { cwd: folder },
    );
    assert.equal(stdout, 'a,b true\n');
  });

  it('has types that hold for programs in browsers, without Node’s', async () => {
    await writeFile(join(folder, 'program.ts'), TYPED_PROGRAM);
    const options = [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
    ];
    const checked = await run(TSC, [...options, '--types', '', '--lib', 'es2023,dom,dom.asynciterable', 'program.ts'], {
      cwd: folder,
    }).catch((error: { stdout: string }) => error);
    assert.equal(checked.stdout, '');
  });
});
