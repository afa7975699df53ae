// Every rule for the query parameters of lists: what is accepted, what is refused and with which parameter's name, and
// what is ignored.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { number, string } from '../support/application.ts';
import { createAll, type Lister, listerOf, type Parameters } from '../support/lists.ts';
import { closeScene, openScene, refused, type Scene } from '../support/records.ts';

const TITLE = 'ctitle00';
const WHEN = 'cwhen000';
const PLAIN = 'cplain00';
const PLACE = 'cplace00';
const COUNT = 120;

describe('parameters of lists', () => {
  let scene: Scene;
  let lister: Lister;
  let ids: string[];

  before(async () => {
    scene = await openScene({
      timeZone: 'Asia/Tokyo',
      collections: [
        {
          id: 'tlist000',
          name: 'Listed',
          columns: [
            { id: TITLE, name: 'Title', type: 'String', sortable: true, searchable: true },
            { id: WHEN, name: 'When', type: 'DateTime', searchable: true },
            { id: PLAIN, name: 'Plain', type: 'Number' },
            { id: PLACE, name: 'Place', type: 'Location', searchable: true },
          ],
        },
        { id: 'tother00', name: 'Other', columns: [{ id: 'cother00', name: 'Other', type: 'String', sortable: true }] },
      ],
    });
    lister = listerOf(scene, 'Listed');
    ids = await createAll(
      scene,
      'Listed',
      Array.from({ length: COUNT }, (_, index) => ({
        values: {
          [TITLE]: string(`Title ${String(index).padStart(3, '0')}`),
          [PLAIN]: number(index),
          // 00:30 on the 2nd in Tokyo, still the 1st in UTC.
          ...(index === 0 ? { [WHEN]: { type: 'DateTime', value: '2024-03-01T15:30:00.000Z' } } : {}),
        },
      })),
    );
  });
  after(() => closeScene(scene));

  const wrong = async (parameter: string, parameters: Parameters) => {
    const params = refused(await lister.page(parameters), 400, 'INVALID_PARAMETER');
    assert.deepEqual(Object.keys(params).sort(), ['parameter', 'reason']);
    assert.equal(params.parameter, parameter, JSON.stringify(parameters));
    assert.ok(params.reason.length > 0);
  };

  it('lists 100 records when no limit is given, those updated last first', async () => {
    assert.deepEqual(await lister.ids(), [...ids].reverse().slice(0, 100));
    assert.deepEqual(await lister.ids({ sortKey: 'updatedAt', sortOrder: 'descending', limit: 100, skip: 0 }), [
      ...(await lister.ids()),
    ]);
  });

  it('takes a limit from 1 to 100 and nothing else', async () => {
    for (const limit of [1, 99, 100, '007']) {
      assert.equal((await lister.ids({ limit })).length, Number(limit));
    }
    const others = [
      0,
      101,
      1000,
      -1,
      1.5,
      '',
      ' 5',
      '5 ',
      '+5',
      '1e1',
      '0x10',
      'ten',
      '٣',
      'NaN',
      'Infinity',
      '9'.repeat(400),
    ];
    for (const limit of others) await wrong('limit', { limit });
  });

  it('takes a skip of 0 or more and nothing else', async () => {
    const order = { sortKey: 'createdAt', sortOrder: 'ascending' };
    for (const skip of [0, 1, 50, 119]) {
      assert.deepEqual(await lister.ids({ ...order, skip }), ids.slice(skip, skip + 100));
    }
    const beyond = [
      120,
      121,
      1_000_000,
      2 ** 31,
      2 ** 40,
      Number.MAX_SAFE_INTEGER,
      '9007199254740993',
      '9'.repeat(400),
    ];
    for (const skip of beyond) {
      assert.deepEqual(await lister.ids({ ...order, skip }), [], `skip ${skip}`);
    }
    const others = [-1, 1.5, '', ' 5', '+5', '1e3', 'one'];
    for (const skip of others) await wrong('skip', { skip });
  });

  it('takes the five sort keys and two orders by their exact names', async () => {
    for (const sortKey of ['createdAt', 'updatedAt', 'createdBy', 'updatedBy']) {
      for (const sortOrder of ['ascending', 'descending', undefined]) {
        const found = await lister.ids({ sortKey, sortOrder });
        const expected = sortOrder === 'ascending' ? ids : [...ids].reverse();
        assert.deepEqual(found, expected.slice(0, 100), `${sortKey} ${sortOrder}`);
      }
    }
    for (const sortKey of ['', 'id', 'Column', 'created_at', 'values', TITLE, '__proto__', 'constructor']) {
      await wrong('sortKey', { sortKey });
    }
    for (const sortOrder of ['', 'asc', 'desc', 'Ascending', '1', '-1']) await wrong('sortOrder', { sortOrder });
  });

  it('requires a sort column that exists and is sortable when sorting by a column', async () => {
    const found = await lister.ids({ sortKey: 'column', sortColumnId: TITLE, sortOrder: 'ascending' });
    assert.deepEqual(found, ids.slice(0, 100));
    await wrong('sortColumnId', { sortKey: 'column' });
    for (const sortColumnId of ['', 'Title', 'cTITLE00', 'ctitle0', 'ctitle000', 'ttitle00', 'ctitle00 ', 'c0000000']) {
      await wrong('sortColumnId', { sortKey: 'column', sortColumnId });
    }
    // Of another collection.
    await wrong('sortColumnId', { sortKey: 'column', sortColumnId: 'cother00' });
    for (const columnId of [PLAIN, PLACE, WHEN]) {
      const reply = await lister.page({ sortKey: 'column', sortColumnId: columnId });
      assert.deepEqual(refused(reply, 400, 'COLUMN_NOT_SORTABLE'), { columnId });
    }
  });

  it('ignores the sort column when sorting by anything else', async () => {
    for (const sortColumnId of [TITLE, PLAIN, 'c0000000', 'nonsense', '']) {
      for (const sortKey of [undefined, 'createdAt', 'updatedBy']) {
        const found = await lister.ids({ sortColumnId, sortKey, sortOrder: 'ascending' });
        assert.deepEqual(found, ids.slice(0, 100));
      }
    }
  });

  it('reads dates in the given time zone, else in the application’s', async () => {
    const search = 'When=2024-03-02';
    assert.deepEqual(await lister.ids({ search }), [ids[0]]);
    assert.deepEqual(await lister.ids({ search, timezone: 'Asia/Tokyo' }), [ids[0]]);
    assert.deepEqual(await lister.ids({ search, timezone: 'UTC' }), []);
    assert.deepEqual(await lister.ids({ search: 'When=2024-03-01', timezone: 'America/New_York' }), [ids[0]]);
    assert.deepEqual(await lister.ids({ search: 'When=2024-03-01', timezone: 'Europe/London' }), [ids[0]]);
  });

  it('refuses an unknown time zone, with and without a search', async () => {
    for (const timezone of ['', 'Mars/Olympus', 'Asia/Tokio', 'Tokyo', '+25:00', 'UTC+9', "'; --", 'x'.repeat(500)]) {
      await wrong('timezone', { timezone });
      await wrong('timezone', { timezone, search: 'Title' });
    }
    assert.equal((await lister.ids({ timezone: 'Pacific/Kiritimati', limit: 3 })).length, 3);
  });

  it('ignores unknown parameters, and takes the first of one that is given twice', async () => {
    const expected = await lister.ids({ limit: 5 });
    const strange = { limit: 5, filter: 'x', Skip: 'x', LIMIT: '7', sort: '-', q: 'x', __proto__: 'x', sortkey: 'x' };
    assert.deepEqual(await lister.ids(strange), expected);
    const { app } = scene;
    const twice = await app.send('GET', `${app.records('Listed')}?limit=5&limit=7&limit=x`);
    assert.equal(twice.body.length, 5);
  });

  it('finds everything with an empty search', async () => {
    const everything = await lister.ids();
    for (const search of ['', ' ', '\t\n', '　']) assert.deepEqual(await lister.ids({ search }), everything);
  });

  it('takes a search of 4,096 code points and refuses a longer one', async () => {
    const found = await lister.ids({ search: `Title="Title 007"${' '.repeat(4096 - 17)}` });
    assert.deepEqual(found, [ids[7]]);
    // Two units each in UTF-16, four bytes each in UTF-8, twelve in the address.
    assert.deepEqual(await lister.ids({ search: '😀'.repeat(4096) }), []);
    for (const search of ['a'.repeat(4097), '😀'.repeat(4097), ' '.repeat(4097)]) {
      const params = refused(await lister.page({ search }), 400, 'INVALID_SEARCH');
      assert.deepEqual(Object.keys(params).sort(), ['message', 'position']);
      assert.equal(params.position, 4096);
    }
  });

  it('accepts request lines of 64 KB', async () => {
    const { app, server } = scene;
    const path = `/v1/${app.id}${app.records('Listed')}?limit=2&ignored=`;
    const line = (path: string) => `GET ${path} HTTP/1.1\r\n`.length;
    const send = (length: number) => {
      const long = path + 'x'.repeat(length - line(path));
      const { hostname, port } = new URL(server.address);
      return new Promise<{ status: number; text: string }>((resolve, reject) => {
        const headers = { authorization: `Bearer ${app.admin.token}` };
        request({ hostname, port, path: long, headers }, (response) => {
          let text = '';
          response.on('data', (chunk) => (text += chunk));
          response.on('end', () => resolve({ status: response.statusCode!, text }));
        })
          .on('error', reject)
          .end();
      });
    };
    for (const length of [8 * 1024, 16 * 1024, 32 * 1024 + 1, 64 * 1024]) {
      const { status, text } = await send(length);
      assert.equal(status, 200, `${length}: ${text.slice(0, 200)}`);
      assert.equal(JSON.parse(text).length, 2);
    }
    const { status } = await send(300 * 1024);
    assert.ok(status >= 400 && status < 500);
  });

  it('leaves out of Link what it does not know, and Link where it would be too long for a header', async () => {
    const short = await lister.page({ limit: '1', search: '-a', unknown: 'x' });
    const next = new URL(/<(.*)>/.exec(short.headers.get('link') ?? '')![1]!);
    assert.deepEqual([...next.searchParams.keys()].sort(), ['after', 'limit', 'search']);
    assert.equal(next.searchParams.get('search'), '-a');
    const long = await lister.page({ limit: '1', search: `-"${'語'.repeat(1_000)}"` });
    assert.equal(long.body.length, 1);
    assert.equal(long.headers.get('link'), null);
  });

  it('checks the parameters before it looks for records, and the collection before what depends on it', async () => {
    const { app } = scene;
    const nowhere = '/collections/t0000000/records';
    const unknown = (query: string) => app.send('GET', nowhere + query);
    refused(await unknown('?limit=1'), 404, 'COLLECTION_NOT_FOUND');
    refused(await unknown('?limit=0'), 400, 'INVALID_PARAMETER');
    refused(await unknown('?sortKey=column&sortColumnId=c0000000'), 404, 'COLLECTION_NOT_FOUND');
    refused(await unknown('?search=('), 404, 'COLLECTION_NOT_FOUND');
  });
});
