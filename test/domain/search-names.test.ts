// Which column, key or metadata a name in a search means, and what is said of names that mean none.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Column } from '../../src/wire/applications.ts';
import { ask, read } from './search-setting.ts';

const flags = { unique: false, sortable: false, searchable: true };
const text = (id: string, name: string): Column => ({ id, name, type: 'String', ...flags });
const object = (id: string, name: string, keys: string[]): Column => ({
  id,
  name,
  type: 'Object',
  scheme: { keys: keys.map((key) => ({ name: key, type: 'String' })) },
  ...flags,
});

describe('names', () => {
  const cases: [query: string, expected: string][] = [
    ['Name=x', 'Name="x"'],
    ['"Name"=x', 'Name="x"'],
    ['$c0000001=x', 'Name="x"'],
    ['$createdAt=', 'not(everything)'],
    ['$createdBy=x', 'user($createdBy name=x)'],
    ['$updatedBy=x', 'user($updatedBy name=x)'],
    ['$updatedAt:2024-01-05', '$updatedAt[2024-01-05T00:00:00.000Z..2024-01-06T00:00:00.000Z)'],
    ['$id=x', '$id="x"'],
    ['$id:X', '$id~"x"'],
    ['$id>r0', '$id>"r0"'],
    ['Box.string=x', 'Box.string="x"'],
    ['"Box".string=x', 'Box.string="x"'],
    ['Box."string"=x', 'Box.string="x"'],
    ['"Box"."string"=x', 'Box.string="x"'],
    ['$c0000013.string=x', 'Box.string="x"'],
    ['$c0000013."string"=x', 'Box.string="x"'],
    ['Rows.string=x', 'Rows.string="x"'],
    // The ID says which of two columns with one name is meant.
    ['$c0000018=x', 'Twice="x"'],
    ['Twice=x', '0: 2 columns are called "Twice". Name the one that you mean by its ID: $c0000018, $c0000019'],
    ['a Twice.x=x', '2: 2 columns are called "Twice". Name the one that you mean by its ID: $c0000018, $c0000019'],
    ['$c0000019=1', '0: Column "Twice" is not searchable.'],
    ['Hidden=x', '0: Column "Hidden" is not searchable.'],
    ['😀 Hidden=', '2: Column "Hidden" is not searchable.'],
    ['name=x', '0: There is no column called "name". There is one called "Name".'],
    ['Nome=x', '0: There is no column called "Nome". Perhaps this is meant: Name=x'],
    [
      'Colour=x',
      '0: There is no column called "Colour". A text to look for that contains an operator has to be quoted.',
    ],
    ['10:30', '0: There is no column called "10". A text to look for that contains an operator has to be quoted.'],
    ['"$id"=x', '0: There is no column called "$id". Perhaps this is meant: $id=x'],
    [
      '"$c0000001"=x',
      '0: There is no column called "$c0000001". A text to look for that contains an operator has to be quoted.',
    ],
    ['"":x', '0: There is no column called "". A text to look for that contains an operator has to be quoted.'],
    [
      '$c7777777=x',
      '0: "$c7777777" is neither "$" and the ID of a column nor one of $createdAt, $updatedAt, $createdBy, $updatedBy, $id.',
    ],
    [
      '$createdat=x',
      '0: "$createdat" is neither "$" and the ID of a column nor one of $createdAt, $updatedAt, $createdBy, $updatedBy, $id.',
    ],
    ['$createdAt.x=x', '0: $createdAt has no keys.'],
    ['Name.x=x', '0: Column "Name" is a String and has no keys such as "x".'],
    ['Tags.x=x', '0: Column "Tags" is an Array of String and has no keys such as "x".'],
    ['Box.other=x', '0: Column "Box" has no key "other".'],
    ['Box.=x', '0: Column "Box" has no key "".'],
    ['"a"."b"."c"=x', '0: What is quoted is the whole name of a column or a whole key.'],
    ['a."b".c=x', '0: What is quoted is the whole name of a column or a whole key.'],
  ];
  for (const [query, expected] of cases) it(query, () => assert.equal(ask(query), expected));
});

describe('dots in names', () => {
  const columns = [
    text('c0000001', 'a.b'),
    object('c0000002', 'a', ['b', 'c', 'b.c', 'd.e', 'b.k.l']),
    object('c0000003', 'a.b.k', ['l', 'm']),
    text('c0000004', 'No.'),
    text('c0000005', '$price'),
    text('c0000006', 'constructor'),
  ];
  const field = (query: string): string => {
    const found = read(query, { columns });
    assert.ok(found.kind === 'text' && found.field.kind === 'column');
    const { column, key } = found.field;
    return key === undefined ? column.id : `${column.id} ${key}`;
  };
  const cases: [query: string, expected: string][] = [
    // A column called a.b comes before key b of column a.
    ['a.b=x', 'c0000001'],
    ['a.c=x', 'c0000002 c'],
    // Quotation marks and IDs say what is meant.
    ['"a.b"=x', 'c0000001'],
    ['"a".b=x', 'c0000002 b'],
    ['a."b"=x', 'c0000002 b'],
    ['"a"."b"=x', 'c0000002 b'],
    ['$c0000002.b=x', 'c0000002 b'],
    ['$c0000002.b.c=x', 'c0000002 b.c'],
    ['a.d.e=x', 'c0000002 d.e'],
    ['a."d.e"=x', 'c0000002 d.e'],
    ['"a".d.e=x', 'c0000002 d.e'],
    // The longest name of a column that leaves a key which exists.
    ['a.b.k.m=x', 'c0000003 m'],
    ['a.b.k.l=x', 'c0000003 l'],
    ['a."b.k.l"=x', 'c0000002 b.k.l'],
    ['a.b.c=x', 'c0000002 b.c'],
    ['No.=x', 'c0000004'],
    // What is neither an ID nor metadata is a name like any other.
    ['$price=x', 'c0000005'],
    ['"$price"=x', 'c0000005'],
    ['constructor=x', 'c0000006'],
  ];
  for (const [query, expected] of cases) it(query, () => assert.equal(field(query), expected));

  const mistakes: [query: string, expected: string][] = [
    ['a.b.z=x', '0: Column "a.b" is a String and has no keys such as "z".'],
    ['a.b.k.z=x', '0: Column "a.b.k" has no key "z".'],
    ['"a.b".k=x', '0: Column "a.b" is a String and has no keys such as "k".'],
    ['No=x', '0: There is no column called "No". Perhaps this is meant: No.=x'],
  ];
  for (const [query, expected] of mistakes) it(query, () => assert.equal(ask(query, { columns }), expected));
});
