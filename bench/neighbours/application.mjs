// @ts-check
// The neighbour's application: the one of the benchmark with more collections, for long, large and many records.

import { COLLECTIONS, NEIGHBOUR, publishDocument } from '../work.mjs';

export const PLACES = {
  /** Records of a megabyte. */
  long: 'tlong000',
  /** One searchable record of a megabyte. */
  sought: 'tsought0',
  /** Each record references a long record. */
  refers: 'trefers0',
  /** The attackers' creations; emptied before each row. */
  sink: 'tsink000',
  /** Many searchable columns and no records. */
  wide: 'twide000',
  files: 'tfiles00',
};

const WIDTH = 60;

export const COLUMNS = {
  long: { code: 'clcode00', text: 'cltext00', note: 'clnote00' },
  sought: { code: 'cscode00', text: 'cstext00' },
  refers: { to: 'crto0000' },
  sink: { text: 'cktext00', rows: 'ckrows00' },
};

/** @param {keyof typeof PLACES} place */
export const collectionPath = (place) => `/v1/${NEIGHBOUR}/collections/${PLACES[place]}`;
/** @param {keyof typeof COLLECTIONS} name one of the benchmark's own collections */
export const benchPath = (name) => `/v1/${NEIGHBOUR}/collections/${COLLECTIONS[name]}`;

/** @param {string} value */
export const text = (value) => ({ type: 'String', value });

/** @param {Parameters<typeof publishDocument>[0]} [plainFlags] */
export function neighbourDocument(plainFlags) {
  const document = publishDocument(plainFlags, NEIGHBOUR);
  const everyone = { readAccessType: 'everyone', writeAccessType: 'everyone' };
  const { long, sought, refers, sink } = COLUMNS;
  const code = { name: 'Code', type: 'String', unique: true, searchable: true };
  return {
    ...document,
    name: 'Neighbour',
    collections: [
      ...document.collections,
      {
        ...{ id: PLACES.long, name: 'long', ...everyone },
        columns: [
          { id: long.code, ...code },
          { id: long.text, name: 'Text', type: 'String' },
          { id: long.note, name: 'Note', type: 'String' },
        ],
      },
      {
        ...{ id: PLACES.sought, name: 'sought', ...everyone },
        columns: [
          { id: sought.code, ...code },
          { id: sought.text, name: 'Text', type: 'String', searchable: true },
        ],
      },
      {
        ...{ id: PLACES.refers, name: 'refers', ...everyone },
        columns: [
          {
            ...{ id: refers.to, name: 'To', type: 'ReferenceString' },
            scheme: { collectionId: PLACES.long, columnId: long.text },
          },
        ],
      },
      {
        ...{ id: PLACES.sink, name: 'sink', ...everyone },
        columns: [
          { id: sink.text, name: 'Text', type: 'String', sortable: true, searchable: true },
          {
            ...{ id: sink.rows, name: 'Rows', type: 'Array' },
            scheme: { element: { type: 'Object', scheme: { keys: [{ name: 'a', type: 'String' }] } } },
          },
        ],
      },
      {
        ...{ id: PLACES.wide, name: 'wide', ...everyone },
        columns: [
          { id: 'cwcode00', ...code },
          { id: 'cwtext00', name: 'Text', type: 'String', searchable: true },
          ...Array.from({ length: WIDTH }, (_, i) => ({ name: `Number ${i}`, type: 'Number', searchable: true })),
        ],
      },
      { ...{ id: PLACES.files, name: 'files', ...everyone }, columns: [{ name: 'File', type: 'Attachment' }] },
    ],
  };
}

/** The operator publishes these alternately: with and without the indexes of a large collection. */
export const IN_TURN = [{ Title: { sortable: true }, Body: { searchable: true } }, {}];
