// The rules of designing a definition: guessed types, where the diagram draws, changes and their undoing, and that a
// document becomes a design and the same document again.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { designOf, documentOf, newCollection, newColumn } from '../../console/src/design/design.ts';
import { dropped, freeName, shifted, typeChange, withColumn } from '../../console/src/design/edits.ts';
import { cleanName, guessColumns } from '../../console/src/design/guess.ts';
import { afterStep, begun } from '../../console/src/design/history.ts';
import { type Edge, layoutOf, NODE } from '../../console/src/design/layout.ts';
import { filledLines, lineNumber, linesOf } from '../../console/src/design/lines.ts';
import { placeOf, placesOf } from '../../console/src/design/problem-places.ts';
import { TEMPLATES } from '../../console/src/design/templates/templates.ts';
import { templateDocument } from '../../console/src/design/templates/words.ts';
import { checkDocument } from '../../src/domain/definition/check.ts';
import { SheetDate } from '../../src/moving/formats/table.ts';
import type { PublishDocument } from '../../src/wire/publish-document.ts';

const rowsOf = (...values: unknown[]) => values.map((value, index) => ({ line: index + 2, cells: [value] }));
const guessed = (...values: unknown[]) => guessColumns(['Column'], rowsOf(...values))[0]?.type;

describe('types are guessed from values', () => {
  const cases: readonly (readonly [string, readonly unknown[]])[] = [
    ['String', []],
    ['String', ['', undefined, null]],
    ['Number', ['1', '-2.5', '1e3', '']],
    ['Number', [1, 2.5]],
    ['Number', ['0', '1']],
    ['String', ['007', '8']],
    ['String', ['+81 3 1234 5678']],
    ['String', ['1234567890123456']],
    ['String', ['1,234']],
    ['Number', ['1,234,567']],
    ['Boolean', ['yes', 'No', 'TRUE']],
    ['Boolean', [true, false]],
    ['String', ['はい', 'いいえ']],
    ['Date', ['2026-01-31', '2026/2/1']],
    ['Date', ['31.1.2026']],
    ['Date', ['13/4/2026', '3/4/2026']],
    ['String', ['3/4/2026']],
    ['String', ['2026-02-30']],
    ['DateTime', ['2026-01-31 09:30', '2026-02-01']],
    ['DateTime', ['2026-01-31T09:30:00Z']],
    ['Date', [new SheetDate('date', '2026-01-31')]],
    ['Time', ['9:30', '23:59:59']],
    ['String', ['9:30', '25:00']],
    ['String', ['=1+1', '2']],
    ['String', [{ a: 1 }]],
  ];
  for (const [type, values] of cases) {
    it(`${type} of ${JSON.stringify(values)}`, () => assert.equal(guessed(...values), type));
  }

  it('makes unique only the first column that tells all rows apart', () => {
    const header = ['Note', 'Code', 'Name'];
    const rows = [
      ['same', 'A1', 'One'],
      ['same', 'A2', 'Two'],
    ].map((cells, index) => ({ line: index, cells }));
    assert.deepEqual(
      guessColumns(header, rows).map(({ unique }) => unique),
      [false, true, false],
    );
  });

  it('cleans names as the rules want them', () => {
    assert.equal(cleanName(' a\nb\u0000c '), 'a b c');
    assert.equal([...cleanName('長'.repeat(300))].length, 200);
  });
});

describe('the diagram', () => {
  const edges = (...pairs: readonly string[]): Edge[] => pairs.map((pair) => ({ from: pair[0]!, to: pair[1]! }));
  const xOf = (keys: string, ...pairs: readonly string[]) =>
    Object.fromEntries(layoutOf([...keys], edges(...pairs)).nodes.map(({ key, x }) => [key, x]));

  it('puts what is referred to on the right', () => {
    const x = xOf('abcd', 'ab', 'bc', 'ac', 'dc');
    assert.ok(x.a! < x.b! && x.b! < x.c! && x.d! < x.c!);
  });

  it('draws circles and references to oneself', () => {
    const x = xOf('abc', 'ab', 'bc', 'ca', 'aa');
    assert.equal(new Set(Object.values(x)).size, 3);
  });

  it('lays nothing over another, whatever refers to what', () => {
    const keys = Array.from({ length: 60 }, (_, index) => `k${index}`);
    const some = keys.flatMap((from, index) => [
      { from, to: keys[(index * 7 + 3) % 60]! },
      { from, to: keys[(index * 13 + 5) % 40]! },
    ]);
    const { nodes, width, height } = layoutOf(keys, some.slice(0, 70));
    assert.equal(nodes.length, 60);
    for (const one of nodes) {
      assert.ok(one.x >= 0 && one.y >= 0 && one.x + NODE.width <= width && one.y + one.height <= height);
      const over = nodes.filter(
        (other) =>
          Math.abs(one.x - other.x) < NODE.width && one.y < other.y + other.height && other.y < one.y + one.height,
      );
      assert.equal(over.length, 1);
    }
  });

  it('has no place for nothing', () => {
    assert.deepEqual(layoutOf([], []), { nodes: [], width: 0, height: 0 });
  });
});

describe('a document', () => {
  it('is the same after it was designed', () => {
    const document: PublishDocument = {
      name: 'All',
      id: `p${'a'.repeat(26)}`,
      teams: ['Tokyo'],
      limits: { 'records-read': 10 },
      collections: [
        {
          id: 'taaaaaaa',
          name: 'Sites',
          readAccessType: 'everyone',
          writeAccessType: 'creatorOnly',
          columns: [
            { id: 'caaaaaaa', name: 'Title', type: 'String', unique: true },
            { name: 'Parts', type: 'Object', scheme: { keys: [{ name: 'A', type: 'Number' }] } },
            {
              name: 'Many',
              type: 'Array',
              scheme: { element: { type: 'Object', scheme: { keys: [{ name: 'B', type: 'Date' }] } } },
            },
            { name: 'Texts', type: 'Array', scheme: { element: { type: 'String' } } },
            { name: 'Site', type: 'ReferenceString', scheme: { collectionId: 'taaaaaaa', columnId: 'caaaaaaa' } },
          ],
        },
      ],
    };
    assert.deepEqual(documentOf(designOf(document)), document);
  });

  it('follows a name that changes', () => {
    const first = designOf({
      name: 'x',
      collections: [
        { name: 'Sites', columns: [{ name: 'Title', type: 'String' }] },
        {
          name: 'Visits',
          columns: [{ name: 'Site', type: 'ReferenceString', scheme: { collection: 'Sites', column: 'Title' } }],
        },
      ],
    });
    const [sites] = first.collections;
    const renamed = withColumn(first, sites!.key, sites!.columns[0]!.key, { name: 'Name' });
    assert.deepEqual(documentOf(renamed).collections[1]?.columns[0]?.scheme, { collection: 'Sites', column: 'Name' });
  });

  for (const template of TEMPLATES) {
    for (const language of ['en', 'ja'] as const) {
      it(`of the template ${template.id} in ${language} keeps all rules`, () => {
        const document = templateDocument(template, language, 'Asia/Tokyo');
        assert.deepEqual(checkDocument(document), { document });
        assert.ok('document' in checkDocument(documentOf(designOf(document))));
      });
    }
  }
});

describe('changes of a design', () => {
  const items = ['a', 'b', 'c'].map((key) => ({ key, name: key }));
  const keysOf = (list: readonly { readonly key: string }[]) => list.map(({ key }) => key).join('');

  it('move by one place, and stay at the ends', () => {
    assert.equal(keysOf(shifted(items, 'b', -1)), 'bac');
    assert.equal(keysOf(shifted(items, 'b', 1)), 'acb');
    assert.equal(shifted(items, 'a', -1), items);
  });

  it('move beside another', () => {
    assert.equal(keysOf(dropped(items, new Set(['a']), { key: 'c', position: 'after' })), 'bca');
    assert.equal(keysOf(dropped(items, new Set(['c', 'b']), { key: 'a', position: 'before' })), 'bca');
    assert.equal(keysOf(dropped(items, new Set(['a']), { key: 'a', position: 'after' })), 'abc');
  });

  it('take off flags that a type cannot have', () => {
    const column = { ...newColumn('x'), unique: true, sortable: true };
    assert.deepEqual(typeChange(column, 'Location'), { type: 'Location', unique: false, sortable: false });
    assert.deepEqual(typeChange(column, 'Number'), { type: 'Number', unique: true, sortable: true });
  });

  it('give names that are free', () => {
    assert.equal(freeName('d', items), 'd');
    assert.equal(freeName('a', [...items, { key: 'x', name: 'a 2' }]), 'a 3');
  });

  it('are undone and redone, typing as one step', () => {
    let history = begun('');
    for (const [to, at] of [
      ['a', 0],
      ['ab', 100],
      ['abc', 5_000],
    ] as const) {
      history = afterStep(history, { kind: 'change', to, field: 'name', at });
    }
    history = afterStep(history, { kind: 'undo' });
    assert.equal(history.present, 'ab');
    history = afterStep(history, { kind: 'undo' });
    assert.equal(history.present, '');
    assert.equal(afterStep(history, { kind: 'undo' }), history);
    history = afterStep(afterStep(history, { kind: 'redo' }), { kind: 'redo' });
    assert.equal(history.present, 'abc');
  });
});

describe('problems of a design', () => {
  it('are found at their field and above it', () => {
    const places = placesOf([{ path: '/collections/0/columns/1/name', code: 'empty' }]);
    assert.equal(places.at('/collections/0/columns/1/name')?.code, 'empty');
    assert.equal(places.at('/collections/0/columns/1'), undefined);
    assert.ok(places.has('/collections/0') && !places.has('/collections/1'));
    const collection = { ...newCollection('Sites'), columns: [newColumn('A'), newColumn('B')] };
    const { names } = placeOf('/collections/0/columns/1/name', { settings: { name: 'x' }, collections: [collection] });
    assert.deepEqual(names, ['Sites', 'B']);
  });

  it('count lines with the empty ones', () => {
    const lines = linesOf('a\n\nb\n');
    assert.deepEqual(filledLines(lines), ['a', 'b']);
    assert.equal(lineNumber(lines, 1), 3);
  });
});
