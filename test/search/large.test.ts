// Searches of many terms over many columns: compiled in slices and once, they mean the same as any other.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { prepareCollections } from '../../src/domain/definition/application.ts';
import { isLongSearch, readSearch, readSearchInSteps } from '../../src/domain/search/check.ts';
import { Params } from '../../src/store/database/params.ts';
import { largeSearchCondition, searchCondition } from '../../src/store/records/search.ts';
import { isLarge } from '../../src/store/records/search-costs.ts';
import type { Column } from '../../src/wire/applications.ts';
import type { Definition } from '../../src/wire/publish-document.ts';
import { number, publishApplication, string } from '../support/application.ts';
import { done, type Operations, operationsOn, type Scene } from '../support/records.ts';
import { startTestServer } from '../support/server.ts';

const WIDTH = 20;
const numberId = (n: number) => `cnumb${String(n).padStart(3, '0')}`;
const COLLECTION = {
  ...{ id: 'twide000', name: 'Wide', readAccessType: 'creatorOnly', writeAccessType: 'creatorOnly' },
  columns: [
    { id: 'ctext000', name: 'Text', type: 'String', searchable: true },
    ...Array.from({ length: WIDTH }, (_, n) => ({
      ...{ id: numberId(n), name: `Number ${n}`, type: 'Number', searchable: true },
    })),
  ],
};
/** As many terms as a search may have, each a text and a number; none of the records has any but the last. */
const ABSENT = Array.from({ length: 63 }, (_, n) => `${1_000 + n}`);
const anyOf = (last: string) => [...ABSENT, last].join(' OR ');

describe('large searches', () => {
  let scene: Scene;
  let own: Operations;
  let token = '';

  before(async () => {
    const server = await startTestServer();
    const app = await publishApplication(server, { name: 'Wide', collections: [COLLECTION] });
    scene = { server, app };
    const person = await app.addPerson('Person');
    token = person.token;
    own = operationsOn(app, 'Wide', token);
    const others = operationsOn(app, 'Wide');
    done(await own.create({ ctext000: string('seventy'), [numberId(7)]: number(70) }));
    done(await own.create({ ctext000: string('70 in a text') }));
    done(await own.create({ ctext000: string('nothing'), [numberId(8)]: number(71) }));
    done(await others.create({ ctext000: string('of another'), [numberId(7)]: number(70) }));
  });
  after(() => scene.server.close());

  const found = async (search: string): Promise<string[]> => {
    const path = `${scene.app.records('Wide')}?${new URLSearchParams({ search })}`;
    const records: { values: { ctext000: { value: string } } }[] = done(await scene.app.send('GET', path, { token }));
    return records.map(({ values }) => values.ctext000.value).toSorted();
  };

  it('find the records that the caller may read, and no others', async () => {
    assert.deepEqual(await found(anyOf('70')), ['70 in a text', 'seventy']);
    assert.deepEqual(await found(`NOT (${anyOf('70')})`), ['nothing']);
    assert.deepEqual(await found(['70', ...ABSENT.map((term) => `-${term}`)].join(' ')), ['70 in a text', 'seventy']);
    assert.deepEqual(await found(anyOf('99')), []);
  });

  it('delete the records that match', async () => {
    const parameters = new URLSearchParams({ search: anyOf('71'), limit: '10' });
    const reply = await scene.app.send('DELETE', `${scene.app.records('Wide')}?${parameters}`, { token });
    assert.deepEqual(done(reply), { deletedCount: 1 });
    assert.deepEqual(await found(''), ['70 in a text', 'seventy']);
  });

  it('are read in many steps, one for each term, if terms and columns are many', () => {
    const columns = COLLECTION.columns as unknown as Column[];
    const context = { columns, zone: 'UTC', now: 0, callerId: 'ucaller0' };
    const steps = readSearchInSteps(anyOf('70'), context);
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count += 1;
    assert.equal(count, ABSENT.length + 1);
    assert.deepEqual(step.value, readSearch(anyOf('70'), context));
    assert.equal(isLongSearch(anyOf('70'), columns), false);
    const many = Array.from({ length: 200 }, () => columns).flat();
    assert.equal(isLongSearch(anyOf('70'), many), true);
    assert.equal(isLongSearch('70', columns), false);
  });

  it('are compiled in many steps, to what they would be compiled to at once', () => {
    const definition = { id: 'aapplica', timeZone: 'UTC', collections: [COLLECTION] } as unknown as Definition;
    const collections = prepareCollections(definition, undefined, true);
    const collection = collections.get('twide000')!;
    const caller = { id: 'ucaller0', name: 'Caller', admin: false };
    const searched = { schema: 'app_test', application: { collections }, caller, collection } as unknown as Parameters<
      typeof searchCondition
    >[1];
    const context = { columns: collection.definition.columns, zone: 'UTC', now: 0, callerId: caller.id };
    const condition = readSearch(anyOf('70'), context);
    assert.equal(isLarge(condition), true);
    assert.equal(isLarge(readSearch('1 OR 2 -3', context)), false);
    const steps = largeSearchCondition(condition, searched);
    let count = 1;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count += 1;
    assert.ok(count > 60, `${count} steps`);
    for (const before of [[], ['given first']]) {
      const [large, plain] = [new Params(), new Params()];
      for (const value of before) for (const params of [large, plain]) params.text(value);
      const text = step.value(large);
      assert.equal(text, searchCondition(condition, searched)!(plain));
      assert.deepEqual(large.values, plain.values);
    }
  });
});
