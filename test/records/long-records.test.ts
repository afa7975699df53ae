// Records that are too long to travel with others: they are read by themselves, and nothing of it shows.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';

/** Two bytes for a character, so that lengths in characters and in bytes differ. */
const LONG = 'é'.repeat(60_000);

describe('long records', () => {
  let server: TestServer;
  let app: TestApplication;
  let text: string;
  let note: string;
  let code: string;
  let codes = 0;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, {
      collections: [
        {
          name: 'Papers',
          columns: [
            { name: 'Text', type: 'String', sortable: true, searchable: true },
            { name: 'Note', type: 'String' },
            { name: 'Code', type: 'String', unique: true, searchable: true },
          ],
        },
        {
          name: 'Quotes',
          columns: [
            { name: 'Quote', type: 'ReferenceString', scheme: { collection: 'Papers', column: 'Text' } },
            { name: 'Note', type: 'ReferenceString', scheme: { collection: 'Papers', column: 'Note' } },
            { name: 'Own', type: 'String' },
          ],
        },
      ],
    });
    const columns = app.ids.Papers!;
    [text, note, code] = [columns.Text!, columns.Note!, columns.Code!];
  });
  after(async () => {
    await server.close();
  });

  const papers = (id?: string) => app.records('Papers', id);
  async function create(length: number, values: object = {}): Promise<{ id: string; code: string; reply: Reply }> {
    const own = `code ${++codes}`;
    const json = { values: { [text]: string(LONG.slice(0, length)), [code]: string(own), ...values } };
    const reply = await app.send('POST', papers(), { json });
    assert.equal(reply.status, 200, reply.text);
    return { id: reply.body.id, code: own, reply };
  }
  const clear = async () => assert.equal((await app.send('DELETE', papers())).status, 204);
  const get = async (id: string) => (await app.send('GET', papers(id))).body;
  const noted = (value: string) => ({ [note]: string(value) });
  const notes = (records: { values: Record<string, { value: string }> }[]) =>
    records.map(({ values }) => values[note]?.value);

  it('are got as they were created, with an ETag that holds', async () => {
    for (const length of [10_000, 40_000, 60_000]) {
      const { id, reply } = await create(length);
      const got = await app.send('GET', papers(id));
      assert.equal(got.text, reply.text);
      const etag = got.headers.get('etag') ?? '';
      assert.equal((await app.send('GET', papers(id), { headers: { 'if-none-match': etag } })).status, 304);
      const head = await app.send('HEAD', papers(id));
      assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(got.text)));
    }
    await clear();
  });

  it('stand in pages among the others, in order, none left out', async () => {
    const made = [];
    for (let n = 0; n < 7; n++) made.push((await create(n % 2 === 0 ? 60_000 : 10)).reply.body);
    const query = '?sortKey=createdAt&sortOrder=ascending';
    assert.deepEqual((await app.send('GET', papers() + query)).body, made);
    assert.deepEqual((await app.send('GET', `${papers()}${query}&skip=2&limit=3`)).body, made.slice(2, 5));
    for (const search of ['éé', `$${code}:code`]) {
      const found = await app.send('GET', `${papers()}${query}&search=${encodeURIComponent(search)}`);
      assert.ok(found.body.length >= 4, found.text.slice(0, 200));
    }
    const walked = [];
    let next: string | undefined = `${papers()}?sortKey=column&sortColumnId=${text}&limit=2`;
    while (next !== undefined) {
      const page: Reply = await app.send('GET', next);
      walked.push(...page.body);
      const link = /<[^>]*(\/collections[^>]*)>/.exec(page.headers.get('link') ?? '');
      next = link?.[1];
    }
    assert.equal(walked.length, made.length);
    assert.deepEqual(new Set(walked.map(({ id }) => id)), new Set(made.map(({ id }) => id)));
    const last = made.at(-1).id;
    const behind = await app.send('GET', `${papers()}?sortKey=createdAt&sortOrder=descending&after=${last}`);
    assert.equal(behind.body.length, made.length - 1);
    await clear();
  });

  it('are of one moment on a page, whatever is written meanwhile', async () => {
    const ids = [(await create(60_000)).id, (await create(10)).id, (await create(30_000)).id];
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; !isOver; n++) {
        const json = ids.map((id) => ({
          id,
          replace: false,
          values: noted(`round ${n} ${'x'.repeat((n % 3) * 9_000)}`),
        }));
        assert.equal((await app.send('PUT', papers(), { json })).status, 200);
      }
    })();
    for (let n = 0; n < 15; n++) {
      const page = await app.send('GET', papers());
      assert.equal(page.body.length, ids.length);
      assert.equal(new Set(notes(page.body)).size, 1);
    }
    isOver = true;
    await writing;
    await clear();
  });

  it('are changed in the order of the elements, one of them several times', async () => {
    const [one, other, short] = [await create(60_000), await create(60_000), await create(10)];
    const elements = [one, short, other, one, one].map(({ id }, n) => ({ id, replace: false, values: noted(`${n}`) }));
    const reply = await app.send('PUT', papers(), { json: elements });
    assert.equal(reply.status, 200);
    assert.deepEqual(notes(reply.body), ['0', '1', '2', '3', '4']);
    for (const record of reply.body) assert.equal(record.values[code].type, 'String');
    assert.deepEqual(await get(one.id), reply.body[4]);
    assert.deepEqual(await get(other.id), reply.body[2]);
    const replaced = await app.send('PUT', papers(), { json: [{ id: one.id, values: noted('alone') }] });
    assert.deepEqual(Object.keys(replaced.body[0].values), [note]);
    await clear();
  });

  it('may pass a unique value on, and a collision ends the batch there', async () => {
    const made = [];
    for (let n = 0; n < 5; n++) made.push(await create(60_000));
    const [a, b, c, d, e] = made as [Made, Made, Made, Made, Made];
    const coded = ({ id }: Made, value: string) => ({
      id,
      replace: false,
      values: { [code]: string(value), ...noted('x') },
    });
    const moved = await app.send('PUT', papers(), { json: [coded(a, 'free'), coded(b, a.code), coded(c, b.code)] });
    assert.equal(moved.status, 200, moved.text.slice(0, 200));
    const json = [coded(a, 'again'), coded(b, 'free'), coded(d, e.code), coded(e, 'never')];
    const failed = await app.send('PUT', papers(), { json });
    assert.equal(failed.status, 400);
    assert.equal(failed.body.code, 'DUPLICATED_VALUES');
    const { recordIndex, updatedRecords, duplicatedValues } = failed.body.params;
    assert.equal(recordIndex, 2);
    assert.deepEqual(duplicatedValues, [{ columnId: code, value: string(e.code) }]);
    assert.deepEqual(updatedRecords, [await get(a.id), await get(b.id)]);
    assert.equal((await get(d.id)).values[note], undefined);
    assert.equal((await get(e.id)).values[note], undefined);
    const missing = [coded(a, 'y'), { id: `r${'0'.repeat(26)}`, replace: false, values: {} }, coded(b, 'z')];
    const halted = await app.send('PUT', papers(), { json: missing });
    assert.equal(halted.status, 404);
    assert.equal(halted.body.params.recordIndex, 1);
    assert.equal((await get(b.id)).values[code].value, 'free');
    await clear();
  });
  type Made = Awaited<ReturnType<typeof create>>;

  it('are upserted by their keys, among new ones that go again behind a failure', async () => {
    const [long, other] = [await create(60_000), await create(60_000)];
    const upsert = (json: object) => app.send('PATCH', `${papers()}/upsert/${code}`, { json });
    const element = (key: string, value: string) => ({ values: { [code]: string(key), ...noted(value) } });
    const one = await upsert(element(long.code, 'one'));
    assert.equal(one.body.id, long.id);
    assert.equal(one.body.values[text].value.length, 60_000);
    const json = [element('new b', '0'), element(long.code, '1'), element('new a', '2'), element('new b', '3')];
    const all = await upsert(json);
    assert.equal(all.status, 200, all.text.slice(0, 200));
    assert.deepEqual(notes(all.body), ['0', '1', '2', '3']);
    assert.equal(all.body[0].id, all.body[3].id);
    assert.deepEqual(await get(long.id), all.body[1]);
    const wrong = { values: { [code]: string(other.code), [note]: { type: 'Number', value: 1 } } };
    const failed = await upsert([element('new c', '0'), element(long.code, '1'), wrong, element('new d', '3')]);
    assert.equal(failed.status, 400);
    assert.equal(failed.body.params.recordIndex, 2);
    assert.deepEqual(notes(failed.body.params.upsertedRecords), ['0', '1']);
    const keys = (await app.send('GET', papers())).body.map(({ values }: Made['reply']['body']) => values[code].value);
    assert.deepEqual(keys.sort(), [long.code, other.code, 'new a', 'new b', 'new c'].sort());
    await clear();
  });

  it('may come of short ones, again and again in one batch', async () => {
    const { id } = await create(10);
    const first = { id, replace: false, values: noted('x'.repeat(700_000)) };
    const others = Array.from({ length: 8 }, (_, n) => ({ id, replace: false, values: { [text]: string(`${n}`) } }));
    const reply = await app.send('PUT', papers(), { json: [first, ...others] });
    assert.equal(reply.status, 200);
    assert.equal(reply.body.length, 9);
    assert.deepEqual(await get(id), reply.body.at(-1));
    await clear();
  });

  it('grow to two megabytes and no further', async () => {
    const half = 'x'.repeat(1_000_000);
    const { id } = await create(10, noted(half));
    const more = { replace: false, values: { [text]: string(half) } };
    assert.equal((await app.send('PUT', papers(id), { json: more })).status, 200);
    const before = await get(id);
    const beyond = { replace: false, values: { [code]: string('y'.repeat(100_000)) } };
    const refused = await app.send('PUT', papers(id), { json: beyond });
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.params.maxBytes],
      [400, 'INVALID_BODY', 2_097_152],
    );
    assert.deepEqual(await get(id), before);
    const { id: other } = await create(10);
    const json = [
      { id: other, replace: false, values: noted('changed') },
      { id, ...beyond },
    ];
    const batch = await app.send('PUT', papers(), { json });
    assert.equal(batch.body.params.recordIndex, 1);
    assert.deepEqual(notes(batch.body.params.updatedRecords), ['changed']);
    await clear();
  });

  it('are referred to, by short records and by long ones', async () => {
    const { id, reply } = await create(60_000, noted('short'));
    const columns = app.ids.Quotes!;
    const to = (columnId: string) => ({
      ...{ type: 'ReferenceString', collectionId: app.ids.Papers!.id, columnId, recordId: id },
    });
    const values = { [columns.Quote!]: to(text), [columns.Note!]: to(note) };
    const json = ['own', 'ü'.repeat(60_000)].map((own) => ({ values: { ...values, [columns.Own!]: string(own) } }));
    const made = await app.send('POST', app.records('Quotes'), { json });
    assert.equal(made.status, 200, made.text.slice(0, 200));
    const list = await app.send('GET', `${app.records('Quotes')}?sortKey=createdAt&sortOrder=ascending`);
    assert.deepEqual(list.body, made.body);
    for (const record of made.body) {
      assert.equal(record.values[columns.Quote!].value.value, LONG);
      assert.equal(record.values[columns.Note!].value.value, 'short');
      assert.equal(record.values[columns.Quote!].recordHash, reply.body.hash);
      assert.deepEqual((await app.send('GET', app.records('Quotes', record.id))).body, record);
    }
    assert.equal((await app.send('DELETE', papers(id))).status, 204);
    const gone = await app.send('GET', app.records('Quotes', made.body[1].id));
    assert.equal('value' in gone.body.values[columns.Quote!], false);
  });
});
