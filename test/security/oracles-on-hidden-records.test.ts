// Nothing about a hidden record can be learnt: worlds that differ only in what is hidden (hidden-worlds.ts) give the same
// answers to every question, page by page, apart from identifiers and times.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, string } from '../support/application.ts';
import { by, DIRECTIONS, nextOf, type Parameters, queryOf } from '../support/lists.ts';
import { NO_RECORD } from '../support/records.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Answer, type Hidden, openWorld, type World } from './hidden-worlds.ts';

const WORLDS: readonly Hidden[] = ['none', 'some', 'other', 'empty'];

describe('what is hidden', () => {
  let server: TestServer;
  let worlds: World[];

  before(async () => {
    server = await startTestServer();
    worlds = [];
    for (const hidden of WORLDS) worlds.push(await openWorld(server, hidden));
  });
  after(async () => {
    await server.close();
  });

  const shown = ({ status, text, link }: Answer) => ({ status, text, link });

  /** The answers must be the same in all worlds; those of the first are given back. */
  const alike = async (ask: (world: World) => Promise<Answer[]>): Promise<Answer[]> => {
    const [first, ...others] = await Promise.all(worlds.map(ask));
    for (const [index, other] of others.entries()) {
      assert.deepEqual(other.map(shown), first!.map(shown), `${WORLDS[index + 1]} differs from ${WORLDS[0]}`);
    }
    return first!;
  };

  const page = (world: World, collection: string, parameters: Parameters) =>
    world.ask('GET', world.app.records(collection) + queryOf(parameters));

  /** All pages, along the Link or by skip. */
  const pages = (collection: string, parameters: Parameters, limit: number, walk: 'link' | 'skip') =>
    alike(async (world) => {
      const answers: Answer[] = [];
      for (let next: Parameters | undefined = { ...parameters, limit }; next !== undefined; ) {
        const answer = await page(world, collection, next);
        answers.push(answer);
        assert.ok(answers.length < 50, 'the pages do not end');
        assert.equal(answer.status, 200, answer.text);
        if (walk === 'link') next = nextOf(answer.reply);
        else next = answer.reply.body.length === 0 ? undefined : { ...parameters, limit, skip: answers.length * limit };
      }
      return answers;
    });

  const countOf = (answers: readonly Answer[]) => answers.reduce((sum, { reply }) => sum + reply.body.length, 0);

  const METADATA = ['createdAt', 'updatedAt', 'createdBy', 'updatedBy'];

  it('leaves no gap in pages, whatever the order: each is full while visible records are left', async () => {
    for (const direction of DIRECTIONS) {
      const orders = [
        ...METADATA.map((key) => by(key, direction)),
        ...['ctitle00', 'csize000'].map((columnId) => by('column', direction, columnId)),
      ];
      for (const order of orders) {
        for (const walk of ['link', 'skip'] as const) {
          const answers = await pages('Own', order, 10, walk);
          const sizes = answers.map(({ reply }) => reply.body.length).filter((size) => size > 0);
          assert.deepEqual(sizes, [10, 10, 10, 10, 3], `${order.sortKey} ${direction}`);
          const last = answers[4]!;
          assert.equal(last.link, null);
        }
      }
    }
    assert.equal(countOf(await pages('Own', {}, 100, 'link')), 43);
  });

  it('has no hits, by value or by metadata', async () => {
    const searches: [string, number][] = [
      ['secret', 0],
      ['hidden', 0],
      ['Title:secret', 0],
      ['Title:"title 3"', 5],
      ['ti', 35],
      ['-Title:secret', 43],
      ['Title=', 8],
      ['Title!=', 35],
      ['Size>=1000', 0],
      ['Size<0 OR Size>999', 0],
      ['Code:H-', 0],
      ['Code=H-some-0', 0],
      ['Code!=H-some-0', 43],
      ['Tags=red', 14],
      ['Tags:tag', 0],
      ['$createdBy=Other', 0],
      ['$createdBy:o', 0],
      ['$createdBy!=me', 0],
      ['$updatedBy=Admin', 43],
    ];
    for (const [search, count] of searches) {
      for (const order of [{}, by('column', 'ascending', 'ctitle00')]) {
        assert.equal(countOf(await pages('Own', { ...order, search }, 8, 'link')), count, search);
      }
    }
  });

  it('is not there when it is named', async () => {
    const named = await alike(async (world) => [
      await page(world, 'Own', { search: `$id=${world.secretId}` }),
      await page(world, 'Own', { search: `$id!=${world.secretId}`, limit: 3 }),
      await page(world, 'Own', { after: world.secretId }),
      await page(world, 'Own', { ...by('column', 'ascending', 'csize000'), after: world.secretId }),
      await world.ask('GET', world.app.records('Own', world.secretId)),
      await world.ask('PUT', world.app.records('Own', world.secretId), { json: { values: {} } }),
      await world.ask('DELETE', world.app.records('Own', world.secretId)),
    ]);
    assert.deepEqual(
      named.map(({ status }) => status),
      [200, 200, 400, 400, 404, 404, 404],
    );
    // An unknown record gives the very same answer as a hidden one.
    for (const world of worlds) {
      const [hidden, unknown] = [
        await page(world, 'Own', { after: world.secretId }),
        await page(world, 'Own', { after: NO_RECORD }),
      ];
      assert.equal(hidden.reply.text, unknown.reply.text);
    }
  });

  it('shows in no order by reference', async () => {
    for (const columnId of ['crtext00', 'crnumb00', 'cruser00']) {
      for (const direction of DIRECTIONS) {
        for (const limit of [4, 100]) {
          for (const walk of ['link', 'skip'] as const) {
            const answers = await pages('Holders', by('column', direction, columnId), limit, walk);
            assert.equal(countOf(answers), 31);
          }
        }
      }
    }
  });

  it('gives no hits through references', async () => {
    const searches = [
      'ReferenceString:middle',
      'ReferenceString="M middle"',
      'ReferenceString!="M middle"',
      'ReferenceString>=M',
      'ReferenceString<Z',
      'ReferenceString=',
      'ReferenceString!=',
      'ReferenceString:""',
      '-ReferenceString:middle',
      'ReferenceNumber=5',
      'ReferenceNumber!=5',
      'ReferenceNumber<=6',
      'ReferenceNumber=',
      'ReferenceNumber!=',
      'ReferenceUser=me',
      'ReferenceUser!=me',
      'ReferenceUser:member',
      'ReferenceUser=Other',
      'ReferenceUser=',
      'middle',
      'Z1',
      '5',
      'member',
      '-middle',
      'NOT (middle OR 5)',
    ];
    for (const search of searches) {
      const answers = await pages('Holders', { search }, 5, 'link');
      assert.ok(countOf(answers) <= 31, search);
      await pages('Holders', { search, ...by('column', 'descending', 'crtext00') }, 5, 'skip');
    }
  });

  it('shows in no figure', async () => {
    const measure = 'count,sum:csize000,average:csize000,minimum:csize000,maximum:csize000';
    const questions: [string, Parameters][] = [
      ...[{}, { measure }, { search: 'Title:secret' }, { search: '-Title:secret', measure }].map(
        (parameters): [string, Parameters] => ['Own', parameters],
      ),
      ...['ctitle00', 'csize000', 'createdBy', 'updatedBy'].map((groupBy): [string, Parameters] => [
        'Own',
        { groupBy, measure },
      ]),
      ...['ReferenceString:middle', 'ReferenceNumber=5', 'ReferenceUser!=me', 'ReferenceString=', 'middle'].flatMap(
        (search): [string, Parameters][] => [
          ['Holders', { search }],
          ['Holders', { search, groupBy: 'createdBy' }],
        ],
      ),
    ];
    for (const [collection, parameters] of questions) {
      const [{ reply }] = (await alike(async (world) => [
        await world.ask('GET', `${world.app.records(collection)}/figures${queryOf(parameters)}`),
      ])) as [Answer];
      assert.equal(reply.status, 200, reply.text);
      // What a list shows is what is counted.
      if (parameters.groupBy !== undefined || parameters.measure !== undefined) continue;
      assert.equal(reply.body[0].count, countOf(await pages(collection, parameters, 100, 'link')));
    }
  });

  it('is what an admin sees: the worlds do differ', async () => {
    const lists = await Promise.all(
      worlds.map(async ({ ask, app }) => {
        const path = app.records('Holders') + queryOf(by('column', 'descending', 'crtext00'));
        return (await ask('GET', path, { token: app.admin.token })).text;
      }),
    );
    assert.equal(new Set(lists).size, 4);
  });

  it('tells of a collision only the value that was sent', async () => {
    const collide = (world: World, json: object) => world.ask('POST', world.app.records('Own'), { json });
    for (const world of worlds) {
      if (world.hidden !== 'some' && world.hidden !== 'other') continue;
      const sent = {
        ccode000: string(`H-${world.hidden}-0`),
        csize000: number(world.hidden === 'some' ? 1000 : -1000),
      };
      const values = Object.entries(sent).map(([columnId, value]) => ({ columnId, value }));
      const { reply } = await collide(world, { values: { ...sent, ctitle00: string('mine') } });
      assert.equal(reply.status, 400);
      assert.deepEqual(reply.body, { code: 'DUPLICATED_VALUES', params: { duplicatedValues: values } });
      // Word for word what a collision with an own record says.
      const own = await collide(world, { values: { ccode000: string('V-1') } });
      const expected = { duplicatedValues: [{ columnId: 'ccode000', value: string('V-1') }] };
      assert.deepEqual(own.reply.body, { code: 'DUPLICATED_VALUES', params: expected });
    }
  });

  it('answers an upsert with 403 and nothing else', async () => {
    for (const world of worlds) {
      if (world.hidden !== 'some' && world.hidden !== 'other') continue;
      const path = `${world.app.records('Own')}/upsert/ccode000`;
      const values = { ccode000: string(`H-${world.hidden}-3`), ctitle00: string('mine') };
      const { reply } = await world.ask('PATCH', path, { json: { values } });
      assert.equal(reply.status, 403, reply.text);
      assert.deepEqual(reply.body, { code: 'FORBIDDEN' });
    }
  });

  it('is neither deleted with many nor counted', async () => {
    const answers = await alike(async (world) => {
      const remove = (parameters: Parameters) => world.ask('DELETE', world.app.records('Own') + queryOf(parameters));
      return [
        await remove({ search: 'Title:secret OR Title:hidden OR $createdBy=Other', limit: 100 }),
        await remove({ search: `$id=${world.secretId}`, limit: 100 }),
        await remove({ search: 'Tags=red', limit: 5 }),
        await remove({ search: 'Title!=', limit: 100 }),
        await remove({ limit: 100_000 }),
        await remove({ limit: 100_000 }),
        await remove({}),
      ];
    });
    assert.deepEqual(
      answers.map(({ text }) => text),
      [
        '{"deletedCount":0}',
        '{"deletedCount":0}',
        '{"deletedCount":5}',
        '{"deletedCount":30}',
        '{"deletedCount":8}',
        '{"deletedCount":0}',
        '',
      ],
    );
    for (const { app, hidden, ask } of worlds) {
      const left = (await ask('GET', app.records('Own'), { token: app.admin.token })).reply.body.length;
      assert.equal(left, { none: 0, some: 86, other: 43, empty: 100 }[hidden]);
    }
  });
});
