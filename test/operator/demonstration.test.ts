// The demonstration of `npm start`: published once into a new database, however many servers start, and kept where later
// starts find it.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { demonstrate, homeIn } from '../../src/cli/demonstration.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';

describe('the demonstration', () => {
  let server: TestServer;
  let folder: string;
  const notes: string[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ct-demonstration-'));
    server = await startTestServer({ home: homeIn(join(folder, 'new', 'data')) });
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
    await server.close();
  });

  /** Like servers that start at the same time. Returns their output. */
  async function start(...dataFolders: string[]): Promise<string[]> {
    const { connection } = server.database;
    const options = {
      connection,
      operatorKey: OPERATOR_KEY,
      print: (line: string) => notes.push(line),
      again: 'npm start',
    };
    return Promise.all(dataFolders.map((dataFolder) => demonstrate(server.address, { ...options, dataFolder })));
  }

  /** Where a browser is led that opens the bare address. */
  const bareLeadsTo = async (): Promise<string | null> =>
    (await server.send('GET', '/', { headers: { accept: 'text/html' }, unchecked: true })).headers.get('location');

  it('is not published if its token cannot be stored', async () => {
    await writeFile(join(folder, 'file'), '');
    await assert.rejects(start(join(folder, 'file', 'data')), /Cannot use the data folder .*file\/data/);
    assert.deepEqual((await server.operator('GET', '/applications')).body, []);
    assert.equal(await bareLeadsTo(), '/console');
  });

  it('is published once by servers that start together, and creates the data folder', async () => {
    const data = join(folder, 'new', 'data');
    const printed = await start(data, data);
    const { body } = await server.operator('GET', '/applications');
    assert.equal(body.length, 1);
    const file = join(data, 'demonstration.json');
    for (const secret of [file, join(data, 'demonstration.env')]) {
      assert.equal((await stat(secret)).mode & 0o777, 0o600);
    }
    assert.deepEqual(notes, ['Publishing the demonstration (first start)…']);
    const { applicationId, token, address } = JSON.parse(await readFile(file, 'utf8'));
    assert.equal(address, server.address);
    assert.equal(applicationId, body[0].id);
    assert.equal(await bareLeadsTo(), `/console?home=${applicationId}`);
    assert.equal(printed.length, 2);
    for (const text of printed) assert.ok(text.includes(token), 'both show it');
    const [other = ''] = await start(join(folder, 'other'));
    assert.match(other, /^The database already has applications/);
  });
});
