// Resolving publish documents: defaults, identifiers, references, and that publishing the same again changes nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkDocument } from '../../src/domain/definition/check.ts';
import { diffDefinitions } from '../../src/domain/definition/diff.ts';
import { resolveDocument } from '../../src/domain/definition/resolve.ts';
import { applicationView } from '../../src/domain/definition/view.ts';
import type { IdSource } from '../../src/domain/ids.ts';
import type { Definition, PublishDocument } from '../../src/wire/publish-document.ts';

/** Counts, so that a test can say which identifier comes next. */
function countingIds(start = 0): IdSource {
  let count = start;
  const next = (length: number) => {
    count += 1;
    return String(count).padStart(length, '0');
  };
  return {
    long: (prefix) => prefix + next(26),
    short: (prefix) => prefix + next(7),
    uuid: () => `00000000-0000-7000-8000-${next(12)}`,
  };
}

function resolve(document: PublishDocument, current?: Definition, ids = countingIds()): Definition {
  const checked = checkDocument(document);
  assert.ok('document' in checked, JSON.stringify(checked));
  const resolved = resolveDocument(checked.document, current, ids);
  assert.ok(!('problems' in resolved), JSON.stringify(resolved));
  return resolved;
}

const VISITS: PublishDocument = {
  name: 'Inspections',
  collections: [
    {
      name: 'Visits',
      columns: [
        { name: 'Site', type: 'ReferenceString', scheme: { collection: 'Sites', column: 'Title' } },
        { name: 'Tags', type: 'Array', scheme: { element: { type: 'String' } } },
      ],
    },
    { name: 'Sites', readAccessType: 'creatorOnly', columns: [{ name: 'Title', type: 'String', sortable: true }] },
  ],
};

test('what is left out gets its default and an identifier; references by name become IDs', () => {
  const off = { unique: false, sortable: false, searchable: false };
  assert.deepEqual(resolve(VISITS), {
    id: 'p00000000000000000000000006',
    name: 'Inspections',
    organization: 'Default',
    timeZone: 'UTC',
    plan: 'unlimited',
    limits: {},
    sharedUsersModeEnabled: false,
    teamsModeEnabled: false,
    pushNotificationsEnabled: false,
    activityLogEnabled: false,
    maxAttachmentBytes: 52428800,
    allowedOrigins: [],
    profiles: ['Standard'],
    teams: [],
    collections: [
      {
        id: 't0000001',
        name: 'Visits',
        readAccessType: 'everyone',
        writeAccessType: 'everyone',
        columns: [
          {
            id: 'c0000002',
            name: 'Site',
            type: 'ReferenceString',
            scheme: { collectionId: 't0000004', columnId: 'c0000005' },
            ...off,
          },
          { id: 'c0000003', name: 'Tags', type: 'Array', scheme: { element: { type: 'String' } }, ...off },
        ],
      },
      {
        id: 't0000004',
        name: 'Sites',
        readAccessType: 'creatorOnly',
        writeAccessType: 'everyone',
        columns: [{ id: 'c0000005', name: 'Title', type: 'String', ...off, sortable: true }],
      },
    ],
  });
});

test('given identifiers and members are kept', () => {
  const id = 'pabcdefghijklmnopqrstuvwxyz';
  const document: PublishDocument = { ...VISITS, id, teams: ['A'], limits: { 'records-read': 0 }, plan: 'custom' };
  const resolved = resolve(document);
  assert.equal(resolved.id, id);
  assert.deepEqual([resolved.teams, resolved.limits, resolved.plan], [['A'], { 'records-read': 0 }, 'custom']);
});

test('new identifiers avoid those of the document and of the application, also of what is being removed', () => {
  const current = resolve({
    name: 'App',
    collections: [{ id: 't0000001', name: 'Old', columns: [{ id: 'c0000002', name: 'A', type: 'Date' }] }],
  });
  const document: PublishDocument = {
    name: 'App',
    collections: [
      { id: 't0000003', name: 'Given', columns: [{ id: 'c0000004', name: 'A', type: 'Date' }] },
      { name: 'New', columns: [{ name: 'A', type: 'Date' }] },
    ],
  };
  const repeating: IdSource = { ...countingIds(), short: countingIds().short };
  const next = resolve(document, current, repeating);
  const all = next.collections.flatMap((c) => [c.id, ...c.columns.map((column) => column.id)]);
  assert.deepEqual(all, ['t0000003', 'c0000004', 't0000002', 'c0000003']);
});

test('a source that only repeats itself is an error of ours', () => {
  const stuck: IdSource = { ...countingIds(), short: (prefix) => `${prefix}0000000` };
  const document: PublishDocument = {
    name: 'A',
    collections: [
      { name: 'A', columns: [] },
      { name: 'B', columns: [] },
    ],
  };
  assert.throws(() => resolveDocument(document, undefined, stuck), /No unused identifier/);
  const other = resolve({ ...document, id: 'p00000000000000000000000009' });
  assert.throws(() => resolveDocument({ ...document, id: 'p00000000000000000000000008' }, other, stuck), /resolved/);
});

test('an ID that the document states is not matched by its old name as well', () => {
  const current = resolve(VISITS);
  const [visits, sites] = current.collections;
  const next = resolve(
    {
      name: 'Inspections',
      collections: [
        { ...sites!, name: 'Places', columns: [{ ...sites!.columns[0]!, name: 'Label' }] },
        { name: 'Sites', columns: [{ name: 'Title', type: 'String' }] },
        { ...visits!, columns: [] },
      ],
    },
    current,
    countingIds(100),
  );
  assert.deepEqual(
    next.collections.map((c) => [c.id, c.name, ...c.columns.map((column) => column.id)]),
    [
      ['t0000004', 'Places', 'c0000005'],
      ['t0000101', 'Sites', 'c0000102'],
      ['t0000001', 'Visits'],
    ],
  );
});

test('a name that several published columns share does not say which is meant', () => {
  const column = (id: string) => ({ id, name: 'A', type: 'String' as const });
  const app = (columns: PublishDocument['collections'][number]['columns']): PublishDocument => ({
    name: 'App',
    collections: [{ name: 'C', columns }],
  });
  const current = resolve(app([column('c0000001'), column('c0000002')]), undefined, countingIds(10));
  assert.deepEqual(resolveDocument(app([{ name: 'A', type: 'String' }]), current, countingIds()), {
    problems: [
      {
        path: '/collections/0/columns/0/name',
        reason: 'matches several published columns; give it the "id" of one of them: c0000001 or c0000002',
      },
    ],
  });
  const renamed = { ...column('c0000001'), name: 'B' };
  const next = resolve(app([renamed, { name: 'A', type: 'String' }]), current);
  assert.deepEqual(
    next.collections[0]?.columns.map(({ id }) => id),
    ['c0000001', 'c0000002'],
  );
});

test('a reference by ID to a collection that is matched by name resolves; one to nothing is a problem', () => {
  const current = resolve(VISITS);
  const referring = (scheme: object): PublishDocument => {
    const [visits, sites] = VISITS.collections;
    return {
      ...VISITS,
      collections: [{ ...visits!, columns: [{ name: 'Site', type: 'ReferenceString', scheme }] }, sites!],
    };
  };
  const next = resolve(referring({ collectionId: 't0000004', columnId: 'c0000005' }), current);
  const [site] = next.collections[0]!.columns;
  assert.deepEqual(site, current.collections[0]!.columns[0]);
  assert.deepEqual(
    resolveDocument(referring({ collectionId: 't0000004', columnId: 'c0000009' }), current, countingIds()),
    {
      problems: [
        { path: '/collections/0/columns/0/scheme/columnId', reason: 'names no column of the collection "Sites"' },
      ],
    },
  );
  assert.deepEqual(
    resolveDocument(referring({ collectionId: 't0000004', columnId: 'c0000005' }), undefined, countingIds(50)),
    {
      problems: [
        { path: '/collections/0/columns/0/scheme/collectionId', reason: 'names no collection of this document' },
      ],
    },
  );
});

const columnArbitrary = fc.record(
  {
    type: fc.constantFrom('String', 'Number', 'User', 'Object', 'Array', 'ReferenceString', 'ReferenceUser'),
    name: fc.constantFrom('A', 'B', 'C', 'D', 'E'),
    sortable: fc.boolean(),
    searchable: fc.boolean(),
    keyTypes: fc.uniqueArray(fc.constantFrom('Date', 'Time', 'Location'), { minLength: 1 }),
    elementsAreObjects: fc.boolean(),
  },
  { requiredKeys: ['type', 'name', 'keyTypes', 'elementsAreObjects'] },
);

/** Documents without identifiers, among them references by name within and across collections. */
const documentArbitrary = fc
  .record(
    {
      name: fc.constantFrom('One', 'Two'),
      plan: fc.constantFrom('basic', 'custom'),
      teams: fc.uniqueArray(fc.constantFrom('T1', 'T2', 'T3')),
      limits: fc.record({ 'records-read': fc.nat(9) }, { requiredKeys: [] }),
      collections: fc.uniqueArray(
        fc.record({
          name: fc.constantFrom('X', 'Y', 'Z'),
          columns: fc.uniqueArray(columnArbitrary, { selector: ({ name }) => name }),
        }),
        { selector: ({ name }) => name },
      ),
    },
    { requiredKeys: ['name', 'collections'] },
  )
  .map((document) => ({
    ...document,
    collections: document.collections.map(({ name, columns }) => ({
      name,
      columns: [
        { name: 'Text', type: 'String' },
        { name: 'Person', type: 'User' },
        ...columns.map(({ keyTypes, elementsAreObjects, sortable, ...column }) => {
          const keys = { keys: keyTypes.map((type) => ({ name: `Key ${type}`, type })) };
          const target = document.collections[0]!.name;
          if (column.type === 'Object') return { ...column, scheme: keys };
          if (column.type === 'Array') {
            const element = elementsAreObjects ? { type: 'Object', scheme: keys } : { type: keyTypes[0] };
            return { ...column, scheme: { element } };
          }
          if (column.type === 'ReferenceString') return { ...column, scheme: { collection: target, column: 'Text' } };
          if (column.type === 'ReferenceUser') return { ...column, scheme: { collection: target, column: 'Person' } };
          return { ...column, ...(sortable === undefined ? {} : { sortable }) };
        }),
      ],
    })),
  })) as fc.Arbitrary<PublishDocument>;

test('publishing the same again, with identifiers or without, changes nothing', () => {
  fc.assert(
    fc.property(documentArbitrary, (document) => {
      const first = resolve(document);
      const ids = countingIds(1000);
      assert.deepEqual(resolve(document, first, ids), first);
      assert.deepEqual(resolve({ ...document, id: first.id }, first, ids), first);
      assert.deepEqual(resolve(first, first, ids), first);
      assert.deepEqual(resolve(first, undefined, ids), first);
      assert.deepEqual(diffDefinitions(first, resolve(first, first, ids)), []);
    }),
  );
});

test('there is a change exactly where definitions differ, and after it there is none', () => {
  fc.assert(
    fc.property(documentArbitrary, documentArbitrary, (one, other) => {
      const current = resolve(one);
      const next = resolve(other, current, countingIds(1000));
      const changes = diffDefinitions(current, next);
      assert.equal(changes.length === 0, isSame(current, next), JSON.stringify(changes));
      assert.deepEqual(diffDefinitions(next, resolve(other, next, countingIds(2000))), []);
    }),
  );
});

function isSame(one: unknown, other: unknown): boolean {
  try {
    assert.deepEqual(one, other);
    return true;
  } catch {
    return false;
  }
}

test('the interface shows its own members and no setting', () => {
  const definition = resolve(VISITS);
  const view = applicationView(definition, 3, 'https://example.org/v1/p');
  assert.deepEqual(Object.keys(view), [
    'id',
    'name',
    'version',
    'sharedUsersModeEnabled',
    'teamsModeEnabled',
    'url',
    'collections',
  ]);
  assert.deepEqual(view.collections, definition.collections);
  assert.equal(view.version, 3);
  assert.ok(!('scheme' in view.collections[1]!.columns[0]!));
});
