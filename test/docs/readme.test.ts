// README.md: its first steps work as pasted, with what `npm start` prints, and its links lead to files.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { readSource, rootPath } from '../support/markdown.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Folder, openFolder } from './shell.ts';

const README = readSource('README.md');

describe('README.md', () => {
  let server: TestServer;
  let folder: Folder;

  before(async () => {
    server = await startTestServer();
    folder = await openFolder(server);
  });
  after(async () => {
    await folder.remove();
    await server.close();
  });

  it('has first steps that are answered as it says, the lists with something in them', async () => {
    const [, statuses = '', script = ''] = /<!-- run: ([\d ]+) -->\n```sh\n([\s\S]*?)^```$/m.exec(README) ?? [];
    const { token, applicationId, collectionId } = folder.demonstration;
    const filled = script
      .replace('TOKEN=…', `TOKEN=${token}`)
      .replace('/v1/p…', `/v1/${applicationId}`)
      .replace('COLLECTION=t…', `COLLECTION=${collectionId}`);
    assert.doesNotMatch(filled, /…/);
    const [exchanges = []] = await folder.run([{ language: 'sh', mark: '', place: 'README.md', text: filled }]);
    assert.equal(exchanges.map(({ status }) => status).join(' '), statuses);
    const lists = exchanges.flatMap(({ text }) => (text.startsWith('[') ? [JSON.parse(text)] : []));
    assert.equal(lists.length, 5);
    for (const found of lists) assert.ok(found.length > 0);
  });

  it('links to files that exist', () => {
    const links = [...README.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) => path);
    assert.ok(links.length > 0);
    for (const path of links) assert.ok(existsSync(rootPath(path)), path);
  });
});
