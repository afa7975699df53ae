// Checking publish documents: each rule with a document that breaks it and one that does not, and all problems at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDocument, PROBLEMS_MAX } from '../../src/domain/definition/check.ts';

// The example of the documentation, with identifiers written out.
const EXAMPLE = {
  id: 'p00000000000000000000000001',
  name: 'Field inspections',
  organization: 'Acme',
  timeZone: 'Asia/Tokyo',
  plan: 'enterprise',
  limits: { 'records-read': 100000 },
  sharedUsersModeEnabled: false,
  teamsModeEnabled: true,
  pushNotificationsEnabled: true,
  activityLogEnabled: true,
  maxAttachmentBytes: 52428800,
  profiles: ['Standard'],
  teams: ['Tokyo', 'Osaka'],
  collections: [
    {
      id: 't0000001',
      name: 'Visits',
      readAccessType: 'everyone',
      writeAccessType: 'creatorOnly',
      columns: [
        { id: 'c0000001', name: 'Site', type: 'String', unique: false, sortable: true, searchable: true },
        { name: 'Tags', type: 'Array', scheme: { element: { type: 'String' } } },
      ],
    },
  ],
};

const withMembers = (members: object) => ({ name: 'App', collections: [], ...members });
const withColumns = (...columns: object[]) => withMembers({ collections: [{ name: 'Visits', columns }] });
const column = (members: object) => ({ name: 'Site', type: 'String', ...members });
const COLUMN = '/collections/0/columns/0';

function paths(document: unknown): string[] {
  const result = checkDocument(document);
  return 'problems' in result ? result.problems.map(({ path }) => path) : [];
}

test('the documented example and the smallest document pass and come back as they are', () => {
  for (const document of [EXAMPLE, { name: 'App', collections: [] }]) {
    assert.deepEqual(checkDocument(document), { document });
  }
});

test('examples in the schema pass the schema: the reference by name, keys, elements', () => {
  const document = withMembers({
    $schema: 'publish-document.schema.json',
    collections: [
      { name: 'Sites', columns: [{ name: 'Title', type: 'String' }] },
      {
        name: 'Visits',
        columns: [
          { name: 'Site', type: 'ReferenceString', scheme: { collection: 'Sites', column: 'Title' } },
          { name: 'Address', type: 'Object', scheme: { keys: [{ name: 'Street', type: 'String' }] } },
          { name: 'Tags', type: 'Array', scheme: { element: { type: 'String' } } },
        ],
      },
    ],
  });
  assert.deepEqual(checkDocument(document), { document });
});

const keysScheme = (...keys: object[]) => ({ keys });
const street = { name: 'Street', type: 'String' };

/** A rule: documents that break it with the places told, and documents that keep it. */
const RULES: { rule: string; breaks: [unknown, ...string[]][]; keeps: unknown[] }[] = [
  {
    rule: 'a document is an object with a name and collections',
    breaks: [
      [null, ''],
      [[], ''],
      ['x', ''],
      [{}, '/name', '/collections'],
    ],
    keeps: [withMembers({})],
  },
  {
    rule: 'members are known, everywhere',
    breaks: [
      [withMembers({ colour: 1, 'a/b~c': 2 }), '/colour', '/a~1b~0c'],
      [withColumns(column({ default: 1 })), `${COLUMN}/default`],
      [withMembers({ limits: { reads: 1 } }), '/limits/reads'],
      [withColumns(column({ type: 'Object', scheme: { keys: [{ ...street, x: 1 }] } })), `${COLUMN}/scheme/keys/0/x`],
    ],
    keeps: [withMembers({ $schema: 'https://example.org/publish-document.schema.json' })],
  },
  {
    rule: 'identifiers have their form',
    breaks: [
      [withMembers({ id: 'p1' }), '/id'],
      [withMembers({ id: 'P00000000000000000000000001' }), '/id'],
      [withMembers({ collections: [{ id: 'c0000001', name: 'A', columns: [] }] }), '/collections/0/id'],
      [withColumns(column({ id: 't0000001' })), `${COLUMN}/id`],
      [withColumns(column({ id: 'c0000001\n' })), `${COLUMN}/id`],
    ],
    keeps: [EXAMPLE],
  },
  {
    rule: 'names are text that a person can read',
    breaks: [
      [withMembers({ name: '' }), '/name'],
      [withMembers({ name: ' \t ' }), '/name', '/name'],
      [withMembers({ name: 'a\u0000' }), '/name'],
      [withMembers({ name: 'a\ud800' }), '/name'],
      [withMembers({ name: 'a\u0085b' }), '/name'],
      [withMembers({ name: 'x'.repeat(201) }), '/name'],
      [withMembers({ name: 7 }), '/name'],
      [withMembers({ name: null }), '/name'],
      [withMembers({ teams: ['a\n'], profiles: [' '] }), '/profiles/0', '/teams/0'],
      [withMembers({ collections: [{ name: ' ', columns: [] }] }), '/collections/0/name'],
      [withColumns(column({ name: '\u007f' })), `${COLUMN}/name`],
      [
        withColumns(column({ type: 'Object', scheme: keysScheme({ name: ' ', type: 'Date' }) })),
        `${COLUMN}/scheme/keys/0/name`,
      ],
    ],
    keeps: [withMembers({ name: '点検 🏗️' }), withMembers({ name: '😀'.repeat(200) })],
  },
  {
    rule: 'an organization is addressable',
    breaks: [
      [withMembers({ organization: 'x'.repeat(65) }), '/organization'],
      [withMembers({ organization: '..' }), '/organization'],
      [withMembers({ organization: '' }), '/organization'],
    ],
    keeps: [withMembers({ organization: 'A. & B./C' })],
  },
  {
    rule: 'the time zone exists',
    breaks: [
      [withMembers({ timeZone: 'Mars/Olympus' }), '/timeZone'],
      [withMembers({ timeZone: '+09:00' }), '/timeZone'],
      [withMembers({ timeZone: 9 }), '/timeZone'],
    ],
    keeps: [withMembers({ timeZone: 'UTC' }), withMembers({ timeZone: 'America/Argentina/Ushuaia' })],
  },
  {
    rule: 'plan and limits',
    breaks: [
      [withMembers({ plan: 'gold' }), '/plan'],
      [withMembers({ limits: { 'records-read': -1 } }), '/limits/records-read'],
      [withMembers({ limits: { 'records-read': 1.5 } }), '/limits/records-read'],
      [withMembers({ limits: { 'records-read': 2e9 } }), '/limits/records-read'],
    ],
    keeps: [withMembers({ plan: 'custom', limits: { 'management-write': 0 } })],
  },
  {
    rule: 'switches are booleans and the attachment size is a positive number of bytes',
    breaks: [
      [withMembers({ activityLogEnabled: 'yes' }), '/activityLogEnabled'],
      [withMembers({ maxAttachmentBytes: 0 }), '/maxAttachmentBytes'],
      [withMembers({ maxAttachmentBytes: '50 MB' }), '/maxAttachmentBytes'],
    ],
    keeps: [withMembers({ activityLogEnabled: true, maxAttachmentBytes: 1 })],
  },
  {
    rule: 'profiles and teams do not repeat, and there is a profile',
    breaks: [
      [withMembers({ profiles: [] }), '/profiles'],
      [withMembers({ profiles: ['A', 'A'] }), '/profiles/1'],
      [withMembers({ teams: ['A', 'B', 'A', 'B'] }), '/teams/2', '/teams/3'],
      [withMembers({ teams: Array.from({ length: 1001 }, (_, i) => `T${i}`) }), '/teams'],
    ],
    keeps: [withMembers({ profiles: ['A', 'a'], teams: ['A'] })],
  },
  {
    rule: 'team mode has teams',
    breaks: [
      [withMembers({ teamsModeEnabled: true }), '/teams'],
      [withMembers({ teamsModeEnabled: true, teams: [] }), '/teams'],
      [withMembers({ teamsModeEnabled: true, teams: 'Tokyo' }), '/teams'],
    ],
    keeps: [withMembers({ teamsModeEnabled: true, teams: ['Tokyo'] }), withMembers({ teams: ['Tokyo'] })],
  },
  {
    rule: 'an ID stands once in the application',
    breaks: [
      [
        withMembers({
          collections: [
            { id: 't0000001', name: 'A', columns: [column({ id: 'c0000001' })] },
            { id: 't0000001', name: 'B', columns: [column({ id: 'c0000001' })] },
          ],
        }),
        '/collections/1/id',
        '/collections/1/columns/0/id',
      ],
    ],
    keeps: [withColumns(column({ id: 'c0000001' }), column({ id: 'c0000002', name: 'B' }))],
  },
  {
    rule: 'collections have names of their own',
    breaks: [
      [
        withMembers({
          collections: [
            { id: 't0000001', name: 'A', columns: [] },
            { id: 't0000002', name: 'A', columns: [] },
          ],
        }),
        '/collections/1/name',
      ],
    ],
    keeps: [
      withMembers({
        collections: [
          { name: 'A', columns: [] },
          { name: 'a', columns: [] },
        ],
      }),
    ],
  },
  {
    rule: 'columns share a name only where each has an ID',
    breaks: [
      [withColumns(column({}), column({})), `${COLUMN}/name`, '/collections/0/columns/1/name'],
      [withColumns(column({}), column({ id: 'c0000001' })), `${COLUMN}/name`],
    ],
    keeps: [
      withColumns(column({ id: 'c0000001' }), column({ id: 'c0000002' })),
      withMembers({
        collections: [
          { name: 'A', columns: [column({})] },
          { name: 'B', columns: [column({})] },
        ],
      }),
    ],
  },
  {
    rule: 'types and access types are known',
    breaks: [
      [withColumns(column({ type: 'Text' })), `${COLUMN}/type`],
      [withColumns({ name: 'A' }), `${COLUMN}/type`],
      [
        withMembers({ collections: [{ name: 'A', readAccessType: 'all', columns: [] }] }),
        '/collections/0/readAccessType',
      ],
    ],
    keeps: [EXAMPLE],
  },
  {
    rule: 'a scheme stands exactly where the type has one',
    breaks: [
      [withColumns(column({ scheme: keysScheme(street) })), `${COLUMN}/scheme`],
      [withColumns(column({ scheme: {} })), `${COLUMN}/scheme`],
      [withColumns(column({ type: 'Object' })), `${COLUMN}/scheme`],
      [withColumns(column({ type: 'Array' })), `${COLUMN}/scheme`],
      [withColumns(column({ type: 'ReferenceUser' })), `${COLUMN}/scheme`],
      [withColumns(column({ type: 'Object', scheme: [] })), `${COLUMN}/scheme`],
      [withColumns(column({ type: 'ReferenceUser', scheme: [] })), `${COLUMN}/scheme`],
      [withColumns(column({ type: 'ReferenceUser', scheme: null })), `${COLUMN}/scheme`],
    ],
    keeps: [withColumns(column({ type: 'Object', scheme: keysScheme(street) }))],
  },
  {
    rule: 'the keys of an Object are different, named and simple',
    breaks: [
      [withColumns(column({ type: 'Object', scheme: keysScheme() })), `${COLUMN}/scheme/keys`],
      [withColumns(column({ type: 'Object', scheme: keysScheme(street, street) })), `${COLUMN}/scheme/keys/1/name`],
      [
        withColumns(column({ type: 'Object', scheme: keysScheme({ name: '', type: 'Array' }) })),
        `${COLUMN}/scheme/keys/0/name`,
        `${COLUMN}/scheme/keys/0/type`,
      ],
      [
        withColumns(column({ type: 'Object', scheme: keysScheme({ name: '__proto__', type: 'Date' }) })),
        `${COLUMN}/scheme/keys/0/name`,
      ],
    ],
    keeps: [withColumns(column({ type: 'Object', scheme: keysScheme(street, { name: 'constructor', type: 'User' }) }))],
  },
  {
    rule: 'elements of an Array are simple, or Objects with keys',
    breaks: [
      [withColumns(column({ type: 'Array', scheme: { element: { type: 'Array' } } })), `${COLUMN}/scheme/element/type`],
      [
        withColumns(column({ type: 'Array', scheme: { element: { type: 'ReferenceString' } } })),
        `${COLUMN}/scheme/element/type`,
      ],
      [
        withColumns(column({ type: 'Array', scheme: { element: { type: 'Object' } } })),
        `${COLUMN}/scheme/element/scheme`,
      ],
      [
        withColumns(column({ type: 'Array', scheme: { element: { type: 'Date', scheme: keysScheme(street) } } })),
        `${COLUMN}/scheme/element/scheme`,
      ],
      [
        withColumns(
          column({ type: 'Array', scheme: { element: { type: 'Object', scheme: keysScheme(street, street) } } }),
        ),
        `${COLUMN}/scheme/element/scheme/keys/1/name`,
      ],
      [withColumns(column({ type: 'Array', scheme: {} })), `${COLUMN}/scheme/element`],
    ],
    keeps: [
      withColumns(column({ type: 'Array', scheme: { element: { type: 'Object', scheme: keysScheme(street) } } })),
    ],
  },
  {
    rule: 'flags go with types that can bear them',
    breaks: [
      [withColumns(column({ type: 'Boolean', unique: true })), `${COLUMN}/unique`],
      [withColumns(column({ type: 'Attachment', unique: true })), `${COLUMN}/unique`],
      [
        withColumns(column({ type: 'Location', unique: true, sortable: true })),
        `${COLUMN}/unique`,
        `${COLUMN}/sortable`,
      ],
      [
        withColumns(column({ type: 'Array', scheme: { element: { type: 'String' } }, sortable: true })),
        `${COLUMN}/sortable`,
      ],
      [withColumns(column({ unique: 1 })), `${COLUMN}/unique`],
    ],
    keeps: [
      withColumns(
        column({ unique: true, sortable: true, searchable: true }),
        column({ name: 'Done', type: 'Boolean', sortable: true, searchable: true }),
        column({ name: 'Where', type: 'Location', searchable: true, unique: false }),
        column({ name: 'Who', type: 'User', unique: true }),
        column({ name: 'See', type: 'ReferenceUser', scheme: { collection: 'Visits', column: 'Who' }, unique: true }),
      ),
    ],
  },
];

for (const { rule, breaks, keeps } of RULES) {
  test(rule, () => {
    for (const [document, ...expected] of breaks) {
      assert.deepEqual(paths(document).sort(), expected.sort(), JSON.stringify(checkDocument(document)));
    }
    for (const document of keeps) assert.deepEqual(checkDocument(document), { document });
  });
}

/** A collection to refer to, with IDs or without, and one that refers to it. */
function referring(options: { ids: boolean; type?: string; scheme: object }) {
  const id = (text: string) => (options.ids ? { id: text } : {});
  const sites = [
    { ...id('c0000001'), name: 'Title', type: 'String' },
    { ...id('c0000002'), name: 'Area', type: 'Number' },
    { ...id('c0000003'), name: 'Owner', type: 'User' },
  ];
  const site = { ...id('c0000009'), name: 'Site', type: options.type ?? 'ReferenceString', scheme: options.scheme };
  return withMembers({
    collections: [
      { ...id('t0000002'), name: 'Visits', columns: [site] },
      { ...id('t0000001'), name: 'Sites', columns: sites },
    ],
  });
}
const byIds = (columnId: string, collectionId = 't0000001') => ({ collectionId, columnId });
const byNames = (name: string, collection = 'Sites') => ({ collection, column: name });

test('a reference names a collection and a column of the document whose type fits', () => {
  const fitting = [
    ['ReferenceString', 'c0000001', 'Title'],
    ['ReferenceNumber', 'c0000002', 'Area'],
    ['ReferenceUser', 'c0000003', 'Owner'],
  ] as const;
  for (const [type, columnId, name] of fitting) {
    assert.deepEqual(paths(referring({ ids: true, type, scheme: byIds(columnId) })), []);
    assert.deepEqual(paths(referring({ ids: false, type, scheme: byNames(name) })), []);
    assert.deepEqual(paths(referring({ ids: true, type, scheme: { collection: 'Sites', columnId } })), []);
    for (const [otherType] of fitting.filter(([other]) => other !== type)) {
      assert.deepEqual(paths(referring({ ids: true, type: otherType, scheme: byIds(columnId) })), [
        `${COLUMN}/scheme/columnId`,
      ]);
      assert.deepEqual(paths(referring({ ids: false, type: otherType, scheme: byNames(name) })), [
        `${COLUMN}/scheme/column`,
      ]);
    }
  }
});

test('a reference to nothing, or to nothing certain, is told where it goes wrong', () => {
  const cases: [object, string][] = [
    [byIds('c0000001', 't9999999'), '/collectionId'],
    [byIds('c0000009'), '/columnId'],
    [byNames('Title', 'Nowhere'), '/collection'],
    [byNames('Nothing'), '/column'],
    [{ collectionId: 'nonsense', columnId: 'c0000001' }, '/collectionId'],
    [{ columnId: 'c0000001' }, ''],
    [{ collectionId: 't0000001' }, ''],
    [{ ...byIds('c0000001'), collection: 'Sites' }, ''],
  ];
  for (const [scheme, place] of cases) {
    const found = paths(referring({ ids: true, scheme }));
    assert.ok(found.includes(`${COLUMN}/scheme${place}`), `${JSON.stringify(scheme)}: ${found}`);
  }
  const twice = withColumns(
    { id: 'c0000001', name: 'A', type: 'String' },
    { id: 'c0000002', name: 'A', type: 'String' },
    { name: 'B', type: 'ReferenceString', scheme: byNames('A', 'Visits') },
  );
  assert.deepEqual(checkDocument(twice), {
    problems: [
      {
        path: '/collections/0/columns/2/scheme/column',
        reason: 'names more than one column of the collection "Visits"; refer by ID, such as c0000001 or c0000002',
      },
    ],
  });
});

test('an ID that the published application may know is left to be resolved', () => {
  assert.deepEqual(paths(referring({ ids: false, scheme: byIds('c0000001') })), []);
});

test('all problems are told at once, those of the schema with those of the rules', () => {
  const document = {
    name: ' ',
    plan: 'gold',
    teamsModeEnabled: true,
    timeZone: 'Nowhere',
    collections: [
      { name: 'A', columns: [{ name: 'X', type: 'Strin' }, { name: 'X', type: 'Location', sortable: true }, 5] },
      { name: 'A', columns: [{ name: 'R', type: 'ReferenceString', scheme: byNames('X', 'B') }], extra: 1 },
    ],
  };
  assert.deepEqual(
    paths(document).sort(),
    [
      '/name',
      '/plan',
      '/teams',
      '/timeZone',
      '/collections/0/columns/0/type',
      '/collections/0/columns/0/name',
      '/collections/0/columns/1/name',
      '/collections/0/columns/1/sortable',
      '/collections/0/columns/2',
      '/collections/1/name',
      '/collections/1/columns/0/scheme/collection',
      '/collections/1/extra',
    ].sort(),
  );
});

test('reasons are sentences about the place', () => {
  const reason = (document: unknown) => {
    const result = checkDocument(document);
    return 'problems' in result ? result.problems[0]?.reason : undefined;
  };
  assert.equal(reason({ collections: [] }), 'is missing');
  assert.equal(reason(withMembers({ name: null })), 'must be a text, not null');
  assert.equal(
    reason(withMembers({ plan: 'gold' })),
    'must be one of basic, premium, enterprise, custom or unlimited, not "gold"',
  );
  assert.equal(reason(withMembers({ id: 'p1' })), 'must be "p" and 26 characters of a-z and 0-9, not "p1"');
  assert.equal(reason(withColumns(column({ scheme: {} }))), 'is only for columns of type Object, Array or Reference');
  assert.equal(
    reason(referring({ ids: true, scheme: { columnId: 'c0000001' } })),
    'needs exactly one of "collectionId" and "collection"',
  );
  assert.equal(
    reason(withColumns(column({ type: 'Location', unique: true }))),
    'must be false for type Location; it is for String, Number, DateTime, Date, Time, User, ' +
      'ReferenceString, ReferenceNumber and ReferenceUser',
  );
});

test('a document of nonsense gets a bounded list of problems, soon', () => {
  const result = checkDocument({ name: 'A', collections: Array.from({ length: 50_000 }, () => 0) });
  assert.ok('problems' in result);
  assert.equal(result.problems.length, PROBLEMS_MAX);
  assert.equal(result.problems.at(-1)?.reason, 'has 49002 more problems');
  const many = Array.from({ length: 20_000 }, () => column({}));
  assert.ok('problems' in checkDocument(withColumns(...many)));
});

test('the bounds of lists hold at the bound and above it', () => {
  const collections = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `C${i}`, columns: [] }));
  assert.deepEqual(paths(withMembers({ collections: collections(200) })), []);
  assert.deepEqual(paths(withMembers({ collections: collections(201) })), ['/collections']);
  const columns = (count: number) => Array.from({ length: count }, (_, i) => column({ name: `C${i}` }));
  assert.deepEqual(
    [200, 201].map((n) => paths(withColumns(...columns(n)))),
    [[], ['/collections/0/columns']],
  );
  const keys = (count: number) =>
    keysScheme(...Array.from({ length: count }, (_, i) => ({ name: `K${i}`, type: 'Date' })));
  assert.deepEqual(paths(withColumns(column({ type: 'Object', scheme: keys(100) }))), []);
  assert.deepEqual(paths(withColumns(column({ type: 'Object', scheme: keys(101) }))), [`${COLUMN}/scheme/keys`]);
});
