// The application that queries are asked of: a collection with a column of every type that can be filled, twice with
// different access and once to delete from, and the collection that its references point to.

import type { Collection, Column, Key, Value } from './oracle/world.ts';

export const ZONE = 'Europe/Berlin';
export const TARGETS = 'ttargets';

const targets: Collection = {
  id: TARGETS,
  name: 'Targets',
  readAccessType: 'creatorOnly',
  writeAccessType: 'creatorOnly',
  // Neither searchable nor sortable here: a reference to them is both all the same.
  columns: [
    { id: 'ctgtext0', name: 'Text', type: 'String' },
    { id: 'ctgnum00', name: 'Number', type: 'Number' },
    { id: 'ctguser0', name: 'User', type: 'User' },
  ],
};

const OBJECT_KEYS: readonly Key[] = [
  { name: 'b', type: 'String' },
  { name: 'n', type: 'Number' },
  { name: 'flag', type: 'Boolean' },
  { name: 'at', type: 'DateTime' },
  { name: 'day', type: 'Date' },
  { name: 'clock', type: 'Time' },
  { name: 'where', type: 'Location' },
  { name: 'who', type: 'User' },
  { name: 'my key', type: 'String' },
  { name: '鍵', type: 'String' },
];
const ROW_KEYS: readonly Key[] = [
  { name: 'b', type: 'String' },
  { name: 'n', type: 'Number' },
  { name: 'at', type: 'DateTime' },
  { name: 'who', type: 'User' },
  { name: 'where', type: 'Location' },
];

const UNSORTABLE: readonly Value['type'][] = ['Location', 'Object', 'Array'];

function columnsOf(letter: string): Column[] {
  const column = (id: string, name: string, type: Value['type'], scheme?: Column['scheme']): Column => ({
    id: `c${letter}${id.padEnd(6, '0')}`,
    name,
    type,
    searchable: true,
    sortable: !UNSORTABLE.includes(type),
    ...(scheme === undefined ? {} : { scheme }),
  });
  const array = (id: string, name: string, type: Key['type']) => column(id, name, 'Array', { element: { type } });
  const refer = (columnId: string) => ({ collectionId: TARGETS, columnId });
  return [
    column('title', 'Title', 'String'),
    column('words', 'Two Words', 'String'),
    column('dotted', 'a.b', 'String'),
    column('object', 'a', 'Object', { keys: OBJECT_KEYS }),
    column('same1', 'Same', 'String'),
    column('same2', 'Same', 'Number'),
    column('quote', 'Say "hi" \\ (AND)', 'String'),
    column('city', '都市', 'String'),
    column('dash', '-not', 'Number'),
    column('num', 'Num', 'Number'),
    column('bool', 'OR', 'Boolean'),
    column('when', 'When', 'DateTime'),
    column('day', 'Day', 'Date'),
    column('clock', 'Clock', 'Time'),
    column('place', 'Place', 'Location'),
    column('who', 'Who', 'User'),
    array('tags', 'Tags', 'String'),
    array('nums', 'Nums', 'Number'),
    array('times', 'Times', 'DateTime'),
    array('flags', 'Flags', 'Boolean'),
    array('days', 'Days', 'Date'),
    array('people', 'People', 'User'),
    array('places', 'Places', 'Location'),
    column('rows', 'Rows', 'Array', { element: { type: 'Object', scheme: { keys: ROW_KEYS } } }),
    column('reftxt', 'Ref Text', 'ReferenceString', refer('ctgtext0')),
    column('refnum', 'RefNumber', 'ReferenceNumber', refer('ctgnum00')),
    column('refusr', 'RefUser', 'ReferenceUser', refer('ctguser0')),
    { ...column('hidden', 'Hidden', 'String'), searchable: false },
    { ...column('plain', 'Unsorted', 'String'), sortable: false },
  ];
}

const main: Collection = {
  id: 'tmain000',
  name: 'Main',
  readAccessType: 'everyone',
  writeAccessType: 'everyone',
  columns: columnsOf('m'),
};
const own: Collection = {
  ...main,
  id: 'town0000',
  name: 'Own',
  readAccessType: 'creatorOnly',
  columns: columnsOf('o'),
};
export const DELETING: Collection = {
  ...main,
  id: 'tdelete0',
  name: 'Deleting',
  writeAccessType: 'creatorOnly',
  columns: columnsOf('d'),
};

export const LISTED: readonly Collection[] = [main, own];
export const COLLECTIONS: readonly Collection[] = [targets, main, own, DELETING];
