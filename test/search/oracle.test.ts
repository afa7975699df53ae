// The oracle against the text of the search language: queries, records and answers written by hand.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { matches, problemOf } from './oracle/matches.ts';
import { LeftOpen } from './oracle/moments.ts';
import { compare, type Sort } from './oracle/order.ts';
import { and, bare, everything, ME, not, or, type Query, where } from './oracle/query.ts';
import { PLAIN, spell } from './oracle/spelling.ts';
import { type Caller, type Column, type Setting, type StoredRecord, type Value, World } from './oracle/world.ts';
import { Random } from './random.ts';

const keys = [
  { name: 'b', type: 'String' },
  { name: 'n', type: 'Number' },
  { name: 'flag', type: 'Boolean' },
] as const;
const searchable = true;
const refer = { collectionId: 'tother00', columnId: 'ctext000' };
const COLUMNS: readonly Column[] = [
  { id: 'ctitle00', name: 'Title', type: 'String', searchable },
  { id: 'cnum0000', name: 'Num', type: 'Number', searchable },
  { id: 'cbool000', name: 'Bool', type: 'Boolean', searchable },
  { id: 'cwhen000', name: 'When', type: 'DateTime', searchable },
  { id: 'cday0000', name: 'Day', type: 'Date', searchable },
  { id: 'cclock00', name: 'Clock', type: 'Time', searchable },
  { id: 'cplace00', name: 'Place', type: 'Location', searchable },
  { id: 'cwho0000', name: 'Who', type: 'User', searchable },
  { id: 'cobject0', name: 'a', type: 'Object', scheme: { keys }, searchable },
  { id: 'cdotted0', name: 'a.b', type: 'String', searchable },
  { id: 'ctags000', name: 'Tags', type: 'Array', scheme: { element: { type: 'String' } }, searchable },
  { id: 'cnums000', name: 'Nums', type: 'Array', scheme: { element: { type: 'Number' } }, searchable },
  {
    id: 'crows000',
    name: 'Rows',
    type: 'Array',
    scheme: { element: { type: 'Object', scheme: { keys } } },
    searchable,
  },
  { id: 'cref0000', name: 'Ref', type: 'ReferenceString', scheme: refer, searchable },
  { id: 'chidden0', name: 'Hidden', type: 'String' },
  { id: 'csame001', name: 'Same', type: 'String', searchable },
  { id: 'csame002', name: 'Same', type: 'String', searchable },
];
const ANA: Caller = { id: 'uana0000', name: 'Ana', admin: false };
const BOSS: Caller = { id: 'uboss000', name: 'Boss', admin: true };

const string = (value: string): Value => ({ type: 'String', value });
const text = (value: string) => ({ ctitle00: string(value) });
const number = (value: number) => ({ cnum0000: { type: 'Number', value } as const });
const when = (value: string) => ({ cwhen000: { type: 'DateTime', value } as const });
const day = (value: string) => ({ cday0000: { type: 'Date', value } as const });
const clock = (value: string) => ({ cclock00: { type: 'Time', value } as const });
const place = (latitude: number, longitude: number) => ({
  cplace00: { type: 'Location', latitude, longitude } as const,
});
const tags = (...values: string[]) => ({
  ctags000: { type: 'Array', value: values.map((value) => ({ type: 'String', value }) as const) } as const,
});
const nums = (...values: number[]) => ({
  cnums000: { type: 'Array', value: values.map((value) => ({ type: 'Number', value }) as const) } as const,
});
const inner = (b: string, n?: number) => ({
  type: 'Object' as const,
  value: {
    b: { type: 'String', value: b } as const,
    ...(n === undefined ? {} : { n: { type: 'Number', value: n } as const }),
  },
});
const object = (b: string, n?: number) => ({ cobject0: inner(b, n) });
const rows = (...values: ReturnType<typeof inner>[]) => ({ crows000: { type: 'Array', value: values } as const });
const bool = (value: boolean) => ({ cbool000: { type: 'Boolean', value } as const });
const who = ({ id, name }: Caller) => ({ cwho0000: { type: 'User', id, name } as const });
const ref = (recordId: string) => ({ cref0000: { type: 'ReferenceString', ...refer, recordId } as const });
const emptyObject = { cobject0: { type: 'Object', value: {} } as const };

const record = (id: string, values: StoredRecord['values'], by: Caller = BOSS): StoredRecord => ({
  id,
  createdAt: '2024-06-15T10:30:15.500Z',
  updatedAt: '2024-06-16T00:00:00.000Z',
  createdBy: { id: by.id, name: by.name },
  updatedBy: { id: BOSS.id, name: BOSS.name },
  values,
});

const world = new World([
  {
    id: 'tother00',
    name: 'Other',
    readAccessType: 'creatorOnly',
    writeAccessType: 'everyone',
    columns: [{ id: 'ctext000', name: 'Text', type: 'String' }],
  },
]);
world.put('tother00', record('rmine', { ctext000: string('Live') }, ANA));
world.put('tother00', record('rtheirs', { ctext000: string('Live') }));
world.put('tother00', record('rempty', {}, ANA));
const SETTING: Setting = {
  world,
  columns: COLUMNS,
  caller: ANA,
  zone: 'America/New_York',
  now: Date.parse('2024-03-31T12:00:00.000Z'),
};

/** Query, the values of a record, whether they match. */
type Row = readonly [Query, StoredRecord['values'], boolean];
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  'text contains, whatever the case': [
    [bare('LPH'), text('Alpha'), true],
    [bare('STRASSE'), text('Straße'), false],
    [bare('STRAẞE'), text('straße'), true],
    [bare('ΣΊΣΥΦΟΣ'), text('σίσυφος'), true],
    [bare('istanbul'), text('İstanbul'), false],
    [bare('I'), text('ı'), false],
    [bare('cafe\u0301'), text('CAF\u00C9'), true],
    [bare('cafe'), text('cafe\u0301'), false],
    [bare('京'), text('東京都'), true],
    [bare('100%_'), text('a 100%_ b'), true],
    [bare('%'), text('abc'), false],
    [bare('.'), text('abc'), false],
    [bare('\u0001'), text('a\u0001'), true],
    [bare('hidden'), { chidden0: string('hidden') }, false],
    [bare('bet'), tags('alpha', 'beta'), true],
    [bare('bet'), object('beta'), true],
    [bare('an'), who(ANA), true],
    [bare('uana'), who(ANA), false],
    [bare('Boss'), {}, false],
  ],
  'bare terms equal what can be counted': [
    [bare('5'), number(5), true],
    [bare('5.0'), number(5), true],
    [bare('5'), number(55), false],
    [bare('05'), number(5), false],
    [bare('true'), bool(true), false],
    [bare('2024-03-10'), day('2024-03-10'), true],
    [bare('2024-03-10'), when('2024-03-11T03:59:59.999Z'), true],
    [bare('today'), day('2024-03-31'), false],
    [bare('10:30'), clock('10:30:59'), true],
    [bare('35.68,139.76,5km'), place(35.68, 139.76), false],
  ],
  'exact text': [
    [where('ctitle00', '=', 'alpha'), text('Alpha'), false],
    [where('ctitle00', '=', 'cafe\u0301'), text('caf\u00E9'), false],
    [where('ctitle00', '!=', 'alpha'), {}, true],
    [where('ctitle00', '<', '\u{1F600}'), text('\uFF71'), true],
    [where('ctitle00', '>=', 'b'), text('B'), false],
    [where('ctitle00', '<=', 'ab'), text('a'), true],
    [where('ctitle00', '>', 'a'), {}, false],
  ],
  'values and none': [
    [where('ctitle00', '='), {}, true],
    [where('ctitle00', '='), text(''), false],
    [where('ctitle00', '!='), text(''), true],
    [where('ctitle00', '=', ''), text(''), true],
    [where('ctitle00', '=', ''), {}, false],
    [where('ctitle00', ':', ''), text(''), true],
    [where('cnum0000', ':', ''), number(0), true],
    [where('cnum0000', ':', ''), {}, false],
    [where('ctags000', '='), tags(), false],
    [where('cobject0', '='), emptyObject, false],
    [where('cobject0/n', '='), object('x'), true],
    [not(where('cnum0000', '<', '5')), {}, true],
  ],
  'numbers, Booleans': [
    [where('cnum0000', ':', '1e21'), number(1e21), true],
    [where('cnum0000', '>', '-5'), number(-2.5), true],
    [where('cnum0000', '!=', '5'), number(5), false],
    [where('cbool000', ':', 'true'), bool(true), true],
    [where('cbool000', '<', 'true'), bool(false), true],
    [where('cbool000', '>=', 'true'), bool(false), false],
  ],
  'dates stand for their span': [
    [where('cwhen000', '=', '2024-03-10'), when('2024-03-10T04:59:59.999Z'), false],
    [where('cwhen000', '=', '2024-03-10'), when('2024-03-10T05:00:00.000Z'), true],
    [where('cwhen000', '>', '2024-03-10'), when('2024-03-11T04:00:00.000Z'), true],
    [where('cwhen000', '=', '2024-11-03'), when('2024-11-04T04:59:59.999Z'), true],
    [where('cwhen000', '<=', '2024-11-03'), when('2024-11-04T05:00:00.000Z'), false],
    [where('cwhen000', '=', '2024-06-15T10:30'), when('2024-06-15T14:30:59.999Z'), true],
    [where('cwhen000', '=', '2024-06-15T10:30:00Z'), when('2024-06-15T10:30:00.999Z'), true],
    [where('cwhen000', '<', '2024-06-15T10:30Z'), when('2024-06-15T10:30:00.000Z'), false],
    [where('cwhen000', '=', '2024-06-15T16:00+05:30'), when('2024-06-15T10:30:30.000Z'), true],
    [where('cwhen000', '>=', 'today'), when('2024-03-31T04:00:00.000Z'), true],
    [where('cwhen000', '<', 'now-2h'), when('2024-03-31T09:59:59.999Z'), true],
    [where('cwhen000', '<', 'now-2h'), when('2024-03-31T10:00:00.000Z'), false],
    [where('cday0000', '=', 'now'), day('2024-03-31'), true],
    [where('cday0000', '=', 'today-1mo'), day('2024-02-29'), true],
    [where('cday0000', '=', '2024-01-31+1mo'), day('2024-02-29'), true],
    [where('cday0000', '=', '2024-02-29-1y'), day('2023-02-28'), true],
    [where('cday0000', '<', 'tomorrow-1w'), day('2024-03-25'), false],
    [where('cclock00', '<=', '10:30'), clock('10:30:59'), true],
    [where('cclock00', '>', '10:30:15'), clock('10:30:15'), false],
    [where('$createdAt', '=', '2024-06-15T10:30:15Z'), {}, true],
  ],
  'arrays by element, objects by key': [
    [where('ctags000', '=', 'beta'), tags('alpha', 'beta'), true],
    [where('ctags000', '!=', 'beta'), tags('alpha', 'beta'), false],
    [where('ctags000', '!=', 'beta'), tags(), true],
    [where('cnums000', '<', '0'), nums(5, -5), true],
    [and(where('cnums000', '>', '5'), where('cnums000', '<', '0')), nums(10, -5), true],
    [where('cobject0', ':', '5'), object('x', 5), true],
    [where('cobject0/b', ':', 'X'), object('x', 5), true],
    [where('crows000/n', '>=', '5'), rows(inner('x'), inner('y', 5)), true],
    [where('crows000/n', '='), rows(inner('x')), true],
    [where('crows000', ':', 'y'), rows(inner('x'), inner('Y')), true],
  ],
  'people, places, references': [
    [where('cwho0000', '=', ME), who(ANA), true],
    [where('cwho0000', '=', 'me'), who(ANA), false],
    [where('cwho0000', '!=', ME), {}, true],
    [where('cwho0000', '=', 'uboss000'), who(BOSS), true],
    [where('cwho0000', '=', 'boss'), who(BOSS), false],
    [where('cwho0000', ':', 'bos'), who(BOSS), true],
    [where('cwho0000', '<', 'Boss'), who(ANA), true],
    [where('$createdBy', '=', ME), {}, false],
    [where('$id', '=', 'r1'), {}, true],
    [where('cplace00', ':', '35.68,139.76,5km'), place(35.7, 139.79), true],
    [where('cplace00', ':', '35.68,139.76,3km'), place(35.7, 139.79), false],
    [where('cplace00', ':', '0,179.99,5km'), place(0, -179.99), true],
    [where('cref0000', ':', 'live'), ref('rmine'), true],
    [bare('live'), ref('rmine'), true],
    [where('cref0000', ':', 'live'), ref('rtheirs'), false],
    [where('cref0000', '='), ref('rtheirs'), true],
    [where('cref0000', '='), ref('rempty'), true],
    [where('cref0000', '!='), ref('rgone'), false],
  ],
  combinations: [
    [everything, {}, true],
    [and(bare('a'), bare('b')), text('ab'), true],
    [or(bare('x'), not(bare('a'))), text('ab'), false],
    [not(and(bare('a'), bare('x'))), text('ab'), true],
  ],
};

describe('the oracle of the search', () => {
  for (const [name, rowsOf] of Object.entries(ROWS)) {
    it(`matches: ${name}`, () => {
      for (const [query, values, expected] of rowsOf) {
        const found = problemOf(query, SETTING) ?? matches(query, record('r1', values), SETTING);
        assert.equal(found, expected, `${spell(query, COLUMNS, PLAIN)} on ${JSON.stringify(values)}`);
      }
    });
  }

  it('refuses', () => {
    const wrong: Query[] = [
      ...[where('ctitle00', ':'), where('ctitle00', '<'), where('chidden0', ':', 'x'), where('cnowhere', '=', 'x')],
      ...[where('cnum0000', '=', 'x'), where('cnum0000', '=', '05'), where('cnum0000', '=', '')],
      ...[where('cbool000', ':', 'yes'), where('cday0000', '=', '2024-02-30'), where('cclock00', ':', '24:00')],
      ...[where('cwhen000', '>', 'soon'), where('cplace00', '=', '1,2,3km'), where('cplace00', ':', '91,0,1km')],
      ...[
        where('cobject0', '<', 'x'),
        where('crows000', '>=', '5'),
        where('cobject0/none', '='),
        where('cnum0000/n', '='),
      ],
      and(bare('a'), not(where('cnums000', ':', 'x'))),
    ];
    for (const query of wrong) assert.ok(problemOf(query, SETTING), spell(query, COLUMNS, PLAIN));
    for (const open of ['2024-03-10T02:30', '2024-11-03T01:30', '2024-03-10+2h']) {
      assert.throws(() => problemOf(where('cwhen000', '=', open), SETTING), LeftOpen);
    }
  });

  it('sorts', () => {
    const order = (values: StoredRecord['values'][], sort: Omit<Sort, 'descending'>, descending = false) =>
      values
        .map((one, index) => record(`r${index}`, one))
        .sort((a, b) => compare(a, b, { ...sort, descending }, SETTING))
        .map(({ id }) => id.slice(1))
        .join('');
    const title = { key: 'column', columnId: 'ctitle00' } as const;
    const texts = [text('b'), {}, text('B'), text(''), text('\u{1F600}'), text('\uFF71'), text('b')];
    assert.equal(order(texts, title), '1320654');
    assert.equal(order(texts, title, true), '4560231');
    assert.equal(order([number(10), number(9), {}, number(-1)], { key: 'column', columnId: 'cnum0000' }), '2310');
    assert.equal(order([bool(true), bool(false), {}], { key: 'column', columnId: 'cbool000' }), '210');
    assert.equal(order([who(BOSS), who(ANA), {}], { key: 'column', columnId: 'cwho0000' }, true), '012');
    assert.equal(order([ref('rmine'), ref('rtheirs'), ref('rgone')], { key: 'column', columnId: 'cref0000' }), '120');
    assert.equal(order([{}, {}, {}], { key: 'createdBy' }, true), '210');
  });

  it('spells', () => {
    const plain = (query: Query) => spell(query, COLUMNS, PLAIN);
    assert.equal(plain(everything), '');
    assert.equal(plain(or(bare('a'), and(bare('b'), not(bare('OR'))))), 'a OR b NOT "OR"');
    assert.equal(plain(and(or(bare('a'), bare('-b')), bare('say "\\"'))), '(a OR "-b") "say \\"\\\\\\""');
    assert.equal(plain(not(not(bare('a')))), 'NOT (NOT a)');
    assert.equal(plain(where('cnum0000', '>', '-5')), 'Num>-5');
    assert.equal(plain(and(where('cwho0000', '=', ME), where('cwho0000', '=', 'me'))), 'Who=me Who="me"');
    assert.equal(plain(where('csame001', '!=')), '$csame001!=');
    assert.equal(plain(and(where('cobject0/b', '='), where('cobject0/n', '='))), '$cobject0.b= a.n=');
    assert.equal(plain(where('cdotted0', '=', '')), 'a.b=""');
    const query = and(or(bare('a'), where('cnum0000', '<', '5')), not(bare('b')));
    const random = new Random(1);
    const spellings = new Set(Array.from({ length: 200 }, () => spell(query, COLUMNS, random)));
    assert.ok(spellings.size > 50);
  });
});
