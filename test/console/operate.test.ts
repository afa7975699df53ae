// The rules of the operator's console: figures from metrics, documents, changes, and what the doctor says.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DefinitionChange, OperatedCollection } from '../../console/src/api/operated-shapes.ts';
import { busiest } from '../../console/src/operate/health/busiest.ts';
import { Reading, readMetrics } from '../../console/src/operate/health/metrics.ts';
import { quantile, sampleOf } from '../../console/src/operate/health/samples.ts';
import { type DoctorLine, IDLE, withLine } from '../../console/src/operate/maintenance/doctor-state.ts';
import { likelyRenames, losesData, namedChanges, signOf } from '../../console/src/operate/publish/changes.ts';
import { meantBy, readDocument } from '../../console/src/operate/publish/document.ts';
import { barsOf, sumOf } from '../../console/src/operate/use/periods.ts';

const DURATION = 'cartulary_request_duration_seconds';

describe('metrics', () => {
  it('are read with labels, escapes and comments', () => {
    const text =
      '# HELP a b\n# TYPE a gauge\na 1\na{x="1",y="q\\"}\\\\\\n"} 2.5e3 1700000000\nb{le="+Inf"} +Inf\nbroken\n';
    assert.deepEqual(readMetrics(text), [
      { name: 'a', labels: {}, value: 1 },
      { name: 'a', labels: { x: '1', y: 'q"}\\\n' }, value: 2500 },
      { name: 'b', labels: { le: '+Inf' }, value: Number.POSITIVE_INFINITY },
    ]);
  });

  it('become rates between two readings, also after a restart', () => {
    const reading = (ok: number, failed: number) =>
      new Reading(
        readMetrics(
          `${DURATION}_count{method="GET",route="/a",status="200"} ${ok}\n${DURATION}_count{method="GET",route="/a",status="500"} ${failed}`,
        ),
      );
    const first = { at: 1000, reading: reading(10, 0) };
    assert.equal(sampleOf(first, undefined).requests, undefined);
    const second = sampleOf({ at: 6000, reading: reading(30, 5) }, first);
    assert.deepEqual([second.requests, second.clientErrors, second.serverErrors], [5, 0, 1]);
    assert.equal(sampleOf({ at: 6000, reading: reading(5, 0) }, first).requests, 1, 'a restarted server counts from 0');
  });

  it('count nothing as failed that is to come again, or that was not waited for', () => {
    const reading = (all: number, busy: number, left: number) =>
      new Reading(
        readMetrics(
          `${DURATION}_count{method="GET",route="/a",status="503"} ${all}
cartulary_requests_refused_total{code="UNAVAILABLE",reason="busy"} ${busy}
cartulary_requests_refused_total{code="UNAVAILABLE",reason="left"} ${left}
cartulary_requests_refused_total{code="UNAVAILABLE",reason="database"} 1`,
        ),
      );
    const first = { at: 0, reading: reading(1, 0, 0) };
    assert.equal(sampleOf({ at: 1000, reading: reading(11, 3, 5) }, first).serverErrors, 2);
  });

  it('tell within which time a part of the requests ended', () => {
    const buckets = [
      { upTo: 0.1, count: 50 },
      { upTo: 0.2, count: 90 },
      { upTo: Number.POSITIVE_INFINITY, count: 100 },
    ];
    assert.equal(quantile(buckets, 0.5), 0.1);
    assert.equal(quantile(buckets, 0.7)?.toFixed(2), '0.15');
    assert.equal(quantile(buckets, 0.95), 0.2, 'beyond the last bound nothing is known');
    assert.equal(quantile([], 0.5), undefined);
  });

  it('name the operations that took most time', () => {
    const lines = ['200', '404', '503'].map(
      (status) =>
        `${DURATION}_count{method="GET",route="/a",status="${status}"} 2\n${DURATION}_sum{method="GET",route="/a",status="${status}"} 1`,
    );
    lines.push(
      `${DURATION}_count{method="PUT",route="/b",status="200"} 9`,
      `${DURATION}_sum{method="PUT",route="/b",status="200"} 5`,
    );
    assert.deepEqual(busiest(new Reading(readMetrics(lines.join('\n'))), 5), [
      { name: 'PUT /b', requests: 9, clientErrors: 0, serverErrors: 0, seconds: 5 },
      { name: 'GET /a', requests: 6, clientErrors: 2, serverErrors: 2, seconds: 3 },
    ]);
  });
});

describe('publish documents in the console', () => {
  const one = { id: 'p1', name: 'One', version: 1, organization: 'Acme', plan: 'basic' };

  it('are read, or refused with the reason', () => {
    assert.deepEqual(readDocument('\uFEFF{"name": "A", "collections": []}'), {
      document: { name: 'A', collections: [] },
    });
    for (const [text, problem] of [
      ['{', 'notJson'],
      ['[]', 'notDocument'],
      ['null', 'notDocument'],
      ['7', 'notDocument'],
      ['{"name": "A"}', 'notDocument'],
      [`"${'a'.repeat(11 * 1024 * 1024)}"`, 'tooLong'],
    ] as const) {
      const read = readDocument(text);
      assert.equal('problem' in read && read.problem, problem, text.slice(0, 20));
    }
  });

  it('mean the application of the page, of their identifier, of their name, or a new one', () => {
    const meant = (document: Record<string, unknown>, here?: string) => meantBy(document, [one], here).kind;
    assert.equal(meant({ name: 'X' }, 'p1'), 'this');
    assert.equal(meant({ id: 'p1' }, 'p1'), 'this');
    assert.equal(meant({ id: 'p2' }, 'p1'), 'other');
    assert.equal(meant({ id: 'p1', name: 'X' }), 'existing');
    assert.equal(meant({ id: 'p2', name: 'One' }), 'new');
    assert.equal(meant({ name: 'One' }), 'sameName');
    assert.equal(meant({ name: 'Two' }), 'new');
  });
});

describe('changes of a publishing in the console', () => {
  const collection = (id: string, name: string, columns: readonly string[]): OperatedCollection => ({
    id,
    name,
    columns: columns.map((column) => ({ id: `${id}-${column}`, name: column, type: 'String' })),
  });
  const before = [collection('t1', 'Visits', ['Title', 'Note']), collection('t2', 'Old', ['A', 'B'])];
  const after = [collection('t1', 'Visits', ['Title', 'Remark']), collection('t3', 'New', ['A', 'B', 'C'])];
  const changes: DefinitionChange[] = [
    { kind: 'column.add', text: '', collectionId: 't1', columnId: 't1-Remark' },
    { kind: 'column.remove', text: '', collectionId: 't1', columnId: 't1-Note', losesData: true, records: 2 },
    { kind: 'collection.remove', text: '', collectionId: 't2', losesData: true, records: 0 },
    { kind: 'collection.add', text: '', collectionId: 't3' },
  ];

  it('begin with what loses data, and name what is gone', () => {
    const named = namedChanges(changes, before, after);
    assert.deepEqual(
      named.map(({ collection: place, column }) => [place, column]),
      [
        ['Visits', 'Note'],
        ['Old', undefined],
        ['Visits', 'Remark'],
        ['New', undefined],
      ],
    );
    assert.deepEqual(named.map(signOf), ['−', '−', '+', '+']);
    assert.deepEqual([losesData(changes), losesData([])], [true, false]);
  });

  it('that look like a change of name are recognised', () => {
    assert.deepEqual(likelyRenames(changes, before, after), [
      { id: 't2', before: 'Old', after: 'New' },
      { id: 't1-Note', before: 'Note', after: 'Remark', collection: 'Visits' },
    ]);
    assert.deepEqual(likelyRenames(changes.slice(0, 1), before, after), []);
  });
});

describe('the doctor in the console', () => {
  it('counts all findings and keeps the first of each kind', () => {
    const finding = (attachmentId: string): DoctorLine => ({
      type: 'finding',
      kind: 'withoutBytes',
      applicationId: 'p1',
      attachmentId,
    });
    const lines: DoctorLine[] = [
      { type: 'progress', step: 'files', done: 3 },
      ...['a', 'b', 'c', 'd'].map(finding),
      { type: 'refused', reason: 'Is its disk mounted?' },
    ];
    const state = lines.reduce(withLine, IDLE);
    assert.deepEqual(
      [state.found, state.findings.length, state.progress?.done, state.refused],
      [4, 3, 3, 'Is its disk mounted?'],
    );
  });
});

describe('requests as bars', () => {
  const now = new Date(2026, 2, 10, 15, 40).getTime();
  const at = (...date: [number, number, number, number]) => ({
    hour: new Date(...date).toISOString(),
    ...{ requests: 10, refused: 2, failed: 1 },
  });

  it('are hours of the last day, with those that had none', () => {
    const bars = barsOf([at(2026, 2, 9, 15), at(2026, 2, 9, 16), at(2026, 2, 10, 15)], 'day', now);
    assert.equal(bars.length, 24);
    assert.deepEqual(bars[0], {
      at: new Date(2026, 2, 9, 16).getTime(),
      answered: 7,
      requests: 10,
      refused: 2,
      failed: 1,
    });
    assert.equal(bars[1]?.requests, 0);
    assert.equal(bars.at(-1)?.answered, 7);
    assert.equal(sumOf(bars, 'requests'), 20, 'what came before is left out');
  });

  it('are days of the last month, each from midnight to midnight', () => {
    const bars = barsOf([at(2026, 1, 9, 12), at(2026, 2, 9, 0), at(2026, 2, 9, 23), at(2026, 2, 10, 0)], 'month', now);
    assert.equal(bars.length, 30);
    assert.equal(bars[0]?.at, new Date(2026, 1, 9).getTime());
    assert.equal(bars[0]?.requests, 10);
    assert.deepEqual(
      bars.slice(-2).map(({ requests, failed }) => [requests, failed]),
      [
        [20, 2],
        [10, 1],
      ],
    );
    assert.equal(sumOf(barsOf([], 'month', now), 'requests'), 0);
  });
});
