// The examples of the documentation, run: each command works as pasted, is answered with the status that its mark
// tells, and the answer that is printed below it has the members of the real one, or is the real one.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PATTERNS } from '../../src/wire/identifiers.ts';
import { type Block, blocksOf, PAGES } from '../support/markdown.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Exchange, type Folder, openFolder } from './shell.ts';

const IDENTIFIER = new RegExp(
  Object.values(PATTERNS)
    .map((pattern) => `(?:${pattern})`)
    .join('|'),
);

/** `run: 200 404` → [200, 404]; undefined for a block that is not run. */
function statusesOf({ mark }: Block): number[] | undefined {
  const match = /^run(?:: ([\d ]+))?$/.exec(mark);
  if (match === null) return undefined;
  return (match[1] ?? '').split(' ').flatMap((status) => (status === '' ? [] : Number(status)));
}

/** What two JSON texts must have in common when identifiers, times and hashes differ. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value;
  const entries = Object.entries(value).map(([name, member]) => [
    IDENTIFIER.test(name) ? `<${JSON.stringify(shapeOf(member))}>` : name,
    shapeOf(member),
  ]);
  return Object.fromEntries(entries.sort());
}

describe('the examples of the documentation', () => {
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

  /** Marked blocks of the page, and the exchanges of those that are run. */
  async function runPage(page: (typeof PAGES)[number]): Promise<{ block: Block; exchanges: Exchange[] }[]> {
    const blocks = blocksOf(page);
    for (const { mark, text } of blocks) {
      const file = /^publish document: (\S+)$/.exec(mark)?.[1];
      if (file !== undefined) await writeFile(join(folder.path, file), text);
    }
    const runnable = blocks.filter((block) => statusesOf(block) !== undefined);
    const results = await folder.run(runnable);
    let exchanges: Exchange[] = [];
    return blocks.map((block) => {
      const index = runnable.indexOf(block);
      if (index >= 0) exchanges = results[index] ?? [];
      return { block, exchanges };
    });
  }

  for (const page of PAGES) {
    it(`of docs/${page}.md answer as it says`, async () => {
      for (const { block, exchanges } of await runPage(page)) {
        const statuses = statusesOf(block);
        if (statuses !== undefined) {
          const real = exchanges.map(({ status }) => status);
          assert.deepEqual(real, statuses, `${block.place}: ${exchanges.map(({ text }) => text).join('\n')}`);
        }
        if (block.mark === 'answer exactly') {
          assert.deepEqual(JSON.parse(exchanges.at(-1)?.text ?? ''), JSON.parse(block.text), block.place);
        }
        if (block.mark === 'answer') {
          const real = exchanges.at(-1)?.text ?? '';
          assert.deepEqual(shapeOf(JSON.parse(real)), shapeOf(JSON.parse(block.text)), `${block.place}: ${real}`);
        }
      }
    });
  }

  it('marks every shell command but those that need another database', () => {
    const unmarked = PAGES.flatMap(blocksOf).filter(({ language, mark }) => language === 'sh' && mark === '');
    assert.deepEqual(
      unmarked.filter(({ text }) => !text.startsWith('DATABASE_URL=')).map(({ place }) => place),
      [],
    );
  });
});
