// What a list costs on many records: the plans of its statements read off indexes, never sort or look at
// all records; and a walk over all of them visits each exactly once.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Caller, readScope } from '../../src/domain/people/access.ts';
import type { ListOrder, Position } from '../../src/domain/records/list-order.ts';
import { readSearch } from '../../src/domain/search/check.ts';
import { type PageQuery, pageOf } from '../../src/store/records/list-statements.ts';
import { pageByReference } from '../../src/store/records/reference-list-statements.ts';
import { compileSearch } from '../../src/store/records/search.ts';
import { isGuess, isSharp } from '../../src/store/records/search-costs.ts';
import { by, DIRECTIONS, listerOf, type Parameters, walkAll } from '../support/lists.ts';
import { COUNT, type Large, openLarge } from './large-collection.ts';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Plan Rows': number;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Presorted Key'?: readonly string[];
  readonly Plans?: readonly Plan[];
}

interface Asked {
  readonly collection?: string;
  readonly caller?: Caller;
  readonly sort?:
    | { readonly key: 'createdAt' | 'updatedAt' | 'createdBy' | 'updatedBy' }
    | { readonly columnId: string };
  readonly direction?: (typeof DIRECTIONS)[number];
  readonly after?: Position;
  readonly search?: string;
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
const typesOf = (plan: Plan): string[] => nodesOf(plan).map((node) => node['Node Type']);
const indexesOf = (plan: Plan): string[] => nodesOf(plan).flatMap((node) => node['Index Name'] ?? []);
const shown = (plan: unknown): string => JSON.stringify(plan, null, 1);

/** What sorting a page of hits may cost; the planner's guess. */
const FEW = 2_000;

describe('lists of forty thousand records', () => {
  let large: Large;

  before(async () => {
    large = await openLarge();
  });
  after(() => large.close());

  const conditionOf = (search = '') => {
    const columns = large.application.collections.get('tlarge00')!.definition.columns;
    return readSearch(search, { columns, zone: 'UTC', now: Date.now(), callerId: large.admin.id });
  };

  const queryOf = ({ collection = 'tlarge00', caller = large.admin, search, ...asked }: Asked): PageQuery => {
    const { application, schema } = large;
    const prepared = application.collections.get(collection)!;
    const descending = asked.direction !== 'ascending';
    const { sort = { key: 'updatedAt' } } = asked;
    const order: ListOrder =
      'key' in sort
        ? { key: sort.key, descending }
        : { key: 'column', descending, column: prepared.columns.get(sort.columnId)! };
    const condition = conditionOf(search);
    assert.ok(!isGuess(condition), search);
    const source = { collection: prepared, alias: 't' };
    return {
      ...{ schema, collection: prepared, order, after: asked.after, skip: 0, limit: 100 },
      scope: readScope(prepared.definition, caller),
      ...(search === undefined
        ? {}
        : { where: (params) => compileSearch(condition, source, { schema, application, caller, params }) }),
    };
  };

  /** As it is run: most searches for their parameters, the rest also without knowing them, as prepared statements are. */
  const plansOf = async (asked: Asked): Promise<Plan[]> => {
    const { text, params } = pageOf(queryOf(asked), { form: 'plain', exact: false });
    const quick = asked.search === undefined || isSharp(conditionOf(asked.search));
    const ways = quick ? [params, undefined] : [params];
    const plans: Plan[] = [];
    for (const values of ways) plans.push(((await large.explain(text, values)) as { Plan: Plan }).Plan);
    return plans;
  };

  /** Read off this index alone. */
  const assertReadOff = async (index: string, asked: Asked) => {
    for (const plan of await plansOf(asked)) {
      const types = typesOf(plan);
      assert.ok(!types.some((type) => /Seq Scan|Sort|Bitmap/.test(type)), shown(plan));
      assert.deepEqual([...new Set(indexesOf(plan))], [index], shown(plan));
    }
  };

  /** Found by this index, and then put in order if they are few. */
  const assertFound = async (index: string, asked: Asked) => {
    for (const plan of await plansOf(asked)) {
      const nodes = nodesOf(plan);
      assert.ok(!typesOf(plan).includes('Seq Scan'), shown(plan));
      assert.deepEqual([...new Set(indexesOf(plan))], [index], shown(plan));
      assert.ok(
        nodes.some((node) => node['Index Name'] === index && node['Index Cond'] !== undefined),
        shown(plan),
      );
      for (const node of nodes) {
        if (/Sort/.test(node['Node Type'])) assert.ok(node.Plans![0]!['Plan Rows'] <= FEW, shown(plan));
      }
    }
  };

  const ORDERED = [
    ['ctitle00', 's', 'Title 7f000000'],
    ['cnumb000', 'n', 35_000],
    ['cflag000', 'b', false],
    ['cwhen000', 't', '2021-01-01T00:00:00.000Z'],
    ['cday0000', 'd', '2021-01-01'],
    ['cclock00', 'h', '12:00:00'],
    ['cwho0000', 's', 'Member'],
  ] as const;
  const METADATA = [
    ['updatedAt', 'updated_at', '2020-01-01T10:00:00.000Z'],
    ['createdAt', 'created_at', '2020-01-01T10:00:00.000Z'],
    ['createdBy', 'created_name', 'Member'],
    ['updatedBy', 'updated_name', 'Admin'],
  ] as const;

  for (const direction of DIRECTIONS) {
    it(`reads metadata orders off their index, ${direction}, from the start and behind a position`, async () => {
      for (const [key, column, value] of METADATA) {
        const sort = { key };
        await assertReadOff(`tlarge00_${column}`, { sort, direction });
        await assertReadOff(`tlarge00_${column}`, { sort, direction, after: { value, id: large.middleId } });
      }
    });

    it(`reads what the caller created off an index of that, ${direction}`, async () => {
      const own = { caller: large.member, direction };
      for (const [key, column, value] of METADATA) {
        await assertReadOff(`tlarge00_${column}_own`, { ...own, sort: { key } });
        await assertReadOff(`tlarge00_${column}_own`, { ...own, sort: { key }, after: { value, id: large.middleId } });
      }
      for (const [columnId, letter, value] of ORDERED) {
        const [sort, index] = [{ columnId }, `tlarge00_${letter}_${columnId}_own`];
        await assertReadOff(index, { ...own, sort });
        await assertReadOff(index, { ...own, sort, after: { value, id: large.middleId } });
        await assertReadOff(index, { ...own, sort, after: { value: null, id: large.middleId } });
      }
    });

    for (const [columnId, letter, value] of ORDERED) {
      it(`reads ${columnId} off its index, ${direction}, also behind a value and behind records without one`, async () => {
        const [sort, index] = [{ columnId }, `tlarge00_${letter}_${columnId}`];
        await assertReadOff(index, { sort, direction });
        await assertReadOff(index, { sort, direction, after: { value, id: large.middleId } });
        await assertReadOff(index, { sort, direction, after: { value: null, id: large.middleId } });
      });
    }

    it(`sorts by references along the index of the referred column, ${direction}`, async () => {
      const { application, admin } = large;
      for (const [columnId, index, value] of [
        ['crtext00', 'ttarget0_s_cttext00', 'Site 7f000000'],
        ['crnumb00', 'ttarget0_n_ctnumb00', 1_000],
        ['cruser00', 'ttarget0_s_ctuser00', 'Member'],
      ] as const) {
        for (const after of [undefined, { value, id: large.middleId }]) {
          const asked = {
            collection: 'tholder0',
            sort: { columnId },
            direction,
            ...(after === undefined ? {} : { after }),
          };
          const { text, params } = pageByReference(queryOf(asked), application, admin);
          const { Plan: plan } = (await large.explain(text, params)) as { Plan: Plan };
          const sorting = nodesOf(plan).find((node) => node['Node Type'] === 'Incremental Sort');
          assert.ok(sorting, shown(plan));
          assert.equal(sorting['Presorted Key']?.length, 1, shown(plan));
          assert.ok(indexesOf(sorting).includes(index), shown(plan));
          assert.ok(!typesOf(sorting).includes('Seq Scan'), shown(plan));
        }
      }
    });
  }

  it('finds equal values by an index', async () => {
    const cases = [
      ['Code="C-9e3779b1"', 'tlarge00_ccode000_key'],
      ['Title="Title 9e3779b1"', 'tlarge00_s_ctitle00'],
      ['Note="a rare zymurgist of 東京駅 00000007"', 'tlarge00_p_cnote000'],
      ['Number=35000', 'tlarge00_n_cnumb000'],
      ['Rate=31', 'tlarge00_n_crate000'],
      ['Day=2021-01-01', 'tlarge00_d_cday0000'],
      ['When="2020-06-01T10:30:00Z"', 'tlarge00_t_cwhen000'],
      ['Who=Member Number=35001', 'tlarge00_n_cnumb000'],
    ] as const;
    for (const [search, index] of cases) {
      await assertFound(index, { search });
      await assertFound(index, { search, direction: 'ascending', sort: { key: 'createdAt' } });
    }
  });

  it('finds what contains a term by the index of texts', async () => {
    for (const term of ['zymurgist', '東京', '9e3779', 'rare']) {
      for (const search of [`Note:${term} -Code:xyz`, `Note:"${term}"`]) {
        await assertFound('tlarge00_find', { search });
        await assertFound('tlarge00_find', { search, sort: { columnId: 'ctitle00' }, direction: 'ascending' });
        await assertFound('tlarge00_find', { search, caller: large.member });
      }
    }
    for (const search of ['zymurgist', '東京', 'rare zymurgist']) await assertFound('tlarge00_find', { search });
  });

  describe('a walk over all of them', () => {
    const assertWhole = async (order: Parameters, walk: 'skip' | 'after' | 'link') => {
      const seen = await walkAll(listerOf(large.scene, 'Large'), order, { walk, limit: 100 });
      assert.equal(seen.length, COUNT);
      assert.equal(new Set(seen).size, COUNT);
    };

    it('visits each once, by skip and behind the last record', async () => {
      const order = by('column', 'ascending', 'ctitle00');
      await Promise.all([assertWhole({}, 'skip'), assertWhole(order, 'link')]);
    });
  });
});
