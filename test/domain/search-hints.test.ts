// What is said of queries that can be read and find nothing, and of names that lack their quotation marks.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hintFor } from '../../src/domain/search/hints.ts';
import { headerText } from '../../src/http/replies/reply.ts';
import { ask, COLUMNS } from './search-setting.ts';

const flags = { unique: false, sortable: false, searchable: true };
const NAMES = ['Price per day', 'Size (cm)', 'A "B"', '東京 都', '-x', 'day', 'OR'];
const NAMED = [
  ...COLUMNS,
  ...NAMES.map((name, at) => ({ id: `c100000${at}`, name, type: 'Number' as const, ...flags })),
];

describe('the hint for a search that finds nothing', () => {
  for (const [query, expected] of [
    [
      'Name=Cargo,Tandem',
      '"Cargo,Tandem" is one text, commas included; for any of several write (Name=Cargo OR Name=Tandem)',
    ],
    ['Tags:a,b,', '"a,b," is one text, commas included; for any of several write (Tags:a OR Tags:b)'],
    ['Box.string=a,b', '"a,b" is one text, commas included; for any of several write (Box.string=a OR Box.string=b)'],
    [`Name:'Chain slipped'`, `' is an ordinary character; texts are quoted with "`],
    ['Temp>1 Name=“Chain”', '“ is an ordinary character; texts are quoted with "'],
    [`'roof tiles'`, `' is an ordinary character; texts are quoted with "`],
    ['Name:B-00*', '* is an ordinary character; a part of a text is found without it: write Name:B-00'],
    ['Name=*B*0', '* is an ordinary character; a part of a text is found without it: write Name:B Name:0'],
    ['roof*', '* is an ordinary character; a part of a text is found without it: write roof'],
    ['*-001', '* is an ordinary character; a part of a text is found without it: write "-001"'],
    ['*-', '* is an ordinary character; a part of a text is found without it: write "-"'],
    ['Name:*AND', '* is an ordinary character; a part of a text is found without it: write Name:"AND"'],
    ['x*NOT', '* is an ordinary character; a part of a text is found without it: write x "NOT"'],
    ['Name=a,AND', '"a,AND" is one text, commas included; for any of several write (Name=a OR Name="AND")'],
    ['red|-blue', '"red|-blue" is one text, | included; for any of several write (red OR "-blue")'],
    ['OR~5', '~ is an ordinary character; what contains a text is found with a colon: write "OR":5'],
    // What would be refused is not suggested.
    ['Temp~warm', '~ is an ordinary character; what contains a text is found with a colon'],
    ['Hidden~x', '~ is an ordinary character; what contains a text is found with a colon'],
    [`${'x'.repeat(300)}*`, '* is an ordinary character; a part of a text is found without it'],
    [`Name=${'a,'.repeat(65)}`, `"${'a,'.repeat(40)}…" is one text, commas included`],
    ['Name:*', '* is an ordinary character; what has a value is found by Name!='],
    ['"Name":%', '% is an ordinary character; what has a value is found by "Name"!='],
    ['**', '* is an ordinary character; without a search the list has every record'],
    ['Name:%arg%', '% is an ordinary character; a part of a text is found without it: write Name:arg'],
    ['B-x%', '% is an ordinary character; a part of a text is found without it: write B-x'],
    [
      'Name=Cargo|Tandem',
      '"Cargo|Tandem" is one text, | included; for any of several write (Name=Cargo OR Name=Tandem)',
    ],
    ['red||blue', '"red||blue" is one text, | included; for any of several write (red OR blue)'],
    ['Name=Cargo & Due:2024', '& is a word to look for; the operator is AND'],
    ['Name=Cargo || Due:2024', '|| is a word to look for; the operator is OR'],
    ['name~Cargo', '~ is an ordinary character; what contains a text is found with a colon: write Name:Cargo'],
    ['Name=~Cargo', '~ is an ordinary character; what contains a text is found with a colon: write Name:Cargo'],
    ['Name=null', 'null is an ordinary text; what has no value is found by Name= with nothing after it'],
    ['Box.string:NULL', 'NULL is an ordinary text; what has no value is found by Box.string= with nothing after it'],
    ['Name IS NULL', 'IS NULL is text to look for; what has no value is found by Name= with nothing after it'],
    [
      'Temp=1 price per day is null',
      'IS NULL is text to look for; what has no value is found by "Price per day"= with nothing after it',
    ],
    ['Name is not null', 'IS NOT NULL is text to look for; what has a value is found by Name!= with nothing after it'],
    [
      '"Name" IS NOT NULL',
      'IS NOT NULL is text to look for; what has a value is found by Name!= with nothing after it',
    ],
    ['Due between 2023 and 2024', 'between is a word to look for; write Due>=2023 Due<=2024'],
    ['$createdAt BETWEEN 2023 AND 2024', 'between is a word to look for; write $createdAt>=2023 $createdAt<=2024'],
    ['Price per day between "1" and 2', 'between is a word to look for; write "Price per day">="1" "Price per day"<=2'],
    ['Name=Red Rocket', 'Rocket is a term of its own; a text with white space is quoted: write Name="Red Rocket"'],
    [
      'Temp=1 "Name"=😀 Rocket  7 Temp>1 x',
      'Rocket is a term of its own; a text with white space is quoted: write "Name"="😀 Rocket 7"',
    ],
    ['(Temp=1 OR Owner:kim*)', '* is an ordinary character; a part of a text is found without it: write Owner:kim'],
    ['roof or stairs', 'or is a word to look for; the operator is OR'],
    ['not Temp=1', 'not is a word to look for; the operator is NOT'],
  ] as const) {
    it(`of ${query}`, () => assert.equal(hintFor(query, NAMED), expected));
  }

  it('is none where nothing looks wrong', () => {
    for (const query of [
      '',
      'roof',
      'or',
      'Name=Cargo',
      'Name="Cargo,Tandem"',
      'Name:"B-00*"',
      `"it's"`,
      `Name:it's`,
      '"or" roof',
      'Name<a,b',
      'Place:35.6,139.7,5km',
      'Temp=1',
      '-Name=Cargo,Tandem',
      'NOT roof*',
      'Name:,',
      'Name=100%',
      'Name:100% 5%',
      'Name="null"',
      'Name<null',
      '"Name is null"',
      'this is null',
      'between us',
      'Name between us',
      'a~b',
      '~Name',
      '"a|b"',
      'Name=Red AND Rocket',
      'Name=Red "Rocket"',
      'Name:Red Rocket',
      'Temp=1 Rocket',
      'Name=Red -Rocket',
      'Name=',
      'Name!=*x',
      'Name<x*',
      'Hidden is null',
      'Twice is null',
      'Due between one, two',
    ]) {
      assert.equal(hintFor(query, NAMED), undefined, query);
    }
  });

  it('fits a header whatever it says, and can be read back', () => {
    for (const text of [hintFor('Name=東京,100%', NAMED)!, hintFor('Name=😀,é', NAMED)!, '%41\r\n']) {
      assert.match(headerText(text), /^[ -~]+$/);
      assert.equal(decodeURIComponent(headerText(text)), text);
    }
  });
});

describe('the name of a column without its quotation marks', () => {
  for (const [query, meant] of [
    ['Price per days<20 Price per day<20', '"Price per day"<20'],
    ['Price per day < 20', '"Price per day"<20'],
    ['Price per day< 20', '"Price per day"<20'],
    ['Price per day : 20', '"Price per day":20'],
    ['Price per day: 20', '"Price per day":20'],
    // `=` needs no term.
    ['Price per day= 20', '"Price per day"='],
    ['-Price per day=20', '-"Price per day"=20'],
    ['x NOT  Price per day=20', 'NOT "Price per day"=20'],
    ['Name:"x -x:y" Price per day:1', '"Price per day":1'],
    // Where the comparison could not be read either, the name alone.
    ['Price per day:', '"Price per day"'],
    ['Price per day:AND', '"Price per day"'],
    ['Price per day:1"2', '"Price per day"'],
    [`Price per day:${'1'.repeat(300)}`, '"Price per day"'],
    ['price per day<20', '"Price per day"<20'],
    ['(PRICE PER DAY>="2 0")', '"Price per day">="2 0"'],
    ['Size (cm)>5', '"Size (cm)">5'],
    ['A "B"=3', '"A \\\\"B\\\\""=3'],
    ['東京 都:1', '"東京 都":1'],
    ['(-x!=4', '"-x"!=4'],
  ] as const) {
    const columns = NAMED.filter(({ name }) => name !== 'day');
    it(`is named in the error of ${query}`, () => {
      const found = ask(query, { columns });
      assert.ok(found.endsWith(` The name of the column has to be quoted: ${meant.replaceAll('\\\\', '\\')}`), found);
    });
  }

  it('is no part of other errors', () => {
    for (const query of [
      '"Price per day"<x',
      '"Price per day"<20 (',
      'Size:3',
      'Price per day (',
      'Nothing=1',
      '"price per day"<20',
      'Name:"x Price per day:y" Temp:abc',
      'Temp:abc "x \\" Price per day:1"',
      'Temp:abc "Price per day:1',
      'Temp:abc xSize (cm)>5',
    ]) {
      const found = ask(query, { columns: NAMED });
      assert.match(found, /^\d+: /);
      assert.doesNotMatch(found, /has to be quoted: /, query);
    }
  });
});

describe('a name that resembles that of a column', () => {
  const columns = NAMED.filter(({ name }) => !['day', 'Price'].includes(name));
  for (const [query, meant] of [
    [`'Price per day'<20`, '"Price per day"<20'],
    ['red “price per day”<20', '"Price per day"<20'],
    ['Price<20', '"Price per day"<20'],
    ['(price per!=20)', '"Price per day"!=20'],
    ['Price per dya<20', '"Price per day"<20'],
    ['"Price per dya"<20', '"Price per day"<20'],
    ['red bike "Price per dya"<20', '"Price per day"<20'],
    [`${'xxx '.repeat(60)}Nam:red`, 'Name:red'],
    ['Size:3', '"Size (cm)":3'],
    ['Nam:red', 'Name:red'],
    ['-Nome=x', '-Name=x'],
    ['NOT Nome=x', 'NOT Name=x'],
    ['(-price per dya<20)', '-"Price per day"<20'],
    ['NOT “price per day”<20', 'NOT "Price per day"<20'],
    ['x -"Price per dya"<20', '-"Price per day"<20'],
    ['-red Price<20', '"Price per day"<20'],
    [`'Name':"red one" x`, 'Name:"red one"'],
    ['😀 Strated>2024', 'Started>2024'],
    ['createdAt>2024', '$createdAt>2024'],
    ['updatedat:today', '$updatedAt:today'],
    ['created>2024', '$createdAt>2024'],
    ['id=r1', '$id=r1'],
  ] as const) {
    it(`is named in the error of ${query.slice(-40)}`, () => {
      const found = ask(query, { columns });
      assert.ok(found.endsWith(` Perhaps this is meant: ${meant}`), found);
    });
  }

  it('is not assumed where none is near, or only one that cannot be searched', () => {
    for (const query of [
      'Colour:red',
      '10:30',
      'Hiden=x',
      'N=1',
      'http://x',
      '"":x',
      'a Prices of 10:30',
      `${'x'.repeat(200)}:1`,
    ]) {
      assert.match(ask(query, { columns }), /called "[^"]*"\. A text to look for|cannot stand|cannot follow/, query);
    }
  });
});
