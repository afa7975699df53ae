// Searches of which the database cannot tell how many records match: the list walks along its order for a while, and
// looks for all hits when that has found no whole page (store/records/list-statements).

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const SIZED = 3_000;
const UNSIZED = 60;
const SIZE = 'csize000';
const TAGS = 'ctags000';

describe('rare hits', () => {
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, {
      collections: [
        {
          name: 'Things',
          columns: [
            { id: SIZE, name: 'Size', type: 'Number', sortable: true },
            { name: 'Title', type: 'String', searchable: true },
            { id: TAGS, name: 'Tags', type: 'Array', scheme: { element: { type: 'Number' } }, searchable: true },
          ],
        },
      ],
    });
    const title = app.ids.Things!.Title!;
    const tag = { type: 'Array', value: [number(7)] };
    // Every tenth of the small ones is a hit, far from the large ones, and so is every record without a size.
    const records = Array.from({ length: SIZED + UNSIZED }, (_, index) => {
      const isHit = index >= SIZED || (index < 500 && index % 10 === 0);
      const size = index < SIZED ? { [SIZE]: number(index) } : {};
      return { values: { ...size, [title]: string(isHit ? 'a qz b' : 'other'), ...(isHit ? { [TAGS]: tag } : {}) } };
    });
    for (let start = 0; start < records.length; start += 100) {
      const json = records.slice(start, start + 100);
      assert.equal((await app.send('POST', app.records('Things'), { json })).status, 200);
    }
  });
  after(async () => {
    await server.close();
  });

  const page = async (query: Record<string, string>) => {
    const parameters = new URLSearchParams({ sortKey: 'column', sortColumnId: SIZE, ...query });
    const { status, body, text } = await app.send('GET', `${app.records('Things')}?${parameters}`);
    assert.equal(status, 200, text);
    return body as { id: string; values: Record<string, { value: number }> }[];
  };

  for (const search of ['qz', 'Tags=7', 'Title:qz Tags:7']) {
    for (const sortOrder of ['ascending', 'descending']) {
      it(`are all found behind any position, in order: ${search}, ${sortOrder}`, async () => {
        const whole = [];
        for (let skip = 0; ; skip += 100) {
          const found = await page({ search, sortOrder, skip: String(skip), limit: '100' });
          whole.push(...found.map(({ id }) => id));
          if (found.length < 100) break;
        }
        assert.equal(whole.length, 50 + UNSIZED);
        const [largest] = await page({ sortOrder: 'descending', limit: '1' });
        const [first] = await page({ sortOrder, limit: '1' });
        const start = sortOrder === 'descending' ? largest! : first!;
        const walked = sortOrder === 'ascending' ? [whole[0]!] : [];
        for (let from = start.id; ; from = walked.at(-1)!) {
          const found = await page({ search, sortOrder, after: from, limit: '10' });
          walked.push(...found.map(({ id }) => id));
          if (found.length < 10) break;
        }
        assert.deepEqual(walked, whole);
      });
    }
  }

  it('are deleted, and nothing else', async () => {
    const { status, body } = await app.send('DELETE', `${app.records('Things')}?search=qz&limit=100`);
    assert.deepEqual([status, body], [200, { deletedCount: 100 }]);
    const left = await page({ search: 'qz', limit: '100' });
    assert.equal(left.length, 10);
    // The oldest identifiers went first: all that have a size.
    assert.ok(left.every(({ values }) => values[SIZE] === undefined));
  });
});
