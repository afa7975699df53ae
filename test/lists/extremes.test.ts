// Values, texts, definitions and query strings at their limits: nothing of it is an error of ours.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PLACE = 'cplace00';
const PLACES = 'cplaces0';
const TEXT = 'ctext000';

describe('extremes', () => {
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    const locations = { element: { type: 'Location' } };
    app = await publishApplication(server, {
      collections: [
        {
          name: 'Things',
          columns: [
            { id: PLACE, name: 'Place', type: 'Location', searchable: true },
            { id: PLACES, name: 'Places', type: 'Array', scheme: locations, searchable: true },
            { id: TEXT, name: 'Text', type: 'String', sortable: true, searchable: true },
          ],
        },
      ],
    });
  });
  after(async () => {
    await server.close();
  });

  const create = async (values: object): Promise<string> => {
    const { status, body, text } = await app.send('POST', app.records('Things'), { json: { values } });
    assert.equal(status, 200, text);
    return body.id;
  };
  const list = (query: Record<string, string>) =>
    app.send('GET', `${app.records('Things')}?${new URLSearchParams(query)}`);

  it('distances to coordinates too small for a sine', async () => {
    const made = [];
    for (const latitude of [1e-200, 5e-324, -1e-300, 0]) {
      const location = { type: 'Location', latitude, longitude: -latitude };
      made.push(await create({ [PLACE]: location, [PLACES]: { type: 'Array', value: [location] } }));
    }
    for (const column of ['Place', 'Places']) {
      for (const near of ['0,0,5km', '1e-200,0,1km', '90,180,1e308m', '0,5e-324,1e-300m']) {
        const { status, body, text } = await list({ search: `${column}:"${near}"` });
        assert.equal(status, 200, text);
        assert.equal(body.length, made.length, `${column} ${near}`);
      }
    }
    const { status, text } = await app.send('DELETE', `${app.records('Things')}?search=Place%3A%221e-200%2C0%2C1km%22`);
    assert.equal(status, 204, text);
  });

  it('a position among long texts, whose record has changed since, leaves nothing out', async () => {
    const beginning = 'x'.repeat(760);
    const ids = [];
    for (const end of 'abcdef') ids.push(await create({ [TEXT]: string(beginning + end) }));
    const first = await list({
      sortKey: 'column',
      sortColumnId: TEXT,
      sortOrder: 'ascending',
      limit: '2',
      search: 'Text:xxx',
    });
    assert.deepEqual(
      first.body.map(({ id }: { id: string }) => id),
      ids.slice(0, 2),
    );
    const json = { values: { [TEXT]: string(`${beginning}e5`) } };
    assert.equal((await app.send('PUT', app.records('Things', ids[1]!), { json })).status, 200);
    const met = new Set<string>();
    for (let link = first.headers.get('link'); link !== null; ) {
      const { pathname, search } = new URL(/<(.*)>/.exec(link)![1]!);
      const page = await server.send('GET', pathname + search, { token: app.admin.token });
      for (const { id } of page.body) met.add(id);
      link = page.headers.get('link');
    }
    for (const id of ids.slice(2)) assert.ok(met.has(id), 'a record that did not move was left out');
  });

  it('a query string that is no percent-encoded UTF-8', async () => {
    for (const query of ['search=%ff', 'search=%', 'limit=2&search=%E6%9D', 'search=a%zz']) {
      for (const method of ['GET', 'DELETE']) {
        const { status, body } = await app.send(method, `${app.records('Things')}?${query}`);
        assert.equal(status, 400, query);
        assert.equal(body.code, 'INVALID_PARAMETER');
        assert.equal(body.params.parameter, 'search');
      }
    }
  });

  it('a definition whose records would not fit a table is refused, and one at the limit is not', async () => {
    const columns = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        ...{ id: `cwide${String(index).padStart(3, '0')}`, name: `Column ${index}`, type: 'String' },
        ...{ unique: true, sortable: true, searchable: true },
      }));
    const publish = (count: number) =>
      server.operator('POST', '/applications', {
        name: 'Wide',
        organization: 'W',
        collections: [{ name: 'Wide', columns: columns(count) }],
      });
    const refused = await publish(200);
    assert.equal(refused.status, 400);
    assert.equal(refused.body.code, 'INVALID_DEFINITION');
    assert.deepEqual(
      refused.body.params.problems.map(({ path }: { path: string }) => path),
      ['/collections/0'],
    );

    const wide = await publishApplication(server, { collections: [{ name: 'Wide', columns: columns(140) }] });
    for (const length of [1, 19, 20, 22, 23, 24, 25, 60, 700]) {
      const values = Object.fromEntries(
        columns(140).map(({ id }, index) => [id, string(`${index}-${length}-`.padEnd(length, '0'))]),
      );
      const { status, text } = await wide.send('POST', wide.records('Wide'), { json: { values } });
      assert.equal(status, 200, `${length}: ${text}`);
    }
    const words = Array.from({ length: 64 }, (_, index) => `w${index}`).join(' OR ');
    const { status, body } = await wide.send(
      'GET',
      `${wide.records('Wide')}?search=${encodeURIComponent(`${words} OR 19-`)}`,
    );
    assert.deepEqual([status, body.code], [400, 'INVALID_SEARCH']);
    const found = await wide.send('GET', `${wide.records('Wide')}?search=${encodeURIComponent('"7-22-" OR zz OR q')}`);
    assert.equal(found.body.length, 1);
  });

  it('a search that asks every record for very many values is refused', async () => {
    const keys = Array.from({ length: 100 }, (_, index) => ({ name: `k${index}`, type: 'Number' }));
    const columns = Array.from({ length: 20 }, (_, index) => ({
      name: `o${index}`,
      type: 'Object',
      scheme: { keys },
      searchable: true,
    }));
    const objects = await publishApplication(server, { collections: [{ name: 'Objects', columns }] });
    const numbers = (count: number) => Array.from({ length: count }, (_, index) => index).join(' OR ');
    const ask = (count: number) =>
      objects.send('GET', `${objects.records('Objects')}?search=${encodeURIComponent(numbers(count))}`);
    assert.equal((await ask(4)).status, 200);
    const { status, body } = await ask(64);
    assert.deepEqual([status, body.code, body.params.position], [400, 'INVALID_SEARCH', 0]);
  });

  it('pages of characters of one to four bytes, from no record to more than is encoded at once', async () => {
    const texts = ['a', 'é', '日', '🌍'].flatMap((character) =>
      [1, 5_000 / character.length].map((n) => character.repeat(n)),
    );
    const records = Array.from({ length: 96 }, (_, n) => ({ values: { [TEXT]: string(texts[n % texts.length]!) } }));
    const { status, text } = await app.send('POST', app.records('Things'), { json: records });
    assert.equal(status, 200, text);
    const newest = { sortKey: 'createdAt', sortOrder: 'descending' };
    for (const limit of [1, 2, 8, 9, 96]) {
      const page = await list({ ...newest, limit: String(limit) });
      assert.equal(Buffer.byteLength(page.text), Number(page.headers.get('content-length')));
      const listed = page.body.map(({ values }: { values: Record<string, { value: string }> }) => values[TEXT]!.value);
      const expected = records.slice(-limit).reverse();
      assert.deepEqual(
        listed,
        expected.map(({ values }) => values[TEXT]!.value),
      );
    }
    assert.equal((await list({ search: 'Text="no record has this"' })).text, '[]');
  });
});
