// @ts-check
// Bodies of a megabyte that are expensive to parse, to refuse or to store.

import { requestBytes } from '../requests.mjs';
import { COLUMNS, collectionPath, text } from './application.mjs';
import { attack } from './attack.mjs';
import { flood } from './sending.mjs';
import { emptySink } from './stock.mjs';

const CONNECTIONS = 20;
/** 100 MB/s: the uplink of a fast client; without the bound, cheap refusals would be sent even faster. */
const PER_SECOND = 100;
const PATH = `${collectionPath('sink')}/records`;

/** @param {unknown} value */
const json = (value) => Buffer.from(JSON.stringify(value));
/** @template T @param {number} count @param {(i: number) => T} make */
const times = (count, make) => Array.from({ length: count }, (_, i) => make(i));

/** @param {string} name @param {string} what @param {() => Buffer} body */
const bodies = (name, what, body) =>
  attack({
    name: `bodies-${name}`,
    sentence: `${CONNECTIONS} connections that create records with bodies of 1 MB: ${what}`,
    takesMemory: true,
    restore: (_, connection) => emptySink(connection),
    run: async (scene) => {
      const bytes = requestBytes(scene, { method: 'POST', path: PATH, body: body() });
      await flood(scene, { connections: CONNECTIONS, perSecond: PER_SECOND, request: () => bytes });
    },
  });

export const BODIES = [
  bodies('objects', '100 records with arrays of 140 objects each', () => {
    const rows = times(140, (i) => ({ type: 'Object', value: { a: text(String(i)) } }));
    return json(times(100, () => ({ values: { [COLUMNS.sink.rows]: { type: 'Array', value: rows } } })));
  }),
  bodies('nested', '520,000 nested arrays', () => Buffer.from('['.repeat(520_000) + ']'.repeat(520_000))),
  bodies('columns', '60,000 unknown columns', () => {
    const columns = times(60_000, (i) => [`c${i.toString(36).padStart(7, '0')}`, 1]);
    return json({ values: Object.fromEntries(columns) });
  }),
  bodies('brackets', '1,040,000 unclosed brackets', () => Buffer.from('['.repeat(1_040_000))),
  bodies('strings', 'one escaped text in a searchable and sortable column', () => {
    const value = '\\u3042\\r\\n'.repeat(100_000);
    return Buffer.from(`{"values":{"${COLUMNS.sink.text}":{"type":"String","value":"${value}"}}}`);
  }),
  bodies('batches', '100 records of 10 KB', () =>
    json(times(100, (i) => ({ values: { [COLUMNS.sink.text]: text(`${i} ${'lorem ipsum '.repeat(850)}`) } }))),
  ),
];
