// Changes of cells on their way to the server: what is sent, when the person is asked, and what is kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CartularyError, ConnectionError } from '../../client/src/errors.ts';
import type { RawRecord, RawValue } from '../../client/src/shapes.ts';
import { newest, noteStored } from '../../console/src/api/stored.ts';
import { CellEdits, type KeptEdit, type Server } from '../../console/src/grid/edit/cell-edits.ts';

const text = (value: string): RawValue => ({ type: 'String', value });
const refusal = (status: number, code: string, params = {}) =>
  new CartularyError({ status, code, params, requestId: undefined, retryAfterSeconds: undefined });

/** A server with records of two columns, `a` and `b`, that keeps its word about hashes. */
class Shelf implements Server {
  readonly records = new Map<string, RawRecord>();
  readonly sent: object[] = [];
  /** What the next requests end with instead. */
  failures: Error[] = [];
  /** Done before the next request is looked at. */
  meanwhile: (() => void) | undefined;
  #version = 0;

  put(id: string, values: Record<string, RawValue | null>, by = 'Hana'): RawRecord {
    this.#version += 1;
    const all = Object.entries({ ...this.records.get(id)?.values, ...values }).filter(([, value]) => value !== null);
    const person = { id: by, name: by };
    const at = new Date(this.#version * 1000).toISOString();
    const record = {
      id,
      hash: String(this.#version),
      values: Object.fromEntries(all) as Record<string, RawValue>,
      ...{ createdAt: at, createdBy: person, updatedAt: at, updatedBy: person, timestamp: at },
    };
    this.records.set(id, record);
    return record;
  }
  async send({ id, hash }: RawRecord, values: Readonly<Record<string, RawValue | null>>): Promise<RawRecord> {
    await Promise.resolve();
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    this.meanwhile?.();
    this.meanwhile = undefined;
    if (this.records.get(id)?.hash !== hash) throw refusal(412, 'PRECONDITION_FAILED');
    this.sent.push({ id, ...values });
    return this.put(id, values, 'me');
  }
  async read(id: string): Promise<RawRecord> {
    const record = this.records.get(id);
    if (record === undefined) throw refusal(404, 'RECORD_NOT_FOUND', { recordId: id });
    return record;
  }
  known = (id: string): RawRecord | undefined => this.records.get(id);
  show(): void {}
  refreshed = 0;
  refresh(): void {
    this.refreshed += 1;
  }
  failed(): void {}
}

function scene(kept: readonly KeptEdit[] = []) {
  const shelf = new Shelf();
  let written: readonly KeptEdit[] = [];
  const edits = new CellEdits(shelf, {
    read: () => kept,
    write: (all) => {
      written = all();
    },
  });
  const record = shelf.put('r1', { a: text('old') });
  const settled = async () => {
    for (let turn = 0; turn < 100 && edits.counts().storing > 0; turn += 1) await new Promise(setImmediate);
  };
  const a = (id = 'r1') => shelf.records.get(id)?.values.a;
  return { shelf, edits, record, settled, a, written: () => written, cell: () => edits.of('r1')?.get('a') };
}

test('a change shows at once, is stored, and is kept until then', async () => {
  const { edits, record, settled, a, written, cell } = scene();
  edits.change([{ record, columnId: 'a', wanted: text('new') }]);
  assert.deepEqual(edits.value(record, 'a'), text('new'));
  assert.equal(cell()?.state, 'storing');
  assert.equal(written().length, 1);
  await settled();
  assert.deepEqual([a(), cell(), written().length], [text('new'), undefined, 0]);
});

test('a change over the same value sends nothing', async () => {
  const { shelf, edits, record, settled } = scene();
  edits.change([{ record, columnId: 'a', wanted: text('old') }]);
  await settled();
  assert.deepEqual(shelf.sent, []);
});

test('changes of a record go together or one after the other, each with the hash of the one before', async () => {
  const { shelf, edits, record, settled, a } = scene();
  edits.change([
    { record, columnId: 'a', wanted: text('1') },
    { record, columnId: 'b', wanted: text('x') },
  ]);
  edits.change([{ record, columnId: 'a', wanted: text('2') }]);
  await settled();
  assert.deepEqual(a(), text('2'));
  assert.deepEqual(shelf.sent, [
    { id: 'r1', a: text('1'), b: text('x') },
    { id: 'r1', a: text('2') },
  ]);
});

test('a change of somebody else in another column is kept, and both are stored', async () => {
  const { shelf, edits, record, settled } = scene();
  shelf.meanwhile = () => shelf.put('r1', { b: text('theirs') });
  edits.change([{ record, columnId: 'a', wanted: text('mine') }]);
  await settled();
  assert.deepEqual(shelf.records.get('r1')?.values, { a: text('mine'), b: text('theirs') });
});

test('a change of somebody else in the same cell is a conflict that the person decides', async () => {
  for (const decision of ['keep', 'discard'] as const) {
    const { shelf, edits, record, settled, a, cell } = scene();
    shelf.meanwhile = () => shelf.put('r1', { a: text('theirs') });
    edits.change([{ record, columnId: 'a', wanted: text('mine') }]);
    await settled();
    assert.deepEqual([cell()?.state, cell()?.theirs], ['conflict', { value: text('theirs'), by: 'Hana' }]);
    assert.deepEqual(a(), text('theirs'));
    edits[decision]('r1', 'a');
    await settled();
    assert.deepEqual([a(), cell()], [text(decision === 'keep' ? 'mine' : 'theirs'), undefined]);
  }
});

test('a conflict that the other took away again is still asked about once more', async () => {
  const { shelf, edits, record, settled, cell } = scene();
  shelf.meanwhile = () => shelf.put('r1', { a: null });
  edits.change([{ record, columnId: 'a', wanted: text('mine') }]);
  await settled();
  assert.deepEqual(cell()?.theirs?.value, null);
  shelf.put('r1', { a: text('once more') });
  edits.keep('r1', 'a');
  await settled();
  assert.deepEqual([cell()?.state, cell()?.theirs?.value], ['conflict', text('once more')]);
});

test('what arrived although its reply was lost is no conflict', async () => {
  const { shelf, edits, record, settled, a, cell } = scene();
  shelf.failures = [new ConnectionError('lost')];
  edits.change([{ record, columnId: 'a', wanted: text('mine') }]);
  await settled();
  assert.equal(cell()?.state, 'unsent');
  shelf.put('r1', { a: text('mine') }, 'me');
  edits.retry();
  await settled();
  assert.deepEqual([a(), cell()], [text('mine'), undefined]);
});

test('a refused value goes back to its cell, and the others of the record are stored', async () => {
  const { shelf, edits, record, settled, a, cell } = scene();
  shelf.failures = [refusal(400, 'INVALID_VALUE', { columnId: 'a', reason: 'too long' })];
  edits.change([
    { record, columnId: 'a', wanted: text('bad') },
    { record, columnId: 'b', wanted: text('good') },
  ]);
  await settled();
  assert.deepEqual([cell()?.state, cell()?.reason], ['refused', { kind: 'other', message: 'too long' }]);
  assert.deepEqual([a(), shelf.records.get('r1')?.values.b], [text('old'), text('good')]);
  assert.deepEqual(edits.value(record, 'a'), text('old'));
});

test('a refusal that names no column of the change refuses all of it, and ends', async () => {
  const { shelf, edits, record, settled, cell } = scene();
  shelf.failures = [refusal(400, 'INVALID_VALUE', { columnId: 'other', reason: 'no' })];
  edits.change([{ record, columnId: 'a', wanted: text('bad') }]);
  await settled();
  assert.equal(cell()?.state, 'refused');
});

test('without a connection nothing more is sent until the person says so', async () => {
  const { shelf, edits, settled } = scene();
  const records = Array.from({ length: 10 }, (_, index) => shelf.put(`x${index}`, { a: text('old') }));
  shelf.failures = Array.from({ length: 4 }, () => new ConnectionError('lost'));
  edits.change(records.map((record) => ({ record, columnId: 'a', wanted: text('new') })));
  await settled();
  assert.deepEqual([edits.counts().unsent, shelf.sent.length], [10, 0]);
  edits.retry();
  await settled();
  assert.deepEqual([edits.counts().unsent, shelf.sent.length], [0, 10]);
});

test('what was kept is sent again only over the value that the person saw', async () => {
  const edit = { recordId: 'r1', columnId: 'a', wanted: text('mine'), state: 'unsent' } as const;
  const same = scene([{ ...edit, base: text('old') }]);
  same.edits.retry();
  await same.settled();
  assert.deepEqual(same.a(), text('mine'));
  const changed = scene([{ ...edit, base: text('older') }]);
  changed.edits.retry();
  await changed.settled();
  assert.deepEqual([changed.a(), changed.cell()?.state], [text('old'), 'conflict']);
});

test('steps are undone and redone as a whole, and not over a later change of somebody else', async () => {
  const { shelf, edits, record, settled, a } = scene();
  const other = shelf.put('r2', { a: text('other') });
  edits.change([
    { record, columnId: 'a', wanted: text('1') },
    { record: other, columnId: 'a', wanted: null },
  ]);
  await settled();
  assert.equal(edits.undo(), true);
  await settled();
  assert.deepEqual([a(), a('r2')], [text('old'), text('other')]);
  assert.equal(edits.undo(), false);
  assert.equal(edits.redo(), true);
  await settled();
  assert.deepEqual([a(), a('r2')], [text('1'), undefined]);
  shelf.put('r1', { a: text('theirs') });
  edits.undo();
  await settled();
  assert.deepEqual([a(), a('r2'), edits.counts().notUndone], [text('theirs'), text('other'), 1]);
});

test('an undo that meets a change on the way gives way to it', async () => {
  const { shelf, edits, record, settled, a, cell } = scene();
  edits.change([{ record, columnId: 'a', wanted: text('1') }]);
  await settled();
  shelf.meanwhile = () => shelf.put('r1', { a: text('theirs') });
  edits.undo();
  await settled();
  assert.deepEqual([a(), cell(), edits.counts().notUndone], [text('theirs'), undefined, 1]);
});

test('a change is undone while it is on its way, and one that was refused is not', async () => {
  const { shelf, edits, record, settled, a } = scene();
  edits.change([{ record, columnId: 'a', wanted: text('1') }]);
  edits.undo();
  await settled();
  assert.deepEqual(a(), text('old'));
  shelf.failures = [refusal(403, 'FORBIDDEN')];
  edits.change([{ record: shelf.records.get('r1')!, columnId: 'a', wanted: text('2') }]);
  await settled();
  assert.equal(edits.undo(), false);
});

test('what did not arrive is sent when the server is back; what an earlier visit left waits for the person', async () => {
  const { shelf, edits, record, settled, a, cell } = scene();
  shelf.failures = [new ConnectionError('away')];
  edits.change([{ record, columnId: 'a', wanted: text('new') }]);
  await settled();
  assert.equal(cell()?.state, 'unsent');
  edits.resume();
  await settled();
  assert.deepEqual([a(), cell()], [text('new'), undefined]);
  const left = { recordId: 'r1', columnId: 'a', wanted: text('mine'), base: text('old'), state: 'unsent' } as const;
  const later = scene([left]);
  later.edits.resume();
  await later.settled();
  assert.equal(later.cell()?.state, 'unsent');
});

test('a discarded change that may have arrived is looked up', async () => {
  const { shelf, edits, record, settled, cell } = scene();
  shelf.failures = [new ConnectionError('away')];
  edits.change([{ record, columnId: 'a', wanted: text('new') }]);
  await settled();
  edits.discardAll('unsent');
  assert.deepEqual([cell(), shelf.refreshed], [undefined, 1]);
});

test('a page that was read before a change does not bring the old value back', () => {
  const { shelf, record } = scene();
  const changed = shelf.put('r1', { a: text('new') });
  noteStored(changed, 0);
  assert.equal(newest(record), changed);
  const later = shelf.put('r1', { a: text('newer') });
  assert.equal(newest(later), later);
  noteStored(shelf.put('r2', {}), 120_000);
  assert.equal(newest(record), record, 'no page is on its way for so long');
});
