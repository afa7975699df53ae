// Views: own and shared ones, who sees and changes which, their bounds, and what happens to them when their owner or their
// collection goes.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { type Person, publishApplication } from '../support/application.ts';
import { closeScene, done, openScene, refused, type Scene } from '../support/records.ts';
import type { Reply } from '../support/server.ts';

const DOCUMENT = {
  collections: [
    { id: 'tthings0', name: 'Things', columns: [] },
    { id: 'tothers0', name: 'Others', columns: [] },
  ],
};
const documentOf = (...ids: string[]) => ({ collections: ids.map((id) => ({ id, name: id, columns: [] })) });
const VIEWS = '/collections/tthings0/views';
const NO_VIEW = `v${'0'.repeat(26)}`;
const SETTINGS_BYTES_MAX = 16 * 1024;

interface View {
  readonly id: string;
  readonly name: string;
}

describe('views', () => {
  let scene: Scene;
  let ann: Person;
  let ben: Person;
  let others = 0;

  before(async () => {
    scene = await openScene(DOCUMENT);
    [ann, ben] = [await scene.app.addPerson('Ann'), await scene.app.addPerson('Ben')];
  });
  after(() => closeScene(scene));

  const send = (method: string, path: string, { token }: Pick<Person, 'token'>, json?: unknown): Promise<Reply> =>
    scene.app.send(method, path, { token, ...(json === undefined ? {} : { json }) });
  const create = (who: Person, view: object, at = VIEWS) => send('POST', at, who, { settings: {}, ...view });
  const made = async (who: Person, view: object): Promise<View> => done(await create(who, view));
  const listed = async (who: Person, at = VIEWS): Promise<string[]> =>
    done(await send('GET', at, who)).map(({ name }: View) => name);
  const at = ({ id }: View) => `${VIEWS}/${id}`;
  const owner = ({ id, name }: Person) => ({ id, name });
  const somebody = () => scene.app.addPerson(`Somebody ${++others}`);

  it('are created, listed, read, changed and deleted by their owner', async () => {
    const settings = { columns: ['ctitle00'], deep: { empty: null, text: 'é\u0000\ud800😀' }, '': [], __proto__: 1 };
    const raw = JSON.stringify({ name: 'Mine', settings }).replace('"":', '"__proto__":{"a":1},"":');
    const reply = await scene.app.send('POST', VIEWS, {
      ...{ token: ann.token, raw, headers: { 'content-type': 'application/json' } },
    });
    const view = done(reply);
    assert.match(view.id, /^v[a-z0-9]{26}$/);
    assert.deepEqual(Object.keys(view), ['id', 'name', 'shared', 'owner', 'settings']);
    const shown = { id: view.id, name: 'Mine', shared: false, owner: owner(ann) };
    assert.deepEqual({ ...view, settings: 0 }, { ...shown, settings: 0 });
    assert.equal(JSON.stringify(view.settings), JSON.stringify(JSON.parse(raw).settings));
    assert.equal((await send('GET', at(view), ann)).text, reply.text);
    assert.deepEqual(done(await send('GET', VIEWS, ann)), [view]);
    const changed = done(await send('PUT', at(view), ann, { name: 'Other', settings: { a: 1 } }));
    assert.deepEqual(changed, { ...shown, name: 'Other', settings: { a: 1 } });
    // What was read can be sent back.
    assert.deepEqual(done(await send('PUT', at(view), ann, { ...changed, name: 'Third' })), {
      ...changed,
      name: 'Third',
    });
    assert.deepEqual(done(await send('GET', at(view), ann)), { ...changed, name: 'Third' });
    assert.equal((await send('DELETE', at(view), ann)).status, 204);
    for (const method of ['GET', 'DELETE']) {
      assert.deepEqual(refused(await send(method, at(view), ann), 404, 'VIEW_NOT_FOUND'), { viewId: view.id });
    }
    assert.deepEqual(await listed(ann), []);
  });

  it('are listed by name, then by age, and belong to one collection', async () => {
    const who = await somebody();
    const ids = new Map<string, string[]>();
    for (const name of ['b', 'a', 'Z', '東', 'a'])
      ids.set(name, [...(ids.get(name) ?? []), (await made(who, { name })).id]);
    await create(who, { name: 'elsewhere' }, '/collections/tothers0/views');
    const views: View[] = done(await send('GET', VIEWS, who));
    assert.deepEqual(
      views.map(({ name }) => name),
      ['Z', 'a', 'a', 'b', '東'],
    );
    assert.deepEqual(
      views.slice(1, 3).map(({ id }) => id),
      ids.get('a'),
    );
    assert.deepEqual(await listed(who, '/collections/tothers0/views'), ['elsewhere']);
    refused(await send('GET', `/collections/tothers0/views/${views[0]!.id}`, who), 404, 'VIEW_NOT_FOUND');
    refused(await send('GET', '/collections/t0000000/views', who), 404, 'COLLECTION_NOT_FOUND');
    refused(await create(who, { name: 'a' }, '/collections/t0000000/views'), 404, 'COLLECTION_NOT_FOUND');
  });

  it('that are not shared exist for their owner alone, whoever asks', async () => {
    const view = await made(ann, { name: 'private' });
    for (const who of [ben, scene.app.admin]) {
      assert.ok(!(await listed(who)).includes('private'));
      refused(await send('GET', at(view), who), 404, 'VIEW_NOT_FOUND');
      refused(await send('PUT', at(view), who, { name: 'a', settings: {} }), 404, 'VIEW_NOT_FOUND');
      refused(await send('DELETE', at(view), who), 404, 'VIEW_NOT_FOUND');
    }
    assert.equal((await send('DELETE', at(view), ann)).status, 204);
  });

  it('are shared by admins alone', async () => {
    refused(await create(ann, { name: 'a', shared: true }), 403, 'ADMIN_REQUIRED');
    const own = await made(ann, { name: 'own' });
    refused(await send('PUT', at(own), ann, { name: 'own', settings: {}, shared: true }), 403, 'ADMIN_REQUIRED');
    assert.equal((await send('DELETE', at(own), ann)).status, 204);
    const { admin } = scene.app;
    const view = await made(admin, { name: 'for all', shared: true });
    for (const who of [ann, ben, admin]) {
      assert.ok((await listed(who)).includes('for all'));
      assert.deepEqual(done(await send('GET', at(view), who)).owner, owner(admin));
    }
    // One that may be seen and not changed.
    refused(await send('PUT', at(view), ann, { name: 'mine', settings: {} }), 403, 'FORBIDDEN');
    refused(await send('DELETE', at(view), ann), 403, 'FORBIDDEN');
    const second = await scene.app.addPerson('Second', { admin: true });
    const renamed = done(await send('PUT', at(view), second, { name: 'for everyone', settings: { b: 2 } }));
    assert.deepEqual(renamed, { ...view, name: 'for everyone', settings: { b: 2 }, shared: true, owner: owner(admin) });
    // No longer shared, it is its owner's again.
    done(await send('PUT', at(view), second, { ...renamed, shared: false }));
    refused(await send('GET', at(view), second), 404, 'VIEW_NOT_FOUND');
    assert.equal((await send('DELETE', at(view), admin)).status, 204);
  });

  it('of who is no admin any more are shared until their owner says otherwise', async () => {
    const former = await scene.app.addPerson('Former', { admin: true });
    const view = await made(former, { name: 'former', shared: true });
    const rights = {
      email: 'a@example.com',
      admin: false,
      apiAccess: true,
      managementApiAccess: false,
      disabled: false,
    };
    done(
      await send('PUT', `/management/users/${former.id}`, scene.app.admin, {
        ...rights,
        profile: { name: 'Standard' },
      }),
    );
    refused(await send('PUT', at(view), former, { name: 'changed for all', settings: {} }), 403, 'ADMIN_REQUIRED');
    assert.equal(
      done(await send('PUT', at(view), former, { name: 'mine', settings: {}, shared: false })).shared,
      false,
    );
    assert.equal((await send('DELETE', at(view), former)).status, 204);
  });

  it('have settings of 16 KB at most, which may be anything in an object', async () => {
    const who = await somebody();
    const filled = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
    const view = await made(who, { name: 'full', settings: filled(SETTINGS_BYTES_MAX) });
    const tooLong = {
      path: '/settings',
      maxBytes: SETTINGS_BYTES_MAX,
      reason: 'must have at most 16384 bytes as JSON',
    };
    const settings = filled(SETTINGS_BYTES_MAX + 1);
    assert.deepEqual(refused(await create(who, { name: 'a', settings }), 400, 'INVALID_BODY'), tooLong);
    assert.deepEqual(refused(await send('PUT', at(view), who, { name: 'a', settings }), 400, 'INVALID_BODY'), tooLong);
    refused(
      await create(who, { name: 'a', settings: { a: '語'.repeat(SETTINGS_BYTES_MAX / 3) } }),
      400,
      'INVALID_BODY',
    );
    for (const wrong of [null, [], 'a', 1, true]) {
      const params = refused(await create(who, { name: 'a', settings: wrong }), 400, 'INVALID_BODY');
      assert.deepEqual(params, { path: '/settings', reason: 'must be an object' });
    }
    assert.deepEqual(await listed(who), ['full']);
  });

  it('refuse a body of another shape', async () => {
    const view = await made(ben, { name: 'a' });
    const bodies: [object, string][] = [
      [{ settings: {} }, '/name'],
      [{ name: '', settings: {} }, '/name'],
      [{ name: 'x'.repeat(101), settings: {} }, '/name'],
      [{ name: 'a\nb', settings: {} }, '/name'],
      [{ name: 1, settings: {} }, '/name'],
      [{ name: 'a' }, '/settings'],
      [{ name: 'a', settings: {}, shared: 'yes' }, '/shared'],
      [{ name: 'a', settings: {}, color: 'red' }, '/color'],
    ];
    for (const [body, path] of bodies) {
      for (const [method, target] of [
        ['POST', VIEWS],
        ['PUT', at(view)],
      ] as const) {
        assert.equal(refused(await send(method, target, ben, body), 400, 'INVALID_BODY').path, path);
      }
    }
    refused(await send('PUT', at(view), ben, { id: NO_VIEW, name: 'a', settings: {} }), 400, 'INVALID_BODY');
    refused(await create(ben, { id: NO_VIEW, name: 'a' }), 400, 'INVALID_BODY');
    refused(await send('GET', `${VIEWS}/x`, ben), 400, 'INVALID_VIEW_ID');
    refused(await send('PUT', `${VIEWS}/${NO_VIEW}`, ben, { name: 'a', settings: {} }), 404, 'VIEW_NOT_FOUND');
    assert.equal((await send('DELETE', at(view), ben)).status, 204);
  });

  it('are fifty for each user and collection, also when many come at once', async () => {
    const who = await somebody();
    const replies = await Promise.all(Array.from({ length: 60 }, (_, n) => create(who, { name: `view ${n}` })));
    const refusals = replies.filter(({ status }) => status !== 200);
    assert.equal(refusals.length, 10);
    for (const reply of refusals) {
      assert.deepEqual(refused(reply, 400, 'TOO_MANY_VIEWS'), { maximum: 50, shared: false });
    }
    assert.equal((await listed(who)).length, 50);
    done(await create(who, { name: 'a' }, '/collections/tothers0/views'));
    const [first] = done(await send('GET', VIEWS, who));
    assert.equal((await send('DELETE', at(first), who)).status, 204);
    done(await create(who, { name: 'one more' }));
  });

  it('are fifty shared ones for each collection, whoever owns them', async () => {
    const admins = [
      await scene.app.addPerson('One', { admin: true }),
      await scene.app.addPerson('Two', { admin: true }),
    ];
    const shared = await Promise.all(
      Array.from({ length: 54 }, (_, n) => create(admins[n % 2]!, { name: `shared ${n}`, shared: true })),
    );
    const refusals = shared.filter(({ status }) => status !== 200);
    assert.equal(refusals.length, 4);
    const full = { maximum: 50, shared: true };
    for (const reply of refusals) assert.deepEqual(refused(reply, 400, 'TOO_MANY_VIEWS'), full);
    const view = await made(admins[0]!, { name: 'own' });
    const sharing = await send('PUT', at(view), admins[0]!, { name: 'own', settings: {}, shared: true });
    assert.deepEqual(refused(sharing, 400, 'TOO_MANY_VIEWS'), full);
    // Changing one that is shared already needs no room.
    const [one] = shared.map(({ body }) => body).filter((body) => body.shared === true);
    done(await send('PUT', at(one), admins[0]!, { name: 'still shared', settings: {} }));
    for (const { body } of shared) if (body.id !== undefined) await send('DELETE', at(body), admins[0]!);
  });

  it('go with their owner, but for those that are shared', async () => {
    const owning = await scene.app.addPerson('Owning', { admin: true });
    const [own, shared] = [await made(owning, { name: 'own' }), await made(owning, { name: 'left', shared: true })];
    assert.equal((await send('DELETE', `/management/users/${owning.id}`, scene.app.admin)).status, 204);
    const rows = await scene.server.database.sql(
      `select id from app_${scene.app.id}.views where owner_id = $1 and id = any($2)`,
      [owning.id, [own.id, shared.id]],
    );
    assert.deepEqual(rows, [[shared.id]]);
    assert.deepEqual(done(await send('GET', at(shared), ann)).owner, owner(owning));
    refused(await send('DELETE', at(shared), ann), 403, 'FORBIDDEN');
    assert.equal((await send('DELETE', at(shared), scene.app.admin)).status, 204);
  });

  it('go with their collection, and none is left for another of the same ID', async () => {
    const { app, server } = scene;
    const there = '/collections/tothers0/views';
    done(await create(app.admin, { name: 'lost', shared: true }, there));
    const kept = await listed(app.admin);
    const publish = async (collections: object[]) => {
      const path = '/applications?allowDataLoss=true';
      done(await server.operator('POST', path, { id: app.id, name: 'Test', activityLogEnabled: true, collections }));
    };
    await publish(DOCUMENT.collections.slice(0, 1));
    refused(await send('GET', there, app.admin), 404, 'COLLECTION_NOT_FOUND');
    const rows = await server.database.sql(`select 1 from app_${app.id}.views where collection_id = 'tothers0'`);
    assert.deepEqual(rows, []);
    await publish(DOCUMENT.collections);
    assert.deepEqual(await listed(app.admin, there), []);
    assert.deepEqual(await listed(app.admin), kept);
  });

  it('are kept in applications of the version before them, also if one is published first', async () => {
    const { server } = scene;
    const folder = new URL('../../../migrations/application/', import.meta.url);
    const [, ...later] = readdirSync(folder).sort();
    const made = later.flatMap((file) => [
      ...readFileSync(new URL(file, folder), 'utf8').matchAll(/^create table \{\{application\}\}\.(\w+)/gm),
    ]);
    assert.ok(made.some(([, table]) => table === 'views'));
    for (const first of ['publish', 'ask']) {
      const old = await publishApplication(server, { name: `Old ${first}`, ...documentOf('told0000', 'told0001') });
      for (const [, table] of made) await server.database.sql(`drop table app_${old.id}.${table}`);
      await server.database.sql(`alter table app_${old.id}.fence drop column id`);
      await server.database.sql(`update app_${old.id}.fence set migration = 1`);
      await server.database.sql(`update cartulary.applications set migration = 1 where id = '${old.id}'`);
      if (first === 'publish') {
        const next = { id: old.id, name: 'Old publish', activityLogEnabled: true, ...documentOf('told0000') };
        done(await server.operator('POST', '/applications?allowDataLoss=true', next));
      } else server.invalidate({ application: old.id });
      done(await old.send('POST', '/collections/told0000/views', { json: { name: 'a', settings: {} } }));
      assert.equal(done(await old.send('GET', '/collections/told0000/views')).length, 1);
    }
  });
});
