// Conditional requests: ETag and If-None-Match on reading, If-Match on changing and deleting, also when many race.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, string } from '../support/application.ts';
import {
  closeScene,
  done,
  NO_RECORD,
  type Operations,
  openScene,
  operationsOn,
  refused,
  type Scene,
} from '../support/records.ts';
import type { Reply } from '../support/server.ts';

const TITLE = 'ctitle00';
const SIZE = 'csize000';
const SITE = 'csite000';
const NAME = 'cname000';

describe('conditional requests', () => {
  let scene: Scene;
  let things: Operations;
  let sites: Operations;

  before(async () => {
    scene = await openScene({
      collections: [
        {
          id: 'tthings0',
          name: 'Things',
          columns: [
            { id: TITLE, name: 'Title', type: 'String' },
            { id: SIZE, name: 'Size', type: 'Number' },
            {
              id: SITE,
              name: 'Site',
              type: 'ReferenceString',
              scheme: { collectionId: 'tsites00', columnId: NAME },
            },
          ],
        },
        { id: 'tsites00', name: 'Sites', columns: [{ id: NAME, name: 'Name', type: 'String' }] },
      ],
    });
    things = operationsOn(scene.app, 'Things');
    sites = operationsOn(scene.app, 'Sites');
  });
  after(() => closeScene(scene));

  const etagOf = (reply: Reply): string => {
    done(reply);
    const etag = reply.headers.get('etag') ?? '';
    const { hash } = reply.body;
    assert.ok(etag.startsWith(`"${hash}-`) && etag.endsWith('"') && etag.length > hash.length + 6, etag);
    return etag;
  };

  it('a read that would bring nothing new is answered 304 without a body', async () => {
    const { id, hash } = done(await things.create({ [TITLE]: string('one') }));
    const etag = etagOf(await things.get(id));
    for (const header of [etag, `W/${etag}`, `"other", ${etag}`, `"a",W/"b" , W/${etag},"c"`, '*', ` ${etag} `]) {
      const reply = await things.get(id, { 'if-none-match': header });
      assert.equal(reply.status, 304, header);
      assert.equal(reply.text, '');
      assert.equal(reply.headers.get('etag'), etag);
      assert.equal(reply.headers.get('cache-control'), 'private, no-cache');
      assert.equal(reply.headers.get('vary'), 'Authorization, Cookie');
    }
    for (const header of ['"other"', `"${hash}"`, etag.slice(1, -1), `${etag.slice(0, -2)}x"`, '""', 'nonsense', '']) {
      const reply = await things.get(id, { 'if-none-match': header });
      assert.equal(reply.status, 200, header);
      assert.equal(reply.body.id, id);
    }
  });

  it('a 304 is only for whoever may read the record', async () => {
    refused(await things.get(NO_RECORD, { 'if-none-match': '*' }), 404, 'RECORD_NOT_FOUND');
  });

  it('the ETag changes with anything in the answer, its hash part with the values alone', async () => {
    const site = done(await sites.create({ [NAME]: string('Harbour') }));
    const refer = { type: 'ReferenceString', collectionId: 'tsites00', columnId: NAME, recordId: site.id };
    const values = { [TITLE]: string('one'), [SITE]: refer };
    const { id, hash, updatedAt } = done(await things.create(values));
    const seen = [etagOf(await things.get(id))];
    const moved = async () => {
      const reply = await things.get(id, { 'if-none-match': seen.join(', ') });
      const etag = etagOf(reply);
      assert.ok(!seen.includes(etag));
      assert.equal(reply.body.hash, hash);
      seen.push(etag);
    };
    const other = await scene.app.addPerson('Other');
    done(await operationsOn(scene.app, 'Things', other.token).replace(id, values));
    await moved();
    done(await sites.replace(site.id, { [NAME]: string('Pier') }));
    await moved();
    done(await sites.replace(site.id, {}));
    await moved();
    assert.equal((await sites.remove(site.id)).status, 204);
    await moved();
    assert.equal(done(await things.get(id)).createdAt, updatedAt);
    assert.equal((await things.get(id, { 'if-none-match': seen.at(-1) ?? '' })).status, 304);
  });

  const writers: [string, (id: string, size: number, headers?: Record<string, string>) => Promise<Reply>][] = [
    ['replace', (id, size, headers) => things.replace(id, { [SIZE]: number(size) }, headers)],
    ['merge', (id, size, headers) => things.merge(id, { [SIZE]: number(size) }, headers)],
  ];

  for (const [road, write] of writers) {
    it(`${road}: If-Match lets through what was read and refuses what has moved on`, async () => {
      const created = done(await things.create({ [SIZE]: number(1) }));
      const { id } = created;
      const stale = etagOf(await things.get(id));
      const second = done(await write(id, 2, { 'if-match': `"${created.hash}"` }));
      for (const header of [`"${created.hash}"`, stale, `"${created.hash}-anything"`, '""', '"nonsense"']) {
        refused(await write(id, 9, { 'if-match': header }), 412, 'PRECONDITION_FAILED');
      }
      assert.deepEqual(done(await things.get(id)), second);
      const etag = etagOf(await things.get(id));
      const third = done(await write(id, 3, { 'if-match': etag }));
      // An update that changes no value leaves the hash, and with it what If-Match asks for.
      done(await write(id, 3));
      done(await write(id, 4, { 'if-match': `"${third.hash}"` }));
      assert.equal(done(await write(id, 5, { 'if-match': '*' })).values[SIZE].value, 5);
      refused(await write(NO_RECORD, 5, { 'if-match': '*' }), 404, 'RECORD_NOT_FOUND');
      refused(await write(NO_RECORD, 5, { 'if-match': '"x"' }), 404, 'RECORD_NOT_FOUND');
    });

    it(`${road}: an If-Match that is not quoted is malformed`, async () => {
      const created = done(await things.create({ [SIZE]: number(1) }));
      for (const header of [created.hash, '', `"${created.hash}`, `${created.hash}"`, `'${created.hash}'`]) {
        const params = refused(await write(created.id, 2, { 'if-match': header }), 400, 'INVALID_PARAMETER');
        assert.equal(params.parameter, 'If-Match');
        assert.match(params.reason, /quoted/);
      }
      assert.deepEqual(done(await things.get(created.id)), created);
    });

    it(`${road}: of 20 that race with one If-Match exactly one wins`, async () => {
      for (let round = 0; round < 5; round++) {
        const { id, hash } = done(await things.create({ [SIZE]: number(-1) }));
        const replies = await Promise.all(
          Array.from({ length: 20 }, (_, size) => write(id, size, { 'if-match': `"${hash}"` })),
        );
        const winners = replies.filter((reply) => reply.status === 200);
        assert.equal(winners.length, 1);
        for (const reply of replies) if (reply.status !== 200) refused(reply, 412, 'PRECONDITION_FAILED');
        assert.deepEqual(done(await things.get(id)), winners[0]?.body);
      }
    });
  }

  it('delete honours If-Match', async () => {
    const { id, hash } = done(await things.create({ [SIZE]: number(1) }));
    const stale = etagOf(await things.get(id));
    const moved = done(await things.replace(id, { [SIZE]: number(2) }));
    for (const header of [`"${hash}"`, stale]) {
      refused(await things.remove(id, { 'if-match': header }), 412, 'PRECONDITION_FAILED');
    }
    const params = refused(await things.remove(id, { 'if-match': moved.hash }), 400, 'INVALID_PARAMETER');
    assert.equal(params.parameter, 'If-Match');
    assert.deepEqual(done(await things.get(id)), moved);
    const reply = await things.remove(id, { 'if-match': etagOf(await things.get(id)) });
    assert.equal(reply.status, 204);
    assert.equal(reply.text, '');
    refused(await things.get(id), 404, 'RECORD_NOT_FOUND');
    refused(await things.remove(id, { 'if-match': '*' }), 404, 'RECORD_NOT_FOUND');
    const another = done(await things.create({}));
    assert.equal((await things.remove(another.id, { 'if-match': '*' })).status, 204);
  });

  it('of updates and deletions that race with one If-Match exactly one wins', async () => {
    const { id, hash } = done(await things.create({ [SIZE]: number(-1) }));
    const headers = { 'if-match': `"${hash}"` };
    const replies = await Promise.all(
      Array.from({ length: 21 }, (_, n) => {
        if (n % 3 === 0) return things.remove(id, headers);
        return n % 3 === 1
          ? things.replace(id, { [SIZE]: number(n) }, headers)
          : things.merge(id, { [SIZE]: number(n) }, headers);
      }),
    );
    const statuses = replies.map((reply) => reply.status);
    assert.equal(statuses.filter((status) => status === 200 || status === 204).length, 1, statuses.join(' '));
    for (const status of statuses) assert.ok([200, 204, 404, 412].includes(status), statuses.join(' '));
  });
});
