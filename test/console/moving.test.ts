// The pure rules of importing in the console: what is chosen first, how quick a run is, and what a file is known by.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { ConnectionError } from '../../client/src/errors.ts';
import type { RawOperations } from '../../client/src/operation-types.ts';
import type { CollectionDefinition, ColumnDefinition, RawValue } from '../../client/src/shapes.ts';
import { firstChoices, keyColumns, suggestedColumns, withColumn } from '../../console/src/moving/choices.ts';
import { ratesOf } from '../../console/src/moving/rates.ts';
import { contentHash } from '../../console/src/moving/worker/content-hash.ts';
import { shownCell } from '../../console/src/moving/worker/shown-cells.ts';
import { makeLookups } from '../../src/moving/import/lookups.ts';
import { surveyTable } from '../../src/moving/import/survey.ts';
import type { WireValue } from '../../src/moving/values/cell-values.ts';

const column = (id: string, name: string, flags: Partial<ColumnDefinition> = {}): ColumnDefinition =>
  ({ id, name, type: 'String', unique: false, sortable: false, searchable: false, ...flags }) as ColumnDefinition;

const COLLECTION: CollectionDefinition = {
  id: 't0000000',
  name: 'Bikes',
  readAccessType: 'everyone',
  writeAccessType: 'everyone',
  columns: [
    column('c0000001', 'Frame no.', { unique: true, searchable: true }),
    column('c0000002', 'Built on'),
    column('c0000003', 'Colour', { unique: true }),
  ],
};

describe('an import in the console', () => {
  it('suggests the column of the same name, once, and nothing for what an export adds', () => {
    const header = ['frame NO.', 'Built_on', 'built on', '$id', '', 'Wheels'];
    assert.deepEqual(suggestedColumns(header, COLLECTION), { 'frame NO.': 'c0000001', Built_on: 'c0000002' });
  });

  it('fills a column from one of the file, and finds records only by what is mapped, unique and searchable', () => {
    const look = {
      form: { format: 'csv' },
      sheets: [],
      header: ['Frame no.', 'Paint'],
      examples: [],
      order: undefined,
      hasRows: true,
    } as const;
    const first = firstChoices(look, COLLECTION, 'UTC');
    const keys = (choices: typeof first) => keyColumns(COLLECTION, choices).map(({ id }) => id);
    assert.deepEqual(keys(first), ['c0000001']);
    const upsert = { ...first, upsertKey: 'c0000001', clearEmpty: true };
    const moved = withColumn(upsert, 'Paint', 'c0000001');
    assert.deepEqual(moved.columns, { Paint: 'c0000001' });
    assert.equal(moved.upsertKey, 'c0000001');
    const left = withColumn(upsert, 'Frame no.', undefined);
    assert.deepEqual([left.columns, left.upsertKey, left.clearEmpty], [{}, undefined, false]);
    assert.deepEqual(keys(withColumn(left, 'Paint', 'c0000003')), []);
  });

  it('tells a rate and the time left from what this run did', () => {
    const progress = { rows: 3_000, rejected: 0, earlier: 1_000, share: 0.5 };
    assert.deepEqual(ratesOf(progress, 4), { perSecond: 500, secondsLeft: 6 });
    assert.equal(ratesOf(progress, 0.5), undefined);
    assert.equal(ratesOf({ ...progress, rows: 1_000 }, 4), undefined);
    assert.equal(ratesOf({ rows: 10, rejected: 0, earlier: 0 }, 4), undefined);
    assert.equal(ratesOf({ ...progress, share: 1 }, 4)?.secondsLeft, 0);
  });

  it('asks for people again after the server was away', async () => {
    const replies: (() => { readonly body: readonly object[] })[] = [
      () => {
        throw new ConnectionError('away');
      },
      () => ({ body: [{ id: 'u1', name: 'Naomi Sato' }] }),
      () => ({ body: [] }),
    ];
    const reply = async () => replies.shift()?.();
    const raw = { listUsers: reply, listManagementUsers: reply } as unknown as RawOperations;
    const lookups = makeLookups(raw, { collections: [] }, new Map());
    const value: WireValue = { type: 'User' };
    const open = [{ value, text: 'Naomi Sato', column: column('c0000009', 'Worker', { type: 'User' }) }];
    await assert.rejects(lookups.complete(open), ConnectionError);
    assert.equal((await lookups.complete(open)).size, 0);
    assert.equal(value.id, 'u1');
  });

  it('finds a name that two columns have among a hundred thousand, at once', async () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `Column ${index}`);
    const table = (header: readonly string[]) => async () => ({
      ...{ header, progress: () => 1, close: async () => undefined },
      rows: (async function* () {})(),
    });
    const begun = performance.now();
    assert.equal((await surveyTable('wide.csv', table([...names, '', '']))).header.length, 100_002);
    await assert.rejects(surveyTable('wide.csv', table([...names, 'Column 7'])), { code: 'doubleColumn' });
    assert.ok(performance.now() - begun < 2_000);
  });

  it('knows a file by its SHA-256, however it comes in pieces', async () => {
    for (const size of [0, 1, 55, 56, 63, 64, 65, 1_000, 100_000]) {
      const bytes = Uint8Array.from({ length: size }, (_, at) => (at * 31 + size) % 256);
      for (const piece of [1, 63, 64, 100_000]) {
        if (size > 1_000 && piece === 1) continue;
        const source = {
          name: 'file',
          size,
          async *read() {
            for (let at = 0; at < size; at += piece) yield bytes.subarray(at, at + piece);
          },
        };
        assert.equal(await contentHash(source), createHash('sha256').update(bytes).digest('hex'), `${size}/${piece}`);
      }
    }
  });
});

describe('an export that reads like the page', () => {
  const form = { locale: 'en-GB', timeZone: 'Asia/Tokyo', yes: 'Yes', no: 'No', metadata: [] };
  const person = { type: 'User', id: 'u1', name: 'Naomi Sato' } as const;
  const text = (value: string) => ({ type: 'String', value }) as const;
  const cases: readonly (readonly [RawValue | undefined, unknown])[] = [
    [undefined, undefined],
    [text('=1+1'), '=1+1'],
    [{ type: 'Number', value: 1234.5 }, 1234.5],
    [{ type: 'Boolean', value: true }, 'Yes'],
    [{ type: 'Boolean', value: false }, 'No'],
    [{ type: 'Date', value: '2026-03-02' }, '2 Mar 2026'],
    [{ type: 'Time', value: '09:30:00' }, '09:30'],
    [{ type: 'Time', value: '09:30:20' }, '09:30:20'],
    [{ type: 'DateTime', value: '2026-03-01T15:30:00.000Z' }, '2 Mar 2026, 00:30'],
    [{ type: 'Location', latitude: 35.5, longitude: -12 }, '35.5, -12'],
    [person, 'Naomi Sato'],
    [{ type: 'ReferenceString', recordId: 'r1', value: text('Harbour') } as RawValue, 'Harbour'],
    [{ type: 'ReferenceNumber', recordId: 'r1', value: { type: 'Number', value: 7 } } as RawValue, 7],
    [{ type: 'Array', value: [text('roof'), person] }, 'roof; Naomi Sato'],
    [
      { type: 'Object', value: { City: text('Minato'), Open: { type: 'Boolean', value: true } } },
      'City: Minato, Open: Yes',
    ],
  ];
  for (const [value, cell] of cases)
    it(`writes ${JSON.stringify(value)} as ${cell}`, () => assert.equal(shownCell(value, form), cell));
});
