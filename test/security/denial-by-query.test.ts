// Denial by query: a search, an order or a figure that would take long or much is refused by its form, or answered
// within the deadline of a request, and others are served meanwhile.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTenants, type Tenants } from './tenants.ts';

const SEARCHES = [
  '('.repeat(5_000),
  `${'('.repeat(500)}a${')'.repeat(500)}`,
  '-'.repeat(5_000),
  'a '.repeat(4_000),
  'a or '.repeat(2_000),
  `"${'a '.repeat(3_000)}`,
  'a*'.repeat(2_000),
  'Title:'.repeat(1_500),
  `Count>${'9'.repeat(4_000)}`,
  `Count:${'1..'.repeat(2_000)}`,
  `createdAt>today-${'9'.repeat(50)}y`,
  '\u0301'.repeat(3_000),
  'ﷺ'.repeat(1_000),
];
const QUERIES = [
  'skip=999999999999999',
  'skip=9007199254740993',
  'limit=101',
  'limit=1e9',
  `sortColumnId=${'c'.repeat(7_000)}`,
  `after=${'x'.repeat(7_000)}`,
  `timezone=${'A/'.repeat(3_000)}`,
  'x=1&'.repeat(1_500),
];

describe('a query that would take long', () => {
  let tenants: Tenants;

  before(async () => {
    tenants = await openTenants({ requestMs: 5_000 });
  });
  after(async () => {
    await tenants.server.close();
  });

  it('is refused, or answered within the time of a request', async () => {
    const { app } = tenants.ours;
    const get = (query: string, path = app.records('Things')) => app.send('GET', `${path}?${query}`);
    for (const search of SEARCHES) {
      for (const path of [app.records('Things'), `${app.records('Things')}/figures`]) {
        const { status, text } = await get(`search=${encodeURIComponent(search)}`.slice(0, 15_000), path);
        assert.ok(status === 200 || status === 400, `${search.slice(0, 40)}: ${status} ${text}`);
      }
    }
    for (const query of QUERIES) {
      const { status, text } = await get(query);
      assert.ok(status === 200 || status === 400, `${query.slice(0, 40)}: ${status} ${text}`);
    }
    const measures = Array.from({ length: 500 }, () => `sum:${app.ids.Things!.Count}`).join(',');
    assert.equal((await get(`measure=${measures}`, `${app.records('Things')}/figures`)).status, 400);
  });

  it('leaves the turns of others alone', async () => {
    const { ours, theirs } = tenants;
    const search = encodeURIComponent('a or '.repeat(2_000)).slice(0, 15_000);
    const attack = Array.from({ length: 30 }, () =>
      ours.app.send('GET', `${ours.app.records('Things')}?search=${search}`),
    );
    const served = await theirs.app.send('GET', theirs.app.records('Things'));
    assert.equal(served.status, 200, served.text);
    for (const { status } of await Promise.all(attack)) assert.ok([200, 400, 503].includes(status), `${status}`);
  });
});
