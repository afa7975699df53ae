// Records as plain JavaScript: values in and out, lists of any length, references, and a definition that changes meanwhile.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CartularyError } from '../../client/src/errors.ts';
import { all, openScene, type Scene, SITES, VISITS } from './scene.ts';

describe('the records of the client', () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene();
  });
  after(() => scene?.close());

  const sites = () => scene.client.collection('Sites');
  const visits = () => scene.client.collection('Visits');
  const code = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing',
      (error: unknown) => (error instanceof CartularyError ? error.code : String(error)),
    );

  it('have plain values of every type, and can be sent back as they were read', async () => {
    const site = await sites().create({ Name: 'Depot', Code: 'D-1' });
    const photo = await visits().upload('picture', { name: 'a.txt', contentType: 'text/plain' });
    const values = {
      Title: 'Roof',
      Number: 1.5,
      Passed: false,
      Started: new Date('2026-11-16T10:00:00.123Z'),
      Day: '2026-11-16',
      Opens: '09:30:00',
      Place: { latitude: 35.68, longitude: 139.76 },
      Inspector: { id: scene.app.admin.id, name: 'Admin' },
      Photo: photo,
      Address: { City: 'Tokyo', Since: new Date(0) },
      Tags: ['a', 'b'],
      Parts: [{ Name: 'x' }, {}],
      Site: site,
    };
    const visit = await visits().create(values);
    const { Photo, Site, ...plain } = visit;
    for (const [name, value] of Object.entries(plain)) {
      if (!name.startsWith('$')) assert.deepEqual(value, values[name as keyof typeof values], name);
    }
    assert.deepEqual({ ...(Photo as object) }, { ...photo });
    assert.deepEqual(
      { ...(Site as object) },
      {
        collectionId: scene.app.ids.Sites?.id,
        columnId: scene.app.ids.Sites?.Name,
        recordId: site.$id,
        recordHash: site.$hash,
        value: 'Depot',
      },
    );
    assert.ok(visit.$createdAt instanceof Date && visit.$createdBy.id === scene.app.admin.id);
    const again = await visits().replace(visit, visit);
    assert.equal(again.$hash, visit.$hash);
    assert.equal((await visits().update(visit.$id, visit)).$hash, visit.$hash);
    const byId = { Inspector: scene.app.admin.id, Photo: photo.id, Site: site.$id };
    assert.equal((await visits().update(visit, byId)).$hash, visit.$hash);
  });

  it('lose a value by null in changes, and everything that is not given when replaced', async () => {
    const site = await sites().create({ Name: 'Old', Code: 'C-1', Floors: null });
    assert.equal('Floors' in site, false);
    const changed = await sites().update(site, { Code: null, Floors: 2, Name: undefined });
    assert.deepEqual([changed.Name, changed.Code, changed.Floors], ['Old', undefined, 2]);
    const replaced = await sites().replace(site.$id, { Floors: 3, Name: null });
    assert.deepEqual([replaced.Name, replaced.Floors], [undefined, 3]);
  });

  it('are changed and deleted only if they are unchanged, on request', async () => {
    const site = await sites().create({ Name: 'A' });
    const changed = await sites().update(site, { Name: 'B' }, { ifUnchanged: true });
    assert.equal(await code(sites().update(site, { Name: 'C' }, { ifUnchanged: true })), 'PRECONDITION_FAILED');
    assert.equal(await code(sites().delete(site, { ifUnchanged: true })), 'PRECONDITION_FAILED');
    await assert.rejects(async () => sites().delete(site.$id, { ifUnchanged: true }), /give the hash/);
    await sites().delete(site.$id, { ifUnchanged: changed.$hash });
    assert.equal(await sites().find(site.$id), undefined);
    assert.equal(await code(sites().get(site.$id)), 'RECORD_NOT_FOUND');
  });

  it('are gone after a deletion whose reply was lost', async () => {
    const site = await sites().create({ Name: 'gone' });
    scene.proxy.troubles.push(undefined, { kind: 'cut reply' });
    await scene.troubled.collection('Sites').delete(site);
    assert.equal(await sites().find(site.$id), undefined);
  });

  it('are upserted by a unique column', async () => {
    const first = await sites().upsert('Code', { Code: 'U-1', Name: 'one' });
    const second = await sites().upsert('Code', { Code: 'U-1', Floors: 4, Name: null });
    assert.deepEqual([second.$id, second.Floors, second.Name], [first.$id, 4, undefined]);
  });

  it('come in any number by a search, in order, each once', async () => {
    const made = await visits()
      .createMany(Array.from({ length: 250 }, (_, index) => ({ Title: 'walk', Number: 1000 + index })))
      .finish();
    assert.equal(made.done, 250);
    const numbers: unknown[] = [];
    for await (const visit of visits().search('Title=walk', { sort: 'Number', order: 'descending' }))
      numbers.push(visit.Number);
    assert.deepEqual(
      numbers,
      Array.from({ length: 250 }, (_, index) => 1249 - index),
    );
    let count = 0;
    for await (const _ of visits().search('Title=walk', { limit: 120 })) count += 1;
    assert.equal(count, 120);
    assert.equal((await visits().first('Number=1007'))?.Title, 'walk');
    assert.equal(await visits().first('Number=1'), undefined);
    const page = await visits().page({ search: 'Title=walk', limit: 100, sort: 'Number' });
    const next = await visits().page({ search: 'Title=walk', limit: 100, sort: 'Number', after: page.after });
    assert.deepEqual([page.records[0]?.Number, next.records[0]?.Number], [1000, 1100]);
    const long = Array.from({ length: 40 }, (_, index) => `Title="${'x'.repeat(60)}${index}"`).join(' OR ');
    count = 0;
    for await (const _ of visits().search(`${long} OR Title=walk`)) count += 1;
    assert.equal(count, 250, 'also where the Link would be too long');
    const wide = [1, 2].map((index) => `Title="${'あ'.repeat(450)}${index}"`).join(' OR ');
    count = 0;
    for await (const _ of visits().search(`${wide} OR Title=walk`)) count += 1;
    assert.equal(count, 250, 'and where it is, as it is written in an address');
  });

  it('follow references one by one or for a whole list', async () => {
    const site = await sites().create({ Name: 'Referred', Floors: 7 });
    const gone = await sites().create({ Name: 'Gone' });
    await visits()
      .createMany([{ Title: 'refers', Site: site }, { Title: 'refers', Site: gone }, { Title: 'refers' }])
      .finish();
    await sites().delete(gone);
    const found = await all(visits().search('Title=refers', { follow: ['Site'] }));
    const [first, second, third] = found.map(
      ({ Site }) => Site as { record?: object; value?: string; get(): Promise<object> } | undefined,
    );
    assert.deepEqual({ ...first?.record }, { ...site, $timestamp: site.$timestamp });
    assert.deepEqual(
      [first?.value, second?.value, second?.record, third],
      ['Referred', undefined, undefined, undefined],
    );
    assert.deepEqual({ ...(await first?.get()) }, { ...site });
  });

  it('are counted and added up, by the names of columns', async () => {
    const rows = [{ Name: 'Tower', Floors: 3 }, { Name: 'Tower', Floors: 5 }, { Name: 'Shed' }];
    await sites().createMany(rows).finish();
    const search = 'Name=Tower OR Name=Shed';
    assert.equal(await sites().count(search), 3);
    const { groups, more } = await sites().figures({ search, groupBy: 'Name', sum: ['Floors'], maximum: ['Floors'] });
    const none = { average: {}, minimum: {} };
    assert.deepEqual(groups, [
      { group: 'Shed', count: 1, sum: { Floors: null }, maximum: { Floors: null }, ...none },
      { group: 'Tower', count: 2, sum: { Floors: 8 }, maximum: { Floors: 5 }, ...none },
    ]);
    assert.equal(more, false);
    const years = await sites().figures({ search, groupBy: '$createdAt', unit: 'year' });
    assert.deepEqual(
      years.groups.map(({ count }) => count),
      [3],
    );
  });

  it('name what is not there, and what cannot be sent', async () => {
    await assert.rejects(scene.client.collection('Vists').first(), /no collection "Vists".*Sites, Visits/);
    await assert.rejects(sites().create({ Nmae: 'x' }), /Sites has no column "Nmae".*Name, Code, Floors/);
    await assert.rejects(visits().create({ Address: { Town: 'x' } }), /Visits.Address has no key "Town"/);
    await assert.rejects(visits().create({ Started: new Date(Number.NaN) }), /Visits.Started/);
    await assert.rejects(sites().create({ $id: 'r' }), /assigns \$id/);
    assert.equal(await code(sites().create({ Floors: 'three' })), 'INVALID_VALUE');
    await assert.rejects(async () => sites().deleteWhere(' '), /deleteEverything/);
  });

  it('follow a definition that is published meanwhile, without a restart', async () => {
    const client = scene.client;
    const things = client.collection('Things');
    const publish = async (columns: object[]) => {
      const document = {
        id: scene.app.id,
        name: 'Test',
        activityLogEnabled: true,
        collections: [SITES, VISITS, { name: 'Things', columns }],
      };
      const published = await scene.server.operator('POST', '/applications?allowDataLoss=true', document);
      assert.equal(published.status, 200, published.text);
      return published.body.application.collections.at(-1).columns as { id: string }[];
    };
    await client.definition();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await publish([{ name: 'Size', type: 'Number' }]);
    const thing = await things.create({ Size: 1 });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await publish([
      { name: 'Size', type: 'String' },
      { name: 'Colour', type: 'String' },
    ]);
    assert.equal((await things.update(thing.$id, { Size: 'large' })).Size, 'large');
    const [, colour] = await publish([
      { name: 'Size', type: 'String' },
      { name: 'Colour', type: 'String' },
      { name: 'Twin', type: 'String' },
    ]);
    assert.ok(colour);
    assert.equal((await things.update(thing.$id, { [`$${colour.id}`]: 'red' })).Colour, 'red');
  });
});
