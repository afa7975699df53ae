// What publishing would change: one row per kind of change, with the sentence that people read.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffDefinitions } from '../../src/domain/definition/diff.ts';
import type { Collection, Column } from '../../src/wire/applications.ts';
import type { DefinitionChange } from '../../src/wire/operator.ts';
import type { Definition } from '../../src/wire/publish-document.ts';

const OFF = { unique: false, sortable: false, searchable: false };
const SITE: Column = { id: 'c0000001', name: 'Site', type: 'String', ...OFF };
const DAY: Column = { id: 'c0000002', name: 'Day', type: 'Date', ...OFF };
const street = { name: 'Street', type: 'String' } as const;
const floor = { name: 'Floor', type: 'Number' } as const;
const address = (...keys: { name: string; type: 'String' | 'Number' }[]): Column => ({
  ...{ id: 'c0000003', name: 'Address', ...OFF },
  type: 'Object',
  scheme: { keys },
});
const list = (type: 'String' | 'Number'): Column => ({
  ...{ id: 'c0000003', name: 'Tags', ...OFF },
  type: 'Array',
  scheme: { element: { type } },
});
const listOfObjects = (...keys: { name: string; type: 'String' | 'Number' }[]): Column => ({
  ...{ id: 'c0000003', name: 'Rooms', ...OFF },
  type: 'Array',
  scheme: { element: { type: 'Object', scheme: { keys } } },
});
const reference = (columnId: string): Column => ({
  ...{ id: 'c0000003', name: 'See', ...OFF },
  type: 'ReferenceString',
  scheme: { collectionId: 't0000001', columnId },
});

const collection = (members: Partial<Collection>): Collection => ({
  id: 't0000001',
  name: 'Visits',
  readAccessType: 'everyone',
  writeAccessType: 'everyone',
  columns: [],
  ...members,
});
const OTHER = collection({ id: 't0000002', name: 'Sites' });

const definition = (members: Partial<Definition>): Definition => ({
  id: 'p00000000000000000000000001',
  name: 'App',
  organization: 'Acme',
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
  collections: [],
  ...members,
});
const withCollections = (...collections: Collection[]) => definition({ collections });
const withColumns = (...columns: Column[]) => withCollections(collection({ columns }));

const inCollection = { collectionId: 't0000001' };
const inColumn = (columnId: string) => ({ ...inCollection, columnId });
const losesData = true;

type Row = [what: string, before: Definition | undefined, after: Definition, changes: DefinitionChange[]];
const settings = (before: Partial<Definition>, after: Partial<Definition>, ...texts: string[]): Row => [
  `settings: ${texts[0]}`,
  definition(before),
  definition(after),
  texts.map((text) => ({ kind: 'settings', text })),
];

const ROWS: Row[] = [
  [
    'a new application',
    undefined,
    withCollections(collection({ columns: [SITE] }), OTHER),
    [
      { kind: 'application.create', text: 'Application "App" is created.' },
      { kind: 'collection.add', text: 'Collection "Visits" is added with 1 column.', collectionId: 't0000001' },
      { kind: 'collection.add', text: 'Collection "Sites" is added with 0 columns.', collectionId: 't0000002' },
    ],
  ],
  ['nothing', withColumns(SITE, reference('c0000001')), withColumns(SITE, reference('c0000001')), []],
  [
    'another name',
    definition({}),
    definition({ name: 'New' }),
    [{ kind: 'application.rename', text: 'The application "App" is renamed to "New".' }],
  ],
  settings({}, { organization: 'Other' }, 'Organization: Acme → Other.'),
  settings({}, { timeZone: 'Asia/Tokyo', plan: 'basic' }, 'Time zone: UTC → Asia/Tokyo.', 'Plan: unlimited → basic.'),
  settings({}, { activityLogEnabled: true }, 'Activity log: off → on.'),
  settings({}, { allowedOrigins: ['https://app.example.com'] }, 'Allowed origins: none → "https://app.example.com".'),
  settings({}, { maxAttachmentBytes: 10 }, 'Largest attachment in bytes: 52428800 → 10.'),
  settings(
    { limits: { 'records-read': 5, 'records-write': 5 } },
    { limits: { 'records-write': 6, 'management-read': 0 } },
    'Limit of records-read: 5 → as in the plan.',
    'Limit of records-write: 5 → 6.',
    'Limit of management-read: as in the plan → 0.',
  ),
  settings({}, { profiles: ['Standard', 'Other'] }, 'Profiles: "Standard" → "Standard", "Other".'),
  settings({}, { teams: ['A'] }, 'Teams: none → "A".'),
  settings({ teams: ['A', 'B'] }, { teams: ['B', 'A'] }, 'Teams: "A", "B" → "B", "A".'),
  settings({ teams: [...'abcdefghijkl'] }, { teams: [...'abcdefghijkm'] }, 'Teams: 12 → 12; added "m"; removed "l".'),
  [
    'collections come and go',
    withCollections(collection({ columns: [SITE] })),
    withCollections(OTHER),
    [
      { kind: 'collection.add', text: 'Collection "Sites" is added with 0 columns.', collectionId: 't0000002' },
      {
        kind: 'collection.remove',
        text: 'Collection "Visits" is removed with all its records.',
        ...inCollection,
        losesData,
      },
    ],
  ],
  [
    'a collection changes its name and access',
    withCollections(collection({})),
    withCollections(collection({ name: 'Calls', readAccessType: 'creatorOnly', writeAccessType: 'creatorOnly' })),
    [
      { kind: 'collection.rename', text: 'Collection "Visits" is renamed to "Calls".', ...inCollection },
      {
        kind: 'collection.access',
        text:
          'Records of "Calls" can now be read by their creators and admins only and ' +
          'written by their creators and admins only.',
        ...inCollection,
      },
    ],
  ],
  [
    'columns come and go',
    withColumns(SITE),
    withColumns(list('String')),
    [
      {
        kind: 'column.add',
        text: 'Column "Tags" of "Visits" is added with type Array of String.',
        ...inColumn('c0000003'),
      },
      {
        kind: 'column.remove',
        text: 'Column "Site" of "Visits" is removed with all its values.',
        ...inColumn('c0000001'),
        losesData,
      },
    ],
  ],
  [
    'a column that moves to another collection leaves its values',
    withCollections(collection({ columns: [SITE] }), OTHER),
    withCollections(collection({}), { ...OTHER, columns: [SITE] }),
    [
      {
        kind: 'column.remove',
        text: 'Column "Site" of "Visits" is removed with all its values.',
        ...inColumn('c0000001'),
        losesData,
      },
      {
        kind: 'column.add',
        text: 'Column "Site" of "Sites" is added with type String.',
        collectionId: 't0000002',
        columnId: 'c0000001',
      },
    ],
  ],
  [
    'a column changes its name, type and flags',
    withColumns({ ...SITE, searchable: true }),
    withColumns({ ...SITE, name: 'No', type: 'Number', unique: true, sortable: true }),
    [
      { kind: 'column.rename', text: 'Column "Site" of "Visits" is renamed to "No".', ...inColumn('c0000001') },
      {
        kind: 'column.type',
        text: 'Column "No" of "Visits" changes its type from String to Number.',
        losesData,
        ...inColumn('c0000001'),
      },
      {
        kind: 'column.flags',
        text: 'Column "No" of "Visits" is now unique, now sortable and no longer searchable.',
        ...inColumn('c0000001'),
      },
    ],
  ],
  ...(
    [
      [address(street), address(street, floor), 'column.scheme', 'Address', 'gains the keys "Floor" (Number)'],
      [address(street, floor), address(floor, street), 'column.scheme', 'Address', 'has its keys in another order'],
      [address(street, floor), address(floor), 'column.type', 'Address', 'loses the keys "Street" (String)'],
      [
        address(street),
        address({ ...street, type: 'Number' }),
        'column.type',
        'Address',
        'loses the keys "Street" (String) and gains "Street" (Number)',
      ],
      [
        listOfObjects(street),
        listOfObjects(street, floor),
        'column.scheme',
        'Rooms',
        'gains the keys "Floor" (Number)',
      ],
      [
        listOfObjects(street),
        listOfObjects(floor),
        'column.type',
        'Rooms',
        'loses the keys "Street" (String) and gains "Floor" (Number)',
      ],
      [
        list('String'),
        list('Number'),
        'column.type',
        'Tags',
        'changes its type from Array of String to Array of Number',
      ],
      [reference('c0000001'), reference('c0000002'), 'column.type', 'See', 'refers to another column'],
    ] as const
  ).map(
    ([before, after, kind, name, text]): Row => [
      `${kind}: ${text}`,
      withColumns(before),
      withColumns(after),
      [
        {
          kind,
          text: `Column "${name}" of "Visits" ${text}.`,
          ...(kind === 'column.type' ? { losesData } : {}),
          ...inColumn('c0000003'),
        },
      ],
    ],
  ),
  [
    'columns and collections change places',
    withCollections(collection({ columns: [SITE, DAY] }), OTHER),
    withCollections(OTHER, collection({ columns: [DAY, SITE] })),
    [
      { kind: 'order', text: 'The columns of "Visits" are in another order: "Day", "Site".', ...inCollection },
      { kind: 'order', text: 'The collections are in another order: "Sites", "Visits".' },
    ],
  ],
  [
    'a column in front of the others is only an addition',
    withColumns(SITE),
    withColumns(DAY, SITE),
    [{ kind: 'column.add', text: 'Column "Day" of "Visits" is added with type Date.', ...inColumn('c0000002') }],
  ],
];

for (const [what, before, after, changes] of ROWS) {
  test(what, () => assert.deepEqual(diffDefinitions(before, after), changes));
}
