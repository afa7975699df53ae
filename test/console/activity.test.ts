// The rules of the activity page: what stands in its address, which days are counted, and what a file holds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  COUNTED_DAYS_MAX,
  countedPeriod,
  filterOf,
  isWanted,
  periodOf,
  readActivityAddress,
  recordIn,
} from '../../console/src/activity/activity-address.ts';
import { askedRecords } from '../../console/src/activity/asked-records.ts';
import { csvFormat } from '../../console/src/activity/csv-format.ts';
import { JSON_LINES } from '../../console/src/activity/export.ts';
import { totalsByDay, totalsByKind } from '../../console/src/activity/figures.ts';

const RECORD = `r${'a'.repeat(26)}`;
const ENTRY = {
  date: '2026-11-15T10:00:00.000Z',
  type: 'record',
  subType: 'delete',
  user: { id: 'u1234567', name: '=cmd' },
  application: { id: `p${'0'.repeat(26)}`, name: 'A', version: 3 },
  collection: { id: 't1234567', name: 'Visits;"x"' },
  source: { context: 'console', ip: '192.0.2.1' },
  extra: { recordId: RECORD },
} as const;

test('an address keeps what can be asked for, and nothing else', () => {
  const whole = {
    person: 'operator',
    kind: 'record.delete',
    collection: 't1234567',
    record: RECORD,
    from: '2026-11-01',
    to: '2026-11-15',
    previews: 'shown',
  };
  assert.deepEqual(readActivityAddress({ ...whole, other: 'x' }), whole);
  for (const wrong of [
    { person: 'Hana' },
    { kind: 'record.' },
    { kind: "'or'1" },
    { collection: 'Visits' },
    { record: 'r1' },
    { from: '2026-02-30' },
    { to: 'today' },
    { person: 7 },
    { previews: true },
  ]) {
    assert.deepEqual(readActivityAddress(wrong), {}, JSON.stringify(wrong));
  }
});

test('a period has its first and its last day, wholly', () => {
  const { startDate = '', endDate = '' } = periodOf({ from: '2026-11-01', to: '2026-11-01' }, 'Asia/Tokyo');
  assert.deepEqual([startDate, endDate], ['2026-10-31T15:00:00.000Z', '2026-11-01T15:00:00.000Z']);
  assert.deepEqual(periodOf({}, 'UTC'), {});
  assert.deepEqual(Object.keys(periodOf({ from: '2026-11-01' }, 'UTC')), ['startDate']);
});

test('figures cover the chosen days, the last thirty without a choice, and never more than the server counts', () => {
  const now = new Date(2026, 10, 16, 12);
  const days = ({ start, end }: { start: Date; end: Date }) =>
    Math.round((end.getTime() - start.getTime()) / 86_400_000);
  assert.equal(days(countedPeriod({}, now, 'Europe/Berlin')), 30);
  assert.equal(days(countedPeriod({ from: '2026-11-10', to: '2026-11-11' }, now, 'Europe/Berlin')), 2);
  const long = countedPeriod({ from: '2025-01-01' }, now, 'Europe/Berlin');
  assert.ok(long.cut && long.end.getTime() - long.start.getTime() <= COUNTED_DAYS_MAX * 86_400_000);
  assert.ok(days(long) >= COUNTED_DAYS_MAX - 1);
  assert.ok(!countedPeriod({ from: '2026-12-24' }, now, 'Europe/Berlin').cut, 'a day to come');
  const reversed = countedPeriod({ from: '2026-11-10', to: '2026-11-01' }, now, 'Europe/Berlin');
  assert.ok(reversed.start <= reversed.end);
});

test('an export chooses as the server does', () => {
  const wanted = (address: Parameters<typeof filterOf>[0]) => isWanted(ENTRY, filterOf(address));
  assert.ok(wanted({}));
  assert.ok(wanted({ person: 'u1234567', kind: 'record', collection: 't1234567', record: RECORD }));
  assert.ok(wanted({ kind: 'record.delete' }));
  assert.ok(!wanted({ kind: 'record.create' }));
  assert.ok(!wanted({ person: 'operator' }));
  assert.ok(!wanted({ collection: 't0000000' }));
  assert.ok(!wanted({ record: `r${'b'.repeat(26)}` }));
  const preview = { ...ENTRY, type: 'attachment', subType: 'download', extra: { attachmentId: 'f1', size: '64' } };
  assert.ok(!isWanted(preview, filterOf({})));
  assert.ok(isWanted(preview, filterOf({ previews: 'shown' })));
});

test('a record is named by its ID or by its address', () => {
  assert.equal(recordIn(` ${RECORD} `), RECORD);
  assert.equal(recordIn(`https://example.com/console/p/t/${RECORD}?tab=activity#x`), RECORD);
  for (const wrong of ['', 'r1', `x${RECORD}`, 'https://example.com/']) assert.equal(recordIn(wrong), undefined, wrong);
});

test('a day without entries counts as none, and kinds come by their counts', () => {
  const figures = [
    { day: '2026-11-02', type: 'record', subType: 'create', count: 3 },
    { day: '2026-11-02', type: 'session', subType: 'login', count: 1 },
    { day: '2026-11-03', type: 'session', subType: 'login', count: 4 },
  ];
  assert.deepEqual(totalsByDay(figures, '2026-11-01', '2026-11-03'), [
    { day: '2026-11-01', count: 0 },
    { day: '2026-11-02', count: 4 },
    { day: '2026-11-03', count: 4 },
  ]);
  assert.deepEqual(totalsByKind(figures), [
    { kind: 'session.login', count: 5 },
    { kind: 'record.create', count: 3 },
  ]);
});

test('no cell of a file begins with a formula, and a file without entries has its heading', () => {
  const format = csvFormat((column) => column);
  const [head = '', row = ''] = format.line(ENTRY).split('\r\n');
  assert.ok(head.startsWith('\ufeffdate,kind,person,'));
  assert.ok(row.includes(`,record.delete,'=cmd,u1234567,"Visits;""x""",t1234567,${RECORD},console,192.0.2.1,3,`), row);
  assert.equal(format.end(), '');
  assert.match(csvFormat((column) => column).end(), /^\ufeffdate,/);
  assert.deepEqual(JSON.parse(JSON_LINES.line(ENTRY)), ENTRY);
});

test('titles are asked for together: records that are there, each once, as many as a search takes', () => {
  const known = new Set(['t1', 't2']);
  const entry = (collection: string, recordId: string, subType = 'update') => ({
    subType,
    collection: { id: collection, name: '' },
    extra: { recordId },
  });
  const login = { subType: 'login', extra: { sessionId: 's' } };
  const few = [entry('t1', 'ra'), entry('t1', 'ra'), entry('t2', 'rb'), entry('t1', 'rc', 'delete'), login];
  assert.deepEqual(askedRecords([...few, entry('t3', 'rd')], known), [
    { collectionId: 't1', ids: ['ra'] },
    { collectionId: 't2', ids: ['rb'] },
  ]);
  const many = Array.from({ length: 150 }, (_, index) => entry('t1', `r${index}`));
  assert.deepEqual(
    askedRecords(many, known).map(({ ids }) => ids.length),
    [60, 40, 50],
  );
  assert.deepEqual(askedRecords(many, known).slice(0, 2), askedRecords(many.slice(0, 100), known));
});
