// The demonstration of `npm start`: published once into a new database, however many servers start, and kept where later
// starts find it.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, mock } from 'node:test';
import { demonstrate } from '../../src/cli/demonstration.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';

describe('the demonstration', () => {
  let server: TestServer;
  let folder: string;
  const notes: string[] = [];

  before(async () => {
    server = await startTestServer();
    folder = await mkdtemp(join(tmpdir(), 'ct-demonstration-'));
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
    await server.close();
  });

  /** Like servers that start at the same time. Returns their output. */
  async function start(...dataFolders: string[]): Promise<string[]> {
    const log = mock.method(console, 'log', () => undefined);
    const { connection } = server.database;
    const options = { connection, operatorKey: OPERATOR_KEY, print: (line: string) => notes.push(line) };
    try {
      await Promise.all(dataFolders.map((dataFolder) => demonstrate(server.address, { ...options, dataFolder })));
      return log.mock.calls.map(({ arguments: [text] }) => String(text));
    } finally {
      log.mock.restore();
    }
  }

  it('is not published if its token cannot be stored', async () => {
    await writeFile(join(folder, 'file'), '');
    await assert.rejects(start(join(folder, 'file', 'data')), /Cannot use the data folder .*file\/data/);
    assert.deepEqual((await server.operator('GET', '/applications')).body, []);
  });

  it('is published once by servers that start together, and creates the data folder', async () => {
    const data = join(folder, 'new', 'data');
    const printed = await start(data, data);
    const { body } = await server.operator('GET', '/applications');
    assert.equal(body.length, 1);
    const file = join(data, 'demonstration.json');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const { applicationId, token } = JSON.parse(await readFile(file, 'utf8'));
    assert.equal(applicationId, body[0].id);
    assert.equal(printed.length, 2);
    for (const text of printed) assert.ok(text.includes(token), 'both show it');
    assert.deepEqual(await start(join(folder, 'other')), []);
    assert.match(notes.at(-1) ?? '', /^The database already has applications/);
  });
});
