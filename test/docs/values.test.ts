// The values of docs/values.md, sent to a server with a column of each type: accepted, given back or refused as the page
// says.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mayBeUnique, maySort } from '../../src/domain/values/value-types.ts';
import { VALUE_TYPES, type ValueTypeName } from '../../src/wire/values.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { blocksOf, tableOf } from '../support/markdown.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const BLOCKS = blocksOf('values');

/** The identifiers that the page has made up. A definition may bring its own; users and records are put in below. */
const SITES = { id: 'tsites00', title: 'ctitle00', floors: 'cfloors0', contact: 'ccontact' } as const;
const DOCUMENTED = {
  user: 'u4m9xq2a',
  userName: 'Naomi Sato',
  record: 'r068t1q8s5nvdrb4v1m3g7k9e50',
  hash: '9jq0c6lnhm2p1v7u4t3ra5gk8e',
};

const REFERRED: Partial<Record<ValueTypeName, string>> = {
  ReferenceString: SITES.title,
  ReferenceNumber: SITES.floors,
  ReferenceUser: SITES.contact,
};

function columnOf(type: ValueTypeName): object {
  const referred = REFERRED[type];
  if (referred !== undefined) return { name: type, type, scheme: { collectionId: SITES.id, columnId: referred } };
  const scheme = BLOCKS.find(({ mark }) => mark === `scheme: ${type}`)?.text;
  return { name: type, type, ...(scheme === undefined ? {} : { scheme: JSON.parse(scheme) }) };
}

const DOCUMENT = {
  collections: [
    {
      id: SITES.id,
      name: 'Sites',
      columns: [
        { id: SITES.title, name: 'Title', type: 'String' },
        { id: SITES.floors, name: 'Floors', type: 'Number' },
        { id: SITES.contact, name: 'Contact', type: 'User' },
      ],
    },
    { name: 'Values', columns: VALUE_TYPES.map(columnOf) },
  ],
};

type Told = 'accepted' | 'given back' | 'refused';

/**
 * The values of a block as JSON texts: the whole block is one, or each of its lines is. They are sent as they are written,
 * because a parser would lose 1e400.
 */
function textsOf(type: ValueTypeName, told: Told): string[] {
  return BLOCKS.filter(({ mark }) => mark === `values: ${type} ${told}`).flatMap(({ text }) => {
    try {
      JSON.parse(text);
      return [text];
    } catch {
      return text.trimEnd().split('\n');
    }
  });
}

describe('docs/values.md', () => {
  let server: TestServer;
  let app: TestApplication;
  let real: typeof DOCUMENTED;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, DOCUMENT);
    const user = await app.addPerson(DOCUMENTED.userName);
    const values = {
      [SITES.title]: { type: 'String', value: 'Harbour depot' },
      [SITES.floors]: { type: 'Number', value: 3 },
      [SITES.contact]: { type: 'User', id: user.id },
    };
    const site = await app.send('POST', app.records('Sites'), { json: { values } });
    assert.equal(site.status, 200, site.text);
    real = { user: user.id, userName: user.name, record: site.body.id, hash: site.body.hash };
  });
  after(async () => {
    await server.close();
  });

  const withRealIds = (text: string): string =>
    text
      .replaceAll(DOCUMENTED.user, real.user)
      .replaceAll(DOCUMENTED.record, real.record)
      .replaceAll(DOCUMENTED.hash, real.hash);

  const send = (type: ValueTypeName, text: string) =>
    app.send('POST', app.records('Values'), {
      raw: `{"values":{"${app.ids.Values![type]}":${withRealIds(text)}}}`,
      headers: { 'content-type': 'application/json' },
    });

  for (const type of VALUE_TYPES) {
    it(`${type}: what it says is accepted comes back as it says`, async () => {
      const [sent, back] = [textsOf(type, 'accepted'), textsOf(type, 'given back')];
      if (type !== 'Attachment') assert.ok(sent.length > 0, 'no example');
      if (back.length > 0) assert.equal(back.length, sent.length);
      for (const [index, text] of sent.entries()) {
        const created = await send(type, text);
        assert.equal(created.status, 200, `${text} → ${created.text}`);
        const read = await app.send('GET', app.records('Values', created.body.id));
        assert.deepEqual(read.body.values[app.ids.Values![type]!], JSON.parse(withRealIds(back[index] ?? text)));
      }
    });

    it(`${type}: what it says is refused is refused`, async () => {
      for (const text of textsOf(type, 'refused')) {
        const refused = await send(type, text);
        assert.deepEqual([refused.status, refused.body.code], [400, 'INVALID_VALUE'], `${text} → ${refused.text}`);
      }
    });
  }

  it('has an example of a refusal as it is', async () => {
    const example = JSON.parse(BLOCKS.find(({ mark, language }) => mark === '' && language === 'json')?.text ?? '');
    const { body } = await send('Number', '{ "type": "Number", "value": "42" }');
    assert.deepEqual({ ...body, params: { ...body.params, columnId: example.params.columnId } }, example);
  });

  it('shows no marked block that no test reads', () => {
    const known = VALUE_TYPES.flatMap((type) => [
      ...['accepted', 'given back', 'refused'].map((told) => `values: ${type} ${told}`),
      `scheme: ${type}`,
    ]);
    for (const { mark, place } of BLOCKS) assert.ok(mark === '' || known.includes(mark), `${place}: ${mark}`);
  });

  it('lists the fourteen types, and which of them may be unique and sortable', () => {
    const yes = (may: boolean) => (may ? 'yes' : 'no');
    assert.deepEqual(
      tableOf('values', 'Type', 'Members').map(([type, , , unique, sortable]) => [
        /^\[(\w+)\]/.exec(type ?? '')?.[1],
        unique,
        sortable,
      ]),
      VALUE_TYPES.map((type) => [type, yes(mayBeUnique(type)), yes(maySort(type))]),
    );
  });
});
