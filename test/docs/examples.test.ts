// The examples of the documentation, run twice: each command works as pasted, on whatever port the server has, is
// answered with the status that its mark tells, and the answer that is printed below it has the members of the real one,
// or is the real one.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { PATTERNS } from '../../src/wire/identifiers.ts';
import { type Block, blocksOf, PAGES, readSource } from '../support/markdown.ts';
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
    const runnable = blocks.filter((block) => statusesOf(block) !== undefined);
    const results = await folder.run(runnable);
    let exchanges: Exchange[] = [];
    return blocks.map((block) => {
      const index = runnable.indexOf(block);
      if (index >= 0) exchanges = results[index] ?? [];
      return { block, exchanges };
    });
  }

  function compare({ block, exchanges }: { block: Block; exchanges: Exchange[] }): void {
    const statuses = statusesOf(block);
    if (statuses !== undefined) {
      const real = exchanges.map(({ status }) => status);
      assert.deepEqual(real, statuses, `${block.place}: ${exchanges.map(({ text }) => text).join('\n')}`);
    }
    const last = exchanges.at(-1)?.text ?? '';
    if (block.mark === 'answer exactly') assert.deepEqual(JSON.parse(last), JSON.parse(block.text), block.place);
    if (block.mark === 'answer') {
      assert.deepEqual(shapeOf(JSON.parse(last)), shapeOf(JSON.parse(block.text)), `${block.place}: ${last}`);
    }
  }

  for (const page of PAGES) {
    it(`of docs/${page}.md answer as it says, and the second time too`, async () => {
      for (const result of await runPage(page)) compare(result);
      for (const result of await runPage(page)) compare(result);
      assert.deepEqual(await folder.leftovers(), []);
    });
  }

  it('of a whole publish document are files of the project', () => {
    for (const { mark, text } of PAGES.flatMap(blocksOf)) {
      const file = /^publish document: (docs\/examples\/\S+)$/.exec(mark)?.[1];
      if (file !== undefined) assert.equal(readSource(file), text);
    }
  });

  it('marks every shell command but those that need another database', () => {
    const unmarked = PAGES.flatMap(blocksOf).filter(({ language, mark }) => language === 'sh' && mark === '');
    assert.deepEqual(
      unmarked.filter(({ text }) => !text.startsWith('DATABASE_URL=')).map(({ place }) => place),
      [],
    );
  });
});
