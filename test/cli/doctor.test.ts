// `cartulary doctor` as a person runs it: a report to read, and an exit code for a script.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { assertPlain, type Finished, run, withFolder } from '../support/command.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';

const COLLECTIONS = [{ name: 'Visits', columns: [{ name: 'Photo', type: 'Attachment' }] }];

describe('cartulary doctor', () => {
  let home: string;
  let folder: string;
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'ct-doctor-'));
    folder = join(home, 'attachments');
    server = await startTestServer({ attachments: { kind: 'disk', folder } });
    app = await publishApplication(server, { collections: COLLECTIONS });
  });
  after(async () => {
    await server.close();
    await rm(home, { recursive: true, force: true });
  });

  async function doctor(...options: string[]): Promise<Finished> {
    let finished: Finished | undefined;
    await withFolder(async (cwd) => {
      const env = { CARTULARY_OPERATOR_KEY: OPERATOR_KEY };
      finished = await run(['doctor', '--url', server.address, ...options], { cwd, env });
    });
    return finished!;
  }

  it('says that all is well', async () => {
    const { code, stdout, stderr } = await doctor();
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(stdout, `Checked 0 attachments of 1 application, and 0 files in ${folder}.\nNo problems found.\n`);
  });

  it('tells what is wrong, mends it, and is content then', async () => {
    const path = `/collections/${app.ids.Visits!.id}/attachments`;
    const headers = { 'content-disposition': 'attachment; filename="roof.jpg"', 'content-type': 'image/jpeg' };
    const { body: roof } = await app.send('POST', path, { raw: 'a picture', headers });
    await app.send('POST', path, { raw: 'another', headers });
    const stored = join(folder, app.id, roof.id.slice(-2), roof.id);
    await rename(stored, join(home, 'aside'));
    const stranger = `a${'0'.repeat(26)}`;
    await writeFile(join(folder, app.id, roof.id.slice(-2), `${stranger.slice(0, -2)}${roof.id.slice(-2)}`), 'whose?');
    const found = await doctor();
    assertPlain(found, /^To repair this, add --mend\.$/m);
    assert.match(found.stdout, /^Checked 2 attachments of 1 application, and 2 files in /);
    assert.match(
      found.stdout,
      /^Files that belong to no attachment: 1\n {2}p\w+\/a0+\w+ 6 bytes\n {2}--mend removes them\.$/m,
    );
    assert.match(
      found.stdout,
      new RegExp(
        `^Attachments without their file: 1\n  ${app.id}/${roof.id} "roof.jpg", should have 9 bytes\n  --mend marks`,
        'm',
      ),
    );
    const mended = await doctor('--mend');
    assert.deepEqual([mended.code, mended.stderr], [0, '']);
    assert.match(mended.stdout, /^ {2}1 was removed\.$/m);
    assert.match(mended.stdout, /^ {2}1 was marked as missing: it answers 404\.$/m);
    const after = await doctor('--hashes');
    assert.deepEqual([after.code, after.stderr], [0, '']);
    assert.match(after.stdout, /^No problems found\.\n\n1 attachment is marked as missing\. Restore the file/m);
    await mkdir(dirname(stored), { recursive: true });
    await rename(join(home, 'aside'), stored);
    const back = await doctor('--mend');
    assert.match(back.stdout, /^ {2}1 is available again\.$/m);
    assert.equal((await doctor()).code, 0);
  });

  it('refuses to mend when the disk seems not to be mounted', async () => {
    const path = `/collections/${app.ids.Visits!.id}/attachments`;
    for (let n = 0; n < 12; n++) await app.send('POST', path, { raw: `${n}` });
    await rename(join(folder, app.id), join(home, 'unmounted'));
    const refused = await doctor('--mend');
    assertPlain(
      refused,
      /^Nothing was repaired\. 14 of 14 attachments have no file.*If this is expected, add --force\.$/m,
    );
    assert.match(refused.stdout, /^Attachments without their file: 14\n(?: {2}p.*\n){5} {2}and 9 more$/m);
    await rename(join(home, 'unmounted'), join(folder, app.id));
    assert.equal((await doctor('--mend')).code, 0);
  });

  it('says plainly that the store, or the server, does not answer', async () => {
    await rename(folder, `${folder}-away`);
    assertPlain(await doctor(), /^The place of the attachments, .*, cannot be read: it has no \.cartulary-attachments/);
    await rename(`${folder}-away`, folder);
    assertPlain(await doctor('--url', 'http://127.0.0.1:9'), /^No server answers at http:\/\/127\.0\.0\.1:9\./);
  });
});
