// The examples of docs/client.md are one program. It is run twice in a process of its own, with the client installed as a
// package, against a server with the demonstration.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type LoadedDemonstration, loadDemonstration } from '../../demo/load.ts';
import { blocksIn } from '../support/markdown.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../../client/src/main.js', import.meta.url));

describe('docs/client.md', () => {
  let server: TestServer;
  let demo: LoadedDemonstration;
  let folder: string;

  before(async () => {
    server = await startTestServer();
    demo = await loadDemonstration({ baseUrl: server.address, operatorKey: OPERATOR_KEY, today: new Date() });
    folder = await mkdtemp(join(tmpdir(), 'cartulary-client-'));
    const installed = join(folder, 'node_modules', 'cartulary-client');
    await mkdir(installed, { recursive: true });
    await writeFile(join(installed, 'package.json'), '{ "type": "module", "exports": "./main.js" }');
    await writeFile(join(installed, 'main.js'), `export * from ${JSON.stringify(MAIN)};`);
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('has examples that work as pasted, and the second time too', async () => {
    const blocks = blocksIn('docs/client.md').filter(({ language }) => language === 'js');
    assert.ok(blocks.length >= 9);
    await writeFile(join(folder, 'program.mjs'), blocks.map(({ text }) => text).join('\n'));
    const env = { ADDRESS: server.address, APPLICATION: demo.applicationId, TOKEN: demo.token };
    for (const time of ['first', 'second']) {
      const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder, env });
      assert.match(stdout, /^250$/m, time);
      assert.match(stdout, /^0 DUPLICATED_VALUES/m, time);
      assert.match(stdout, /^1 r[a-z0-9]{26}$/m, time);
      assert.match(stdout, /^250 1$/m, `${time}: what was made is deleted`);
      assert.match(stdout, /^Checked on Monday. 18$/m, time);
      assert.match(stdout, /^true RECORD_NOT_FOUND 404 /m, time);
    }
  });
});
