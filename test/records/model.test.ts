// Random sequences of operations against a model in memory: at the end every record is what the model says, and so was
// every answer on the way. fast-check prints the seed of a sequence that fails, and the shortest one it finds.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { number, string } from '../support/application.ts';
import {
  type AnyValues,
  assertConsistent,
  closeScene,
  expectedHash,
  type Operations,
  openScene,
  operationsOn,
  type Scene,
  storedForm,
  storedRows,
  tableOf,
} from '../support/records.ts';
import type { Reply } from '../support/server.ts';

const TITLE = 'ctitle00';
const CODE = 'ccode000';
const SERIAL = 'cserial0';
const LINK = 'clink000';
const UNIQUE = [CODE, SERIAL] as const;
type Key = (typeof UNIQUE)[number];
const RUNS = 25;
const STEPS_MAX = 24;

/** Which record an operation means: the nth that was created, modulo how many there are; gone ones included. */
type Pick = number;
interface Input {
  readonly title?: string | null;
  readonly code?: string | null;
  readonly serial?: number | null;
  readonly link?: Pick | null;
}
interface Update {
  readonly pick: Pick;
  readonly input: Input;
  readonly replace: boolean;
}
type Operation =
  | { readonly kind: 'create'; readonly inputs: Input[]; readonly batch: boolean }
  | { readonly kind: 'update'; readonly updates: Update[]; readonly batch: boolean; readonly stale: boolean }
  | { readonly kind: 'upsert'; readonly key: Key; readonly inputs: Input[]; readonly batch: boolean }
  | { readonly kind: 'remove'; readonly pick: Pick };

const pick = fc.nat(7);
const absentOr = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 1 });
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 5 });
/** Few enough values for collisions to be common. */
const input = fc.record(
  {
    title: absentOr(orNull(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.constantFrom('', '"', '\\')))),
    code: absentOr(orNull(fc.constantFrom('A', 'B', 'C', 'D'))),
    serial: absentOr(orNull(fc.constantFrom(0, 1, 2.5))),
    link: absentOr(orNull(pick)),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Input>;
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('create' as const), inputs: fc.tuple(input), batch: fc.constant(false) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      inputs: fc.array(input, { maxLength: 4 }),
      batch: fc.constant(true),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      updates: fc.tuple(fc.record({ pick, input, replace: fc.boolean() })),
      batch: fc.constant(false),
      stale: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      updates: fc.array(fc.record({ pick, input, replace: fc.boolean() }), { maxLength: 5 }),
      batch: fc.constant(true),
      stale: fc.constant(false),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('upsert' as const),
      key: fc.constantFrom(...UNIQUE),
      inputs: fc.tuple(input),
      batch: fc.constant(false),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('upsert' as const),
      key: fc.constantFrom(...UNIQUE),
      inputs: fc.array(input, { maxLength: 5 }),
      batch: fc.constant(true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), pick }) },
);

type Sent = Record<string, AnyValues[string] | null>;
/** What an element must come to: the values of the record, or the code of its refusal. */
type Verdict = { readonly values: AnyValues } | { readonly code: string };

class Model {
  /** In order of creation; undefined once deleted. */
  readonly records = new Map<string, AnyValues | undefined>();

  idOf(pick: Pick): string {
    const ids = [...this.records.keys()];
    return ids[pick % ids.length] ?? `r${'0'.repeat(26)}`;
  }

  toValues({ title, code, serial, link }: Input): Sent {
    const refer = (recordId: string) => ({
      type: 'ReferenceString',
      collectionId: 'tthings0',
      columnId: TITLE,
      recordId,
    });
    return {
      ...(title === undefined ? {} : { [TITLE]: title === null ? null : string(title) }),
      ...(code === undefined ? {} : { [CODE]: code === null ? null : string(code) }),
      ...(serial === undefined ? {} : { [SERIAL]: serial === null ? null : number(serial) }),
      ...(link === undefined ? {} : { [LINK]: link === null ? null : refer(this.idOf(link)) }),
    };
  }

  /** The record that an upsert meets. */
  holderOf(key: Key, sent: Sent): string | undefined {
    const value = sent[key]?.value;
    const holder = [...this.records].find(([, values]) => values?.[key] !== undefined && values[key].value === value);
    return holder?.[0];
  }

  /** `id` is undefined for a record to be created. */
  judge(id: string | undefined, sent: Sent, replace: boolean): Verdict {
    const held = id === undefined ? {} : this.records.get(id);
    const hasNull = Object.values(sent).includes(null);
    if (replace && hasNull) return { code: 'INVALID_VALUE' };
    if (held === undefined) return { code: 'RECORD_NOT_FOUND' };
    const link = sent[LINK];
    const target = link?.recordId as string | undefined;
    if (target !== undefined && this.records.get(target) === undefined && held[LINK]?.recordId !== target) {
      return { code: 'INVALID_VALUE' };
    }
    const values: AnyValues = replace ? {} : { ...held };
    for (const [columnId, value] of Object.entries(sent)) {
      if (value === null) delete values[columnId];
      else values[columnId] = value;
    }
    const collides = UNIQUE.some((columnId) =>
      [...this.records].some(
        ([otherId, other]) =>
          otherId !== id && values[columnId] !== undefined && other?.[columnId]?.value === values[columnId]?.value,
      ),
    );
    return collides ? { code: 'DUPLICATED_VALUES' } : { values };
  }
}

describe('records and their model', () => {
  let scene: Scene;
  let things: Operations;

  before(async () => {
    scene = await openScene({
      collections: [
        {
          id: 'tthings0',
          name: 'Things',
          columns: [
            { id: TITLE, name: 'Title', type: 'String' },
            { id: CODE, name: 'Code', type: 'String', unique: true, searchable: true },
            { id: SERIAL, name: 'Serial', type: 'Number', unique: true, searchable: true },
            {
              id: LINK,
              name: 'Link',
              type: 'ReferenceString',
              scheme: { collectionId: 'tthings0', columnId: TITLE },
            },
          ],
        },
      ],
    });
    things = operationsOn(scene.app, 'Things');
  });
  after(() => closeScene(scene));

  /** Takes the answer's records into the model, element by element, and checks the refusal where there is one. */
  function follow(
    model: Model,
    reply: Reply,
    member: string,
    elements: { id?: string; key?: Key; sent: Sent; replace: boolean }[],
    batch: boolean,
  ): void {
    const params = reply.body.params ?? {};
    const answered = reply.status === 200 ? [reply.body].flat() : (params[member] ?? []);
    for (const [index, { id: named, key, sent, replace }] of elements.entries()) {
      const id = key === undefined ? named : model.holderOf(key, sent);
      const keyed = key === undefined || (sent[key] ?? null) !== null;
      const verdict = keyed ? model.judge(id, sent, replace) : { code: 'MISSING_UPSERT_KEY_VALUE' };
      if ('code' in verdict) {
        assert.equal(reply.body.code, verdict.code, reply.text);
        assert.equal(params.recordIndex, batch ? index : undefined);
        assert.equal(answered.length, index);
        return;
      }
      const record = answered[index];
      assert.ok(record, reply.text);
      assert.deepEqual(storedForm(record.values), verdict.values);
      assert.equal(record.hash, expectedHash(record));
      if (id !== undefined) assert.equal(record.id, id);
      model.records.set(record.id, verdict.values);
    }
    assert.equal(reply.status, 200, reply.text);
    assert.equal(answered.length, elements.length);
  }

  async function take(model: Model, operation: Operation): Promise<void> {
    if (operation.kind === 'remove') {
      const id = model.idOf(operation.pick);
      const { status } = await things.remove(id);
      assert.equal(status, model.records.get(id) === undefined ? 404 : 204);
      if (status === 204) model.records.set(id, undefined);
      return;
    }
    if (operation.kind === 'create') {
      const elements = operation.inputs.map((one) => ({ sent: model.toValues(one), replace: true }));
      const bodies = elements.map(({ sent }) => ({ values: sent }));
      const reply = operation.batch ? await things.createMany(bodies) : await things.create(bodies[0]!.values);
      follow(model, reply, 'insertedRecords', elements, operation.batch);
      return;
    }
    if (operation.kind === 'upsert') {
      const { key, batch } = operation;
      const elements = operation.inputs.map((one) => ({ key, sent: model.toValues(one), replace: false }));
      const bodies = elements.map(({ sent }) => ({ values: sent }));
      const reply = batch ? await things.upsertMany(key, bodies) : await things.upsert(key, bodies[0]!.values);
      follow(model, reply, 'upsertedRecords', elements, batch);
      return;
    }
    const elements = operation.updates.map(({ pick, input: one, replace }) => ({
      id: model.idOf(pick),
      sent: model.toValues(one),
      replace,
    }));
    const [first] = elements;
    if (operation.batch || first === undefined) {
      const bodies = elements.map(({ id, sent, replace }) => ({ id, values: sent, replace }));
      follow(model, await things.updateMany(bodies), 'updatedRecords', elements, true);
      return;
    }
    const headers: Record<string, string> = operation.stale ? { 'if-match': '"stale"' } : {};
    const reply = await things.put(first.id, { values: first.sent, replace: first.replace }, headers);
    if (operation.stale) assert.ok([400, 404, 412].includes(reply.status), reply.text);
    else follow(model, reply, '', elements, false);
  }

  /** Every record as GET shows it, references resolved by the model. */
  async function assertSame(model: Model): Promise<void> {
    for (const [id, values] of model.records) {
      const { status, body } = await things.get(id);
      assert.equal(status, values === undefined ? 404 : 200);
      if (values === undefined) continue;
      assert.deepEqual(storedForm(body.values), values);
      const link = body.values[LINK];
      if (link === undefined) continue;
      const target = model.records.get(link.recordId);
      assert.deepEqual(link.value, target?.[TITLE]);
      assert.equal(link.recordHash, target && expectedHash({ id: link.recordId, values: target }));
    }
    const rows = await storedRows(scene, 'Things');
    assert.deepEqual(
      rows.map(({ id }) => id),
      [...model.records].flatMap(([id, values]) => (values === undefined ? [] : id)),
    );
    for (const row of rows) assertConsistent(row);
  }

  it('agree after any sequence of operations', async () => {
    await fc.assert(
      fc
        .asyncProperty(fc.array(operation, { minLength: 5, maxLength: STEPS_MAX, size: 'max' }), async (operations) => {
          const model = new Model();
          for (const one of operations) await take(model, one);
          await assertSame(model);
        })
        .beforeEach(async () => {
          await scene.server.database.sql(`delete from ${tableOf(scene, 'Things')}`);
        }),
      { numRuns: RUNS },
    );
  });
});
