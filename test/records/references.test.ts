// References are live: what an answer shows of the referred record is what it is now and what the caller may read, and
// no text that a client can write is taken for a reference.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, type Person, string } from '../support/application.ts';
import {
  type AnyValue,
  assertConsistent,
  closeScene,
  done,
  NO_RECORD,
  type Operations,
  openScene,
  operationsOn,
  refused,
  type Scene,
  storedRow,
} from '../support/records.ts';

/** How an entry of the column Site begins in a record's text. */
const MARK = '"crefsite":{"collectionId":"tsites00","columnId":"cname000","recordId":"';
const TRICKY_TEXTS = [
  MARK,
  `{${MARK}${NO_RECORD}"}`,
  `,${MARK}${NO_RECORD}",`,
  `\\${MARK}`,
  `\\\\,${MARK}`,
  `"},${MARK}${NO_RECORD}"},{"`,
  `","values":{${MARK}${NO_RECORD}","type":"ReferenceString"}}`,
];
const TRICKY_KEYS = [...TRICKY_TEXTS, 'crefsite', '"crefsite', ',"crefsite', 'x\\', 'x"', 'cname000', 'recordId'];

const referenceTo = (type: string, collectionId: string, columnId: string) => ({
  type,
  scheme: { collectionId, columnId },
});
const KEYS = TRICKY_KEYS.map((name) => ({ name, type: 'String' }));

const DOCUMENT = {
  collections: [
    {
      id: 'tthings0',
      name: 'Things',
      columns: [
        // Sorted before and behind the references, which stand in the text in the order of their identifiers.
        { id: 'cafirst0', name: 'First', type: 'String' },
        { id: 'cakeys00', name: 'Keys', type: 'Object', scheme: { keys: KEYS } },
        { id: 'crefkeep', name: 'Keeper', ...referenceTo('ReferenceUser', 'tsites00', 'ckeeper0') },
        { id: 'crefnumb', name: 'Number', ...referenceTo('ReferenceNumber', 'tsites00', 'cnumber0') },
        { id: 'crefpriv', name: 'Private', ...referenceTo('ReferenceString', 'tprivate', 'csecret0') },
        { id: 'crefself', name: 'Self', ...referenceTo('ReferenceString', 'tthings0', 'cafirst0') },
        { id: 'crefsite', name: 'Site', ...referenceTo('ReferenceString', 'tsites00', 'cname000') },
        { id: 'cztail00', name: 'Tail', type: 'String' },
        {
          id: 'czarray0',
          name: 'Array',
          type: 'Array',
          scheme: { element: { type: 'Object', scheme: { keys: KEYS } } },
        },
      ],
    },
    {
      id: 'tsites00',
      name: 'Sites',
      columns: [
        { id: 'cname000', name: 'Name', type: 'String' },
        { id: 'cnumber0', name: 'Number', type: 'Number' },
        { id: 'ckeeper0', name: 'Keeper', type: 'User' },
      ],
    },
    {
      id: 'tprivate',
      name: 'Private',
      readAccessType: 'creatorOnly',
      columns: [{ id: 'csecret0', name: 'Secret', type: 'String' }],
    },
  ],
};

const toSite = (recordId: string) => ({
  type: 'ReferenceString',
  collectionId: 'tsites00',
  columnId: 'cname000',
  recordId,
});
const toPrivate = (recordId: string) => ({
  type: 'ReferenceString',
  collectionId: 'tprivate',
  columnId: 'csecret0',
  recordId,
});
const toThing = (recordId: string) => ({
  type: 'ReferenceString',
  collectionId: 'tthings0',
  columnId: 'cafirst0',
  recordId,
});
const toNumber = (recordId: string) => ({ ...toSite(recordId), type: 'ReferenceNumber', columnId: 'cnumber0' });
const toKeeper = (recordId: string) => ({ ...toSite(recordId), type: 'ReferenceUser', columnId: 'ckeeper0' });

describe('references', () => {
  let scene: Scene;
  let things: Operations;
  let sites: Operations;
  let other: Person;
  let admin: AnyValue;

  before(async () => {
    scene = await openScene(DOCUMENT);
    things = operationsOn(scene.app, 'Things');
    sites = operationsOn(scene.app, 'Sites');
    other = await scene.app.addPerson('Other');
    admin = { type: 'User', id: scene.app.admin.id, name: scene.app.admin.name };
  });
  after(() => closeScene(scene));

  const newSite = async (values: object = { cname000: string('Harbour'), cnumber0: number(7), ckeeper0: admin }) =>
    done(await sites.create({ ...values }));

  it('show value and hash as they are when the answer is made, in every answer', async () => {
    const site = await newSite();
    const { id } = site;
    const sent = { crefsite: toSite(id), crefnumb: toNumber(id), crefkeep: toKeeper(id) };
    const shown = ({ hash, values }: typeof site) => ({
      crefkeep: { ...sent.crefkeep, recordHash: hash, value: values.ckeeper0 },
      crefnumb: { ...sent.crefnumb, recordHash: hash, value: values.cnumber0 },
      crefsite: { ...sent.crefsite, recordHash: hash, value: values.cname000 },
    });
    const created = done(await things.create(sent));
    assert.deepEqual(created.values, shown(site));
    const moved = done(
      await sites.replace(id, {
        cname000: string('Pier "2"\\'),
        cnumber0: number(-0.5),
        ckeeper0: { type: 'User', id: other.id },
      }),
    );
    const read = done(await things.get(created.id));
    assert.deepEqual(read, { ...created, values: shown(moved) }, 'and nothing else of the referring record moved');
    assert.deepEqual(done(await things.replace(created.id, read.values)).values, shown(moved));
    assert.deepEqual(done(await things.merge(created.id, { cztail00: null })).values, shown(moved));
    const many = done(await things.updateMany([{ id: created.id, values: sent }]));
    assert.deepEqual(many[0].values, shown(moved));
    assert.equal(many[0].hash, created.hash, 'the hash is that of where the references point');
    const [first, second] = done(await things.createMany([{ values: sent }, { values: read.values }]));
    assert.deepEqual(first.values, shown(moved));
    assert.deepEqual(second.values, shown(moved));
    const failed = refused(await things.createMany([{ values: sent }, { values: { cx: 1 } }]), 400, 'INVALID_VALUE');
    assert.deepEqual(failed.insertedRecords[0].values, shown(moved));
  });

  it('show what became of records whose values the server remembers', async () => {
    const values = (n: number) => ({ cname000: string(`Site ${n}`), cnumber0: number(n) });
    const all = [
      done(await sites.create(values(0))),
      done(await sites.create(values(1))),
      done(await sites.create(values(2))),
    ];
    const made = done(
      await things.createMany(all.map(({ id }) => ({ values: { crefsite: toSite(id), cafirst0: string('page') } }))),
    );
    const page = async () => {
      const found = done(await things.page());
      return made.map(({ id }: { id: string }) => found.find((one: { id: string }) => one.id === id).values.crefsite);
    };
    const shown = ({ id, hash, values }: (typeof all)[number]) => ({
      ...{ ...toSite(id), recordHash: hash },
      ...(values.cname000 === undefined ? {} : { value: values.cname000 }),
    });
    assert.deepEqual(await page(), all.map(shown));
    all[0] = done(await sites.replace(all[0].id, { ...values(0), cname000: string('New name') }));
    all[1] = done(await sites.replace(all[1].id, { cnumber0: number(1) }));
    assert.deepEqual(await page(), all.map(shown), 'one changed, and one without the value');
    assert.deepEqual(await page(), all.map(shown));
    // Another column of a remembered record, and then both.
    const numbers = done(await things.create({ crefnumb: toNumber(all[2].id) }));
    assert.deepEqual(numbers.values.crefnumb.value, number(2));
    const both = done(await things.create({ crefnumb: toNumber(all[2].id), crefsite: toSite(all[2].id) }));
    assert.deepEqual([both.values.crefnumb.value, both.values.crefsite.value], [number(2), string('Site 2')]);
    await sites.remove(all[2].id);
    assert.deepEqual(await page(), [...all.slice(0, 2).map(shown), toSite(all[2].id)]);
  });

  it('leave out the value that the referred record does not have, and all of one that is gone', async () => {
    const site = await newSite({ cnumber0: number(7) });
    const sent = { crefsite: toSite(site.id), crefnumb: toNumber(site.id) };
    const created = done(await things.create(sent));
    assert.deepEqual(created.values.crefsite, { ...sent.crefsite, recordHash: site.hash });
    assert.deepEqual(created.values.crefnumb, { ...sent.crefnumb, recordHash: site.hash, value: number(7) });
    assert.equal((await sites.remove(site.id)).status, 204);
    const read = done(await things.get(created.id));
    assert.deepEqual(read, { ...created, values: sent });
  });

  it('to what is gone are accepted where the record holds them, and nowhere else', async () => {
    const site = await newSite();
    const spare = await newSite();
    const { id } = done(await things.create({ crefsite: toSite(site.id), crefnumb: toNumber(site.id) }));
    const bystander = done(await things.create({ crefsite: toSite(spare.id) }));
    assert.equal((await sites.remove(site.id)).status, 204);
    const { values } = done(await things.get(id));
    for (const reply of [
      await things.replace(id, values),
      await things.merge(id, values),
      await things.replace(id, { ...values, cztail00: string('and more') }),
    ]) {
      assert.deepEqual(done(reply).values.crefsite, toSite(site.id));
      assertConsistent(await storedRow(scene, 'Things', id));
    }
    const stale = { ...toSite(site.id), recordHash: site.hash, value: string('Harbour') };
    assert.deepEqual(done(await things.replace(id, { crefsite: stale })).values, { crefsite: toSite(site.id) });
    const gone: [string, object][] = [
      [bystander.id, { crefsite: toSite(site.id) }],
      // Held in the other column before the replacement above, and no more.
      [id, { crefnumb: toNumber(site.id) }],
      [id, { crefkeep: toKeeper(site.id) }],
    ];
    for (const [recordId, wrong] of gone) {
      for (const road of [things.replace, things.merge]) {
        const params = refused(await road(recordId, { ...wrong }), 400, 'INVALID_VALUE');
        assert.equal(params.columnId, Object.keys(wrong)[0]);
        assert.equal(params.path, '/recordId');
        assert.match(params.reason, /no record/);
      }
    }
    refused(await things.create({ crefsite: toSite(site.id) }), 400, 'INVALID_VALUE');
    const batch = [
      { id, values: { crefsite: toSite(site.id) } },
      { id, values: { crefsite: null }, replace: false },
      { id, values: { crefsite: toSite(site.id) } },
    ];
    const params = refused(await things.updateMany(batch), 400, 'INVALID_VALUE');
    assert.equal(params.recordIndex, 2, 'the second element let go of it');
    assert.equal(params.updatedRecords.length, 2);
    assert.deepEqual(done(await things.get(id)).values, {});
  });

  it('to a user who is gone keep the name, where the record holds them', async () => {
    const leaver = await scene.app.addPerson('Leaver');
    const value = { type: 'User', id: leaver.id, name: leaver.name };
    const site = await newSite({ ckeeper0: value });
    const spare = await newSite({});
    await scene.server.database.sql(`update app_${scene.app.id}.users set deleted_at = now() where id = $1`, [
      leaver.id,
    ]);
    const bare = { ckeeper0: { type: 'User', id: leaver.id } };
    for (const road of [sites.replace, sites.merge]) {
      const answered = done(await road(site.id, bare));
      assert.deepEqual(answered.values, { ckeeper0: value });
      assert.equal(answered.hash, site.hash);
      refused(await road(spare.id, bare), 400, 'INVALID_VALUE');
    }
  });

  it('to what the caller may not read show nothing to them and everything to the admin', async () => {
    const asOther = operationsOn(scene.app, 'Things', other.token);
    const secret = done(await operationsOn(scene.app, 'Private').create({ csecret0: string('treasure') }));
    const own = done(await operationsOn(scene.app, 'Private', other.token).create({ csecret0: string('own') }));
    const shown = { ...toPrivate(secret.id), recordHash: secret.hash, value: string('treasure') };
    const created = done(await things.create({ crefpriv: toPrivate(secret.id) }));
    assert.deepEqual(created.values, { crefpriv: shown });
    const hidden = done(await asOther.get(created.id));
    assert.deepEqual(hidden, { ...created, values: { crefpriv: toPrivate(secret.id) } });
    for (const road of [asOther.replace, asOther.merge]) {
      const answered = done(await road(created.id, { ...hidden.values, cztail00: string('by other') }));
      assert.deepEqual(answered.values.crefpriv, toPrivate(secret.id), 'accepted, because the record holds it');
    }
    assert.deepEqual(done(await things.get(created.id)).values.crefpriv, shown);
    // Elsewhere it is as unknown as one that never was.
    const mine = done(await asOther.create({ crefpriv: toPrivate(own.id) }));
    assert.deepEqual(mine.values.crefpriv, { ...toPrivate(own.id), recordHash: own.hash, value: string('own') });
    const replies = [secret.id, NO_RECORD].map(async (recordId) => {
      const params = refused(await asOther.replace(mine.id, { crefpriv: toPrivate(recordId) }), 400, 'INVALID_VALUE');
      return { ...params, reason: params.reason.replace(recordId, '') };
    });
    assert.deepEqual(await replies[0], await replies[1]);
    refused(await asOther.create({ crefpriv: toPrivate(secret.id) }), 400, 'INVALID_VALUE');
    assert.deepEqual(done(await things.get(mine.id)).values.crefpriv.value, string('own'));
  });

  it('must name the collection and column of the scheme', async () => {
    const site = await newSite();
    const { collectionId: _1, ...noCollection } = toSite(site.id);
    const { columnId: _2, ...noColumn } = toSite(site.id);
    const { recordId: _3, ...noRecord } = toSite(site.id);
    const cases: [object, RegExp, string?][] = [
      [{ ...toSite(site.id), collectionId: 'tthings0' }, /tsites00/, '/collectionId'],
      [{ ...toSite(site.id), columnId: 'cnumber0' }, /cname000/, '/columnId'],
      [{ ...toSite(site.id), type: 'ReferenceNumber' }, /ReferenceString/, '/type'],
      [{ ...toSite(site.id), recordId: 'r1' }, /identifier of a record/, '/recordId'],
      [{ ...toSite(site.id), recordId: null }, /null/, '/recordId'],
      [{ ...toSite(site.id), value: null }, /null/, '/value'],
      [{ ...toSite(site.id), extra: 1 }, /extra/],
      [noCollection, /"collectionId" is missing/],
      [noColumn, /"columnId" is missing/],
      [noRecord, /"recordId" is missing/],
    ];
    for (const [crefsite, reason, path] of cases) {
      const params = refused(await things.create({ crefsite }), 400, 'INVALID_VALUE');
      assert.equal(params.columnId, 'crefsite');
      assert.match(params.reason, reason);
      assert.equal(params.path, path);
    }
    // A record of another collection is none of the referred one.
    const thing = done(await things.create({}));
    refused(await things.create({ crefsite: toSite(thing.id) }), 400, 'INVALID_VALUE');
  });

  it('may point into their own collection, and to the record itself', async () => {
    const first = done(await things.create({ cafirst0: string('first') }));
    const second = done(await things.create({ crefself: toThing(first.id) }));
    assert.deepEqual(second.values.crefself, {
      ...toThing(first.id),
      recordHash: first.hash,
      value: string('first'),
    });
    for (const road of [things.replace, things.merge]) {
      const turned = done(await road(first.id, { cafirst0: string('turned'), crefself: toThing(first.id) }));
      assert.deepEqual(turned.values.crefself, {
        ...toThing(first.id),
        recordHash: turned.hash,
        value: string('turned'),
      });
      assert.deepEqual(done(await things.get(first.id)), turned);
    }
    const [, last] = done(
      await things.updateMany([
        { id: first.id, values: { cafirst0: string('in a batch') } },
        { id: second.id, values: { crefself: toThing(first.id) } },
      ]),
    );
    assert.deepEqual(last.values.crefself.value, string('in a batch'));
  });

  it('are not taken from any text, key or name that a client may write', async () => {
    const site = await newSite({ cname000: string(`${MARK}${NO_RECORD}"`) });
    const shown = { ...toSite(site.id), recordHash: site.hash, value: site.values.cname000 };
    const people = [
      await scene.app.addPerson(',"crefsite":{"collectionId":"tsites00","columnId":"cname'),
      await scene.app.addPerson('{"crefsite":{"collectionId":"tsites00","recordId":"'),
    ];
    const keys = Object.fromEntries(TRICKY_KEYS.map((name) => [name, string(`${name},${MARK}${NO_RECORD}`)]));
    const array = { type: 'Array', value: [{ type: 'Object', value: keys }] };
    for (const person of people) {
      const asPerson = operationsOn(scene.app, 'Things', person.token);
      const keeper = { type: 'User', id: person.id, name: person.name };
      const kept = await newSite({ ckeeper0: keeper });
      for (const text of TRICKY_TEXTS) {
        const plain = {
          cafirst0: string(text),
          cakeys00: { type: 'Object', value: keys },
          cztail00: string(text),
          czarray0: array,
        };
        const without = done(await asPerson.create(plain));
        assert.deepEqual(without.values, plain);
        assert.deepEqual(done(await things.get(without.id)).values, plain);
        const values = { ...plain, crefsite: toSite(site.id), crefkeep: toKeeper(kept.id) };
        const all = {
          ...plain,
          crefsite: shown,
          crefkeep: { ...toKeeper(kept.id), recordHash: kept.hash, value: keeper },
        };
        for (const road of [asPerson.replace, asPerson.merge]) {
          assert.deepEqual(done(await road(without.id, values)).values, all);
          assert.deepEqual(done(await things.get(without.id)).values, all);
          assertConsistent(await storedRow(scene, 'Things', without.id));
        }
        const bare = done(await asPerson.merge(without.id, { crefsite: null, crefkeep: null }));
        assert.deepEqual(bare.values, plain);
        assert.equal(bare.hash, without.hash);
      }
    }
  });
});
