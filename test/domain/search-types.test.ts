// What each operator asks of each type of value. Dates and times are in search-dates.test.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ask, CALLER, COLUMNS, read } from './search-setting.ts';

function table(name: string, cases: [query: string, expected: string | RegExp][]): void {
  describe(name, () => {
    for (const [query, expected] of cases) {
      it(query, () => {
        if (typeof expected === 'string') assert.equal(ask(query), expected);
        else assert.match(ask(query), expected);
      });
    }
  });
}

table('everything and nothing', [
  ['', 'everything'],
  ['  ', 'everything'],
]);

table('logic', [
  ['Temp=1 Temp=2', 'and(Temp=1, Temp=2)'],
  ['Temp=1 OR Temp=2 Temp=3', 'or(Temp=1, and(Temp=2, Temp=3))'],
  ['NOT Temp=1', 'not(Temp=1)'],
  ['-Temp!=1', 'not(not(Temp=1))'],
]);

table('with and without a value', [
  ['Name=', 'not(present(Name))'],
  ['Name!=', 'present(Name)'],
  ['Name:""', 'present(Name)'],
  ['Temp=', 'not(present(Temp))'],
  ['Temp:""', 'present(Temp)'],
  ['Open:""', 'present(Open)'],
  ['Started:""', 'present(Started)'],
  ['Due!=', 'present(Due)'],
  ['At:""', 'present(At)'],
  ['Place=', 'not(present(Place))'],
  ['Place:""', 'present(Place)'],
  ['Owner=', 'not(present(Owner))'],
  ['Photo:""', 'present(Photo)'],
  ['Site=', 'not(present(Site))'],
  ['Price:""', 'present(Price)'],
  ['Box=', 'not(present(Box))'],
  ['Box!=', 'present(Box)'],
  ['Box:""', 'present(Box)'],
  ['Box.number=', 'not(present(Box.number))'],
  ['Box.number:""', 'present(Box.number)'],
  ['Rows!=', 'present(Rows)'],
  ['Rows.date!=', 'present(Rows.date)'],
  ['Tags=', 'not(present(Tags))'],
  ['$id:""', 'everything'],
  ['$createdBy!=', 'everything'],
]);

table('text', [
  ['Name:Foo', 'Name~"foo"'],
  ['Name:"Ärger im BÜRO"', 'Name~"ärger im büro"'],
  ['Name:A\u0308', 'Name~"ä"'],
  ['Name=Foo', 'Name="Foo"'],
  ['Name=A\u0308', 'Name="A\u0308"'],
  ['Name!=Foo', 'not(Name="Foo")'],
  ['Name<Foo', 'Name<"Foo"'],
  ['Name<=Foo', 'Name<="Foo"'],
  ['Name>Foo', 'Name>"Foo"'],
  ['Name>=Foo', 'Name>="Foo"'],
  ['Name=""', 'Name=""'],
  ['Name!=""', 'not(Name="")'],
  ['Name>""', 'Name>""'],
  ['Name=today', 'Name="today"'],
  ['Name=me', 'Name="me"'],
  ['Name=-5', 'Name="-5"'],
  ['Name="a \\"b\\" \\\\"', 'Name="a \\"b\\" \\\\"'],
  ['Photo:IMG', 'Photo~"img"'],
  ['Photo=IMG', 'Photo="IMG"'],
  ['Photo<b', 'Photo<"b"'],
  ['Tags:Foo', 'Tags~"foo"'],
  ['Tags=Foo', 'Tags="Foo"'],
  ['Tags!=Foo', 'not(Tags="Foo")'],
  ['Tags<b', 'Tags<"b"'],
  ['Site:Foo', 'Site~"foo"'],
  ['Site=Foo', 'Site="Foo"'],
  ['Site>=b', 'Site>="b"'],
  ['Box.string:Foo', 'Box.string~"foo"'],
  ['Rows.attachment=x', 'Rows.attachment="x"'],
]);

table('users', [
  ['Owner:Ann', 'Owner~"ann"'],
  ['Owner=Ann', 'user(Owner name=Ann)'],
  ['Owner!=Ann', 'not(user(Owner name=Ann))'],
  ['Owner=u1234567', 'user(Owner name=u1234567 id=u1234567)'],
  ['Owner="u1234567"', 'user(Owner name=u1234567 id=u1234567)'],
  ['Owner=u12345678', 'user(Owner name=u12345678)'],
  ['Owner=me', `user(Owner id=${CALLER})`],
  ['Owner!=me', `not(user(Owner id=${CALLER}))`],
  ['Owner="me"', 'user(Owner name=me)'],
  ['Owner:me', 'Owner~"me"'],
  ['Owner=ME', 'user(Owner name=ME)'],
  ['Owner<me', 'Owner<"me"'],
  ['Owner=""', 'user(Owner name=)'],
  ['Boss=me', `user(Boss id=${CALLER})`],
  ['Boss:Ann', 'Boss~"ann"'],
  ['Boss>=Ann', 'Boss>="Ann"'],
  ['$createdBy=me', `user($createdBy id=${CALLER})`],
  ['$updatedBy:Ann', '$updatedBy~"ann"'],
  ['Rows.user=me', `user(Rows.user id=${CALLER})`],
]);

table('numbers', [
  ['Temp:5', 'Temp=5'],
  ['Temp=5', 'Temp=5'],
  ['Temp!=5', 'not(Temp=5)'],
  ['Temp>-5', 'Temp>-5'],
  ['Temp<=1.5e3', 'Temp<=1500'],
  ['Temp="5"', 'Temp=5'],
  ['Temp=-0', 'Temp=0'],
  ['Temp=1E-2', 'Temp=0.01'],
  ['Temp=9007199254740993', 'Temp=9007199254740992'],
  ['Price<5', 'Price<5'],
  ['Sizes=5', 'Sizes=5'],
  ['Sizes>5', 'Sizes>5'],
  ['Box.number>=5', 'Box.number>=5'],
  ...['+5', '05', '5.', '.5', '1e', '0x10', 'Infinity', 'NaN', '1e400', '1_000', '1,5', '５', ' 5', ''].map(
    (term): [string, RegExp] => [
      `Temp="${term}"`,
      /^5: Column "Temp" is a Number, which ".*" does not fit: it takes a number as JSON writes it, such as 12, -0\.5 or 1e6\.$/,
    ],
  ),
  ['Sizes=x', /^6: Column "Sizes" is an Array of Number, which "x" does not fit/],
  ['Price=x', /^6: Column "Price" is a ReferenceNumber, which "x" does not fit/],
  ['Rows.number=x', /^12: Key "number" of column "Rows" is a Number, which "x" does not fit/],
]);

table('Booleans', [
  ['Open:true', 'Open=true'],
  ['Open=false', 'Open=false'],
  ['Open="true"', 'Open=true'],
  ['Open!=true', 'not(Open=true)'],
  ['Open<true', 'Open<true'],
  ['Open>=false', 'Open>=false'],
  ['Open:True', /^5: Column "Open" is a Boolean, which "True" does not fit: it takes true or false\.$/],
  ['Open:1', /^5: /],
  ['Open=""', /^5: /],
]);

table('locations', [
  ['Place:"35.68,139.76,5km"', 'near(Place 35.68 139.76 5000)'],
  ['Place:35.68,139.76,5km', 'near(Place 35.68 139.76 5000)'],
  ['Place:-90,180,0m', 'near(Place -90 180 0)'],
  ['Place:" -1.5 , 2e1 , 1.5 km "', 'near(Place -1.5 20 1500)'],
  ['Place:1,2,1e3m', 'near(Place 1 2 1000)'],
  ['Box.location:1,2,3m', 'near(Box.location 1 2 3)'],
  ['Place:90.1,0,1m', /^6: .* the latitude must be from -90 to 90; it is 90\.1\.$/],
  ['Place:0,-181,1m', /^6: .* the longitude must be from -180 to 180; it is -181\.$/],
  ['Place:0,0,-1m', /^6: .* the distance must be a finite number from 0 on\.$/],
  ['Place:0,0,1e308km', /^6: .* the distance must be a finite number/],
  ...['0,0', '0,0,1', '0,0,1mi', '0,0,km', '0,0,1m,2', 'x,0,1m', '0,0,1 000m', '0,0,1KM', 'Tokyo'].map(
    (term): [string, RegExp] => [`Place:"${term}"`, /^6: .* it takes latitude, longitude and a distance in m or km/],
  ),
  ['Place=0,0,1m', /^6: .* it can only be asked for with ":"\.$/],
  ['Place<0,0,1m', /only be asked for with ":"/],
  ['Place=""', /only be asked for with ":"/],
]);

table('Objects', [
  ['Box:Foo', 'Box.string|Box.user|Box.attachment~"foo"'],
  ['Box:5', 'or(Box.string|Box.user|Box.attachment~"5", Box.number=5)'],
  // Behind an operator, so a date for the keys that hold dates.
  [
    'Box:today',
    'or(Box.string|Box.user|Box.attachment~"today", ' +
      'Box.datetime[2024-05-15T00:00:00.000Z..2024-05-16T00:00:00.000Z), Box.date[2024-05-15..2024-05-16))',
  ],
  [
    'Box:2024-01-05',
    'or(Box.string|Box.user|Box.attachment~"2024-01-05", ' +
      'Box.datetime[2024-01-05T00:00:00.000Z..2024-01-06T00:00:00.000Z), Box.date[2024-01-05..2024-01-06))',
  ],
  ['Box:true', 'Box.string|Box.user|Box.attachment~"true"'],
  ['Rows:5', 'or(Rows.string|Rows.user|Rows.attachment~"5", Rows.number=5)'],
  ['Rows.number>5', 'Rows.number>5'],
  ['Box=5', '0: Column "Box" is an Object; "=" needs one of its keys after a dot.'],
  ['a Box!=5', '2: Column "Box" is an Object; "!=" needs one of its keys after a dot.'],
  ['Rows<5', '0: Column "Rows" is an Array of Object; "<" needs one of its keys after a dot.'],
  ['Box=""', '0: Column "Box" is an Object; "=" needs one of its keys after a dot.'],
]);

const TEXTS = 'Name|Owner|Photo|Box.string|Box.user|Box.attachment|Tags|Rows.string|Rows.user|Rows.attachment|Twice';
const withTexts = (term: string, ...others: string[]) =>
  `or(${[`${TEXTS}~${JSON.stringify(term)}`, `Site~${JSON.stringify(term)}`, `Boss~${JSON.stringify(term)}`, ...others].join(', ')})`;

table('bare terms', [
  ['Foo', withTexts('foo')],
  ['"Foo bar"', withTexts('foo bar')],
  ['""', withTexts('')],
  ['true', withTexts('true')],
  ['today', withTexts('today')],
  ['me', withTexts('me')],
  ['5', withTexts('5', 'Temp=5', 'Price=5', 'Box.number=5', 'Sizes=5', 'Rows.number=5')],
  ['"5"', withTexts('5', 'Temp=5', 'Price=5', 'Box.number=5', 'Sizes=5', 'Rows.number=5')],
  ['-5', `not(${withTexts('5', 'Temp=5', 'Price=5', 'Box.number=5', 'Sizes=5', 'Rows.number=5')})`],
  ['"-5"', withTexts('-5', 'Temp=-5', 'Price=-5', 'Box.number=-5', 'Sizes=-5', 'Rows.number=-5')],
  [
    '2024-01-05',
    withTexts(
      '2024-01-05',
      'Started[2024-01-05T00:00:00.000Z..2024-01-06T00:00:00.000Z)',
      'Due[2024-01-05..2024-01-06)',
      'Box.datetime[2024-01-05T00:00:00.000Z..2024-01-06T00:00:00.000Z)',
      'Box.date[2024-01-05..2024-01-06)',
      'Rows.datetime[2024-01-05T00:00:00.000Z..2024-01-06T00:00:00.000Z)',
      'Rows.date[2024-01-05..2024-01-06)',
    ),
  ],
  [
    '"10:30"',
    withTexts('10:30', 'At[10:30:00..10:31:00)', 'Box.time[10:30:00..10:31:00)', 'Rows.time[10:30:00..10:31:00)'),
  ],
  // What only looks like a number or a date is a text.
  ['1e999', withTexts('1e999')],
  ['2024-02-30', withTexts('2024-02-30')],
  ['0000-01-01', withTexts('0000-01-01')],
  ['"24:00"', withTexts('24:00')],
  ['1,2,3km', withTexts('1,2,3km')],
]);

describe('bare terms where little is searchable', () => {
  const only = (name: string) => COLUMNS.filter((column) => column.name === name);
  it('nothing without a column that could match', () => {
    for (const name of ['Hidden', 'Open', 'Place']) assert.equal(ask('true', { columns: only(name) }), 'nothing');
    assert.equal(ask('x', { columns: only('Temp') }), 'nothing');
    assert.equal(ask('x', { columns: [] }), 'nothing');
    assert.equal(ask('NOT x', { columns: [] }), 'not(nothing)');
  });

  it('a single leaf stands alone', () => {
    assert.equal(ask('5', { columns: only('Temp') }), 'Temp=5');
    assert.equal(ask('5', { columns: only('Site') }), 'Site~"5"');
  });

  it('an Array of Objects without keys has nothing to find', () => {
    const columns = [{ ...only('Rows')[0]!, scheme: { element: { type: 'Object' } } }] as never;
    assert.equal(ask('Rows:x', { columns }), 'nothing');
    assert.equal(ask('x', { columns }), 'nothing');
  });

  it('columns may come from any iterable', () => {
    assert.equal(read('', { columns: new Set(COLUMNS) as never }).kind, 'everything');
  });
});
