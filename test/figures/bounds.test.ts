// What bounds a request for figures: parameters that are refused, at most a thousand groups, long texts, the deadline, and a
// definition that changes under way.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import { createAll, type Parameters, queryOf } from '../support/lists.ts';
import { closeScene, done, openScene, refused, type Scene, tableOf } from '../support/records.ts';
import { type Reply, startTestServer } from '../support/server.ts';
import { compareGroups, localDate, type ShownFigure } from './oracle.ts';

const both = { sortable: true, searchable: true };
const [TITLE, NOTE, PLAIN, SIZE, PLACE, CLOCK] = [
  'ctitle00',
  'cnote000',
  'cplain00',
  'csize000',
  'cplace00',
  'cclock00',
];
const [WHEN, DAY, REFER] = ['cwhen000', 'cday0000', 'crefer00'];

const DOCUMENT = {
  collections: [
    {
      id: 'tthings0',
      name: 'Things',
      columns: [
        { id: TITLE, name: 'Title', type: 'String', ...both },
        { id: NOTE, name: 'Note', type: 'String', searchable: true },
        { id: PLAIN, name: 'Plain', type: 'String' },
        { id: SIZE, name: 'Size', type: 'Number', ...both },
        { id: PLACE, name: 'Place', type: 'Location', searchable: true },
        { id: CLOCK, name: 'Clock', type: 'Time', ...both },
        { id: WHEN, name: 'When', type: 'DateTime', ...both },
        { id: DAY, name: 'Day', type: 'Date', ...both },
        {
          id: REFER,
          name: 'Refer',
          type: 'ReferenceString',
          ...both,
          scheme: { collectionId: 'tthings0', columnId: TITLE },
        },
      ],
    },
    {
      id: 'tkeyed00',
      name: 'Keyed',
      columns: [
        {
          ...{ id: 'caaaaaaa', name: 'Object', type: 'Object' },
          scheme: {
            keys: [
              { name: 'cinner00', type: 'Number' },
              { name: 'ctext000', type: 'String' },
            ],
          },
        },
        { id: 'cinner00', name: 'Plain', type: 'Number' },
        { id: 'ctext000', name: 'Text', type: 'String', searchable: true },
      ],
    },
    { id: 'tmany000', name: 'Many', columns: [{ id: 'cname000', name: 'Name', type: 'String', searchable: true }] },
  ],
};

const figuresAt = (app: TestApplication, parameters: Parameters, collection = 'Things'): Promise<Reply> =>
  app.send('GET', `${app.records(collection)}/figures${queryOf(parameters)}`);

describe('figures', () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene(DOCUMENT);
  });
  after(() => closeScene(scene));

  const ask = (parameters: Parameters, collection?: string) => figuresAt(scene.app, parameters, collection);
  const wrong = async (parameter: string, parameters: Parameters, reason: RegExp) => {
    const params = refused(await ask(parameters), 400, 'INVALID_PARAMETER');
    assert.equal(params.parameter, parameter, JSON.stringify(parameters));
    assert.match(params.reason, reason);
  };

  it('refuse a group that they cannot make, and say why', async () => {
    for (const groupBy of [
      '',
      'Title',
      'ctitle0',
      'createdat:day',
      'id',
      'timestamp:day',
      'count',
      '__proto__',
      ':day',
    ]) {
      await wrong('groupBy', { groupBy }, /must begin with the ID of a column/);
    }
    for (const groupBy of [`${DAY}:hour`, `${DAY}:`, `${DAY}:day:day`, 'createdAt:Day', 'createdAt:quarter']) {
      await wrong('groupBy', { groupBy }, /one of day, week, month, year/);
    }
    for (const groupBy of [WHEN, 'createdAt', 'updatedAt']) await wrong('groupBy', { groupBy }, /needs a unit/);
    for (const name of [TITLE, SIZE, 'createdBy']) await wrong('groupBy', { groupBy: `${name}:day` }, /takes no day/);
    await wrong('groupBy', { groupBy: 'c0000000' }, /no such column/);
    await wrong('groupBy', { groupBy: 'cname000' }, /no such column/);
    await wrong('groupBy', { groupBy: PLAIN }, /neither searchable nor sortable/);
    await wrong('groupBy', { groupBy: PLACE }, /type Location/);
    await wrong('groupBy', { groupBy: CLOCK }, /type Time/);
    await wrong('groupBy', { groupBy: REFER }, /type ReferenceString/);
  });

  it('refuse a measure that they do not know, of another column, and more than twenty', async () => {
    for (const measure of [
      '',
      'count,',
      'Count',
      'sum',
      'sum:',
      `sum:${SIZE}:x`,
      `median:${SIZE}`,
      `count:${SIZE}`,
      'sum:Size',
    ]) {
      await wrong('measure', { measure }, /each part must be count, or one of sum, average, minimum, maximum/);
    }
    await wrong('measure', { measure: 'count,sum:c0000000' }, /no column c0000000/);
    await wrong('measure', { measure: `average:${TITLE}` }, /of type String, not Number/);
    await wrong('measure', { measure: Array(21).fill('count').join(',') }, /at most 20 parts/);
    assert.deepEqual(done(await ask({ measure: Array(20).fill('count').join(',') })), [{ count: 0 }]);
  });

  it('refuse the time zones and searches that lists refuse, and an unknown collection', async () => {
    for (const timezone of ['', 'Mars/Olympus', '+09:00']) await wrong('timezone', { timezone }, /tz database/);
    for (const search of ['(', 'Plain:a', 'Nothing:a']) refused(await ask({ search }), 400, 'INVALID_SEARCH');
    refused(await scene.app.send('GET', '/collections/t0000000/records/figures'), 404, 'COLLECTION_NOT_FOUND');
  });

  it('are no record: other methods are not allowed', async () => {
    for (const method of ['PUT', 'DELETE', 'POST', 'PATCH']) {
      const reply = await scene.app.send(method, `${scene.app.records('Things')}/figures`, { json: { values: {} } });
      refused(reply, 405, 'METHOD_NOT_ALLOWED');
      assert.equal(reply.headers.get('allow'), 'GET, HEAD');
    }
  });

  it('have a thousand groups at most, the largest, and say that there are more', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `name ${String((index * 7) % 1_000).padStart(4, '0')}`);
    const create = (each: readonly string[]) =>
      createAll(
        scene,
        'Many',
        each.map((name) => ({ values: { cname000: string(name) } })),
      );
    await create(names);
    const exactly = await ask({ groupBy: 'cname000' }, 'Many');
    assert.equal(done(exactly).length, 1_000);
    assert.equal(exactly.headers.get('cartulary-more'), null);
    // 150 further names, of which a hundred come twice, and so do the last of the others.
    const more = Array.from({ length: 150 }, (_, index) => `other ${String(index).padStart(4, '0')}`);
    await create([...more, ...more.slice(50), 'name 0999']);
    const reply = await ask({ groupBy: 'cname000' }, 'Many');
    assert.equal(reply.headers.get('cartulary-more'), 'true');
    const twice = ['name 0999', ...more.slice(50)];
    const once = [...names, ...more].filter((name) => !twice.includes(name)).sort();
    const kept = [...twice, ...once.slice(0, 1_000 - twice.length)].sort();
    const expected = kept.map((group) => ({ group, count: twice.includes(group) ? 2 : 1 }));
    assert.deepEqual(done(reply), expected);
  });

  it('tell long texts apart by their ends, and show them whole', async () => {
    const beginning = '長'.repeat(700);
    const texts = [`${beginning}a`, `${beginning}b`, `${beginning}ab`, beginning, 'z'.repeat(32), 'z'.repeat(33)];
    for (const [index, text] of texts.entries()) {
      const values = { [TITLE]: string(text), [NOTE]: string(text), [SIZE]: number(index) };
      await createAll(scene, 'Things', Array(index + 1).fill({ values }));
    }
    for (const groupBy of [TITLE, NOTE]) {
      const expected = texts
        .map((group, index) => ({ group, count: index + 1, [`sum:${SIZE}`]: index * (index + 1) }))
        .sort((one, other) => compareGroups(one.group, other.group));
      assert.deepEqual(done(await ask({ groupBy, measure: `count,sum:${SIZE}` })), expected);
    }
  });

  it('take no key of an Object for the column of that name', async () => {
    const text = 'a text of more than thirty-two letters';
    const inside = { type: 'Object', value: { cinner00: number(7), ctext000: string(`${text}, inside`) } };
    await createAll(scene, 'Keyed', [
      { values: { caaaaaaa: inside } },
      { values: { caaaaaaa: inside, cinner00: number(1), ctext000: string(text) } },
      { values: { cinner00: number(2), ctext000: string(text) } },
    ]);
    const measure = 'count,sum:cinner00,minimum:cinner00,maximum:cinner00';
    const figure = { count: 3, 'sum:cinner00': 3, 'minimum:cinner00': 1, 'maximum:cinner00': 2 };
    assert.deepEqual(done(await ask({ measure }, 'Keyed')), [figure]);
    assert.deepEqual(done(await ask({ groupBy: 'ctext000' }, 'Keyed')), [
      { group: null, count: 1 },
      { group: text, count: 2 },
    ]);
  });

  it('hold two megabytes of texts at most, and say that there are more', async () => {
    const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(900_000));
    for (const [index, text] of texts.entries()) {
      for (let count = 0; count <= index; count++)
        await createAll(scene, 'Things', [{ values: { [NOTE]: string(text) } }]);
    }
    const reply = await ask({ groupBy: NOTE, search: 'Note>=a Note<d' });
    const groups = (done(reply) as ShownFigure[]).map(({ group, count }) => [
      String(group)[0],
      String(group).length,
      count,
    ]);
    assert.deepEqual(groups, [
      ['b', 900_000, 2],
      ['c', 900_000, 3],
    ]);
    assert.equal(reply.headers.get('cartulary-more'), 'true');
  });

  it('that take longer than the request may are answered with 503 `deadline`', async () => {
    const { app, server } = scene;
    const hasty = await startTestServer({ database: server.database, requestMs: 700 });
    const holding = server.database.sql(
      `begin; lock table ${tableOf(scene, 'Things')} in access exclusive mode; select pg_sleep(2); commit`,
    );
    await pause(200);
    const path = `/v1/${app.id}${app.records('Things')}/figures?groupBy=createdBy`;
    const reply = await hasty.send('GET', path, { token: app.admin.token });
    assert.deepEqual(refused(reply, 503, 'UNAVAILABLE'), { reason: 'deadline' });
    await holding;
    assert.equal((await hasty.send('GET', path, { token: app.admin.token })).status, 200);
    await hasty.close();
  });

  it('under way while a definition is published are read anew by the new one', async () => {
    const { server } = scene;
    const app = await publishApplication(server, DOCUMENT);
    await createAll({ server, app }, 'Things', [{ values: { [TITLE]: string('a') } }]);
    const schema = `app_${app.id}`;
    assert.deepEqual(done(await figuresAt(app, {})), [{ count: 1 }]);
    const held = server.database.sql(`begin; lock table ${schema}.tthings0 in access exclusive mode;
      select pg_sleep(1);
      update cartulary.applications set generation = generation + 1 where id = '${app.id}';
      update ${schema}.fence set generation = generation + 1; commit`);
    await pause(300);
    const replies = await Promise.all([figuresAt(app, {}), figuresAt(app, { groupBy: TITLE })]);
    await held;
    assert.deepEqual(replies.map(done), [[{ count: 1 }], [{ group: 'a', count: 1 }]]);
  });
});

describe('the time zones of figures', () => {
  it('are those that the server knows, with the same clocks', async () => {
    const scene = await openScene(DOCUMENT);
    const zones = [
      ...Intl.supportedValuesOf('timeZone'),
      'UTC',
      'EST',
      'MST',
      'HST',
      'CET',
      'MET',
      'EET',
      'WET',
      'GB',
      'US/Pacific',
    ];
    // Around a change of clocks in each half of the world.
    const instants = ['2026-03-29T22:30:00.000Z', '2026-07-01T23:30:00.000Z', '2026-12-31T22:30:00.000Z'];
    await createAll(
      scene,
      'Things',
      instants.map((value) => ({ values: { [WHEN]: { type: 'DateTime', value } } })),
    );
    const assertSame = async (timezone: string) => {
      const figures = done(await figuresAt(scene.app, { groupBy: `${WHEN}:day`, timezone })) as ShownFigure[];
      const expected = [...new Set(instants.map((instant) => localDate(instant, timezone)))].sort();
      const groups = figures.map(({ group }) => group);
      assert.deepEqual(groups, expected, timezone);
    };
    for (let start = 0; start < zones.length; start += 20) {
      await Promise.all(zones.slice(start, start + 20).map(assertSame));
    }
    await closeScene(scene);
  });
});
