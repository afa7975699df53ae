// Bodies of hundreds of kilobytes: they answer as short ones do, and what only keeps the server busy is refused by its form.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const RECORDS = 100;
/** Makes a body of 100 records one of 300 KB. */
const TEXT = 'x'.repeat(3_000);

describe('large bodies', () => {
  let server: TestServer;
  let app: TestApplication;
  let ids: Record<string, string>;

  before(async () => {
    server = await startTestServer();
    const tags = { name: 'Tags', type: 'Array', scheme: { element: { type: 'Number' } } };
    const code = { name: 'Code', type: 'Number', unique: true, searchable: true };
    const note = { name: 'Note', type: 'String', searchable: true, sortable: true };
    const scheme = { keys: [{ name: 'a', type: 'String' }] };
    const keys = { name: 'Keys', type: 'Object', searchable: true, scheme };
    const columns = [{ name: 'Title', type: 'String' }, code, tags, note, keys];
    app = await publishApplication(server, { collections: [{ name: 'Things', columns }] });
    ids = app.ids.Things ?? {};
  });
  after(async () => {
    await server.close();
  });

  const title = (text: string) => ({ values: { [ids.Title ?? '']: string(text) } });
  const coded = (code: number) => ({ values: { [ids.Title ?? '']: string(TEXT), [ids.Code ?? '']: number(code) } });
  const post = (raw: string) =>
    app.send('POST', app.records('Things'), { raw, headers: { 'content-type': 'application/json' } });
  const create = (body: unknown) => post(JSON.stringify(body));
  const titles = (records: { values: Record<string, { value: string }> }[]) =>
    records.map(({ values }) => values[ids.Title ?? '']?.value);

  it('create, update and upsert all their records, in order', async () => {
    const bodies = Array.from({ length: RECORDS }, (_, index) => title(`${index} ${TEXT}`));
    const created = await create(bodies);
    assert.equal(created.status, 200, created.text.slice(0, 500));
    assert.deepEqual(
      titles(created.body),
      bodies.map((_, index) => `${index} ${TEXT}`),
    );
    const updates = created.body.map(({ id }: { id: string }, index: number) => ({
      id,
      ...title(`new ${index} ${TEXT}`),
    }));
    const updated = await app.send('PUT', app.records('Things'), { json: updates });
    assert.deepEqual(
      titles(updated.body),
      bodies.map((_, index) => `new ${index} ${TEXT}`),
    );
    const upserts = Array.from({ length: RECORDS }, (_, index) => coded(index));
    const path = `${app.records('Things')}/upsert/${ids.Code}`;
    const first = await app.send('PATCH', path, { json: upserts });
    const second = await app.send('PATCH', path, { json: upserts });
    const idsOf = (records: { id: string }[]) => records.map(({ id }) => id);
    assert.equal(first.body.length, RECORDS);
    assert.deepEqual(idsOf(second.body), idsOf(first.body));
  });

  it('store what is in them to the letter, and nothing where there is nothing', async () => {
    const odd = ['', 'NULL', '"', '\\', '{}', '{"a":[1,null]}', "'", ',', '\\"', 'ä京😀', '\n\t', '\u0001'];
    const bodies = odd.flatMap((text) => [{ values: { [ids.Note ?? '']: string(text) } }, title(TEXT)]);
    const created = await create(bodies);
    assert.equal(created.status, 200, created.text.slice(0, 500));
    const list = await app.send('GET', `${app.records('Things')}?limit=100&search=${encodeURIComponent('Note!=')}`);
    const notes = list.body.map(({ values }: { values: Record<string, unknown> }) => values[ids.Note ?? '']);
    assert.deepEqual(new Set(notes.map(JSON.stringify)), new Set(odd.map((text) => JSON.stringify(string(text)))));
    const keyed = { values: { [ids.Keys ?? '']: { type: 'Object', value: { a: string('a "deep" \\ one') } } } };
    assert.equal((await create([keyed, title(TEXT)])).status, 200);
    for (const search of ['Note:"\\""', 'Keys.a="a \\"deep\\" \\\\ one"']) {
      const found = await app.send('GET', `${app.records('Things')}?search=${encodeURIComponent(search)}`);
      assert.ok(found.body.length > 0, found.text);
    }
  });

  it('are answered with the records as they are stored, whatever their length and their letters', async () => {
    // Kilobytes: a reply in one piece from short records, one of more than 256 KB, and one in parts from long records.
    for (const [count, length] of [
      [3, 6],
      [60, 6],
      [3, 20],
      [2, 100],
    ] as const) {
      const texts = ['plain ', 'ä京😀 ', '"\\\n '].map((text) => text.repeat((length * 1024) / text.length));
      const created = await create(Array.from({ length: count }, (_, index) => title(texts[index % texts.length]!)));
      assert.equal(created.status, 200, created.text.slice(0, 500));
      assert.equal(Number(created.headers.get('content-length')), Buffer.byteLength(created.text));
      const first = await app.send('GET', `${app.records('Things')}/${created.body[0].id}`);
      assert.ok(created.text.startsWith(`[${first.text},`), `${count} of ${length} KB`);
      const list = await app.send('GET', `${app.records('Things')}?limit=${count}&sort=-$createdAt`);
      const byId = (records: { id: string }[]) => records.toSorted((one, other) => (one.id < other.id ? -1 : 1));
      assert.deepEqual(byId(created.body), byId(list.body));
    }
  });

  it('keep what came before a mistake, and tell where it is', async () => {
    const bodies = Array.from({ length: RECORDS }, (_, index) => coded(1_000 + index));
    bodies[60] = { values: { ...coded(1_060).values, [ids.Title ?? '']: number(1) as never } };
    const wrong = await create(bodies);
    assert.equal(wrong.status, 400);
    const { recordIndex, insertedRecords, columnId } = wrong.body.params;
    assert.deepEqual(
      [wrong.body.code, recordIndex, insertedRecords.length, columnId],
      ['INVALID_VALUE', 60, 60, ids.Title],
    );
    bodies[60] = coded(1_060);
    const taken = await create(bodies.slice(60).concat(bodies.slice(0, 60)));
    assert.deepEqual([taken.body.code, taken.body.params.recordIndex], ['DUPLICATED_VALUES', 40]);
    const [last] = taken.body.params.insertedRecords.slice(-1);
    const stored = await app.send('GET', `${app.records('Things')}/${last.id}`);
    assert.deepEqual(stored.body, last);
  });

  it('have their shape checked before anything is applied', async () => {
    const bodies: object[] = Array.from({ length: RECORDS }, (_, index) => coded(2_000 + index));
    bodies[99] = { values: {}, wrong: 1 };
    const reply = await create(bodies);
    assert.deepEqual([reply.body.code, reply.body.params.path], ['INVALID_BODY', '/99/wrong']);
    const list = await app.send('GET', `${app.records('Things')}?search=${encodeURIComponent('Code>=2000')}`);
    assert.deepEqual(list.body, []);
  });

  it('name the place where they are no JSON', async () => {
    const text = JSON.stringify(Array.from({ length: RECORDS }, () => title('x'.repeat(500))));
    const place = text.indexOf('}', 30_000) + 1;
    const broken = text.slice(0, place) + text.slice(place + 1);
    const expected = /position (\d+)/.exec(String(thrownBy(() => JSON.parse(broken))))?.[1];
    const reply = await post(broken);
    assert.deepEqual(reply.body, {
      code: 'INVALID_BODY',
      params: { reason: `the body is not JSON: malformed at position ${expected}` },
    });
  });

  it('tell of too many records, columns and elements as short ones do', async () => {
    const many = await create(Array(RECORDS + 1).fill(title(TEXT)));
    assert.deepEqual(many.body, { code: 'TOO_MANY_RECORDS', params: { maximum: RECORDS } });
    const manySmall = await create(Array(90_000).fill({}));
    assert.deepEqual(manySmall.body, many.body);
    const unknown = Object.fromEntries(
      Array.from({ length: 900 }, (_, index) => [`c${index}`, string(TEXT.slice(0, 50))]),
    );
    const columns = await create({ values: unknown });
    assert.deepEqual([columns.body.code, columns.body.params.columnId], ['INVALID_VALUE', 'c0']);
    const elements = await create({
      values: { [ids.Tags ?? '']: { type: 'Array', value: Array(1_001).fill(number(1)) } },
    });
    assert.deepEqual(elements.body.params, {
      columnId: ids.Tags,
      reason: 'an Array has at most 1000 elements, not 1001',
      path: '/value',
    });
  });

  it('are refused for a form that only takes time', async () => {
    const values = (text: string) => `{"values":{"${ids.Tags}":{"type":"Array","value":${text}}}}`;
    const members = Array.from({ length: 60_000 }, (_, index) => `"c${index}":1`).join(',');
    const forms: [string, string][] = [
      [values('['.repeat(1_000_000)), 'nests deeper than 32 levels'],
      [values(`[${Array(520_000).fill('0').join(',')}]`), 'has an array of more than 10000 elements'],
      [
        values(`[${Array(9_000).fill('[[],[],[],[],[],[],[],[]]').join(',')}]`),
        'has more objects and arrays than fit its length',
      ],
      [`{"values":{${members}}}`, 'has an object of more than 1000 members'],
    ];
    for (const [body, reason] of forms) {
      const reply = await post(body);
      assert.equal(reply.status, 400, reason);
      assert.equal(reply.body.code, 'INVALID_BODY', reason);
      assert.match(reply.body.params.reason, new RegExp(`^the body ${reason} \\(at position \\d+\\)$`));
    }
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
