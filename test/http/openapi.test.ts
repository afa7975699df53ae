// The OpenAPI documents: the general one, which docs/openapi.json holds for readers and for diffs, and that of an
// application. CARTULARY_TEST_WRITE_GOLDEN=1 writes docs/openapi.json anew.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { SUBJECTS } from '../../src/http/routes/table.ts';
import { closeScene, done, NO_RECORD, openScene, operationsOn, type Scene } from '../support/records.ts';
import { ROWS } from '../support/route-rows.ts';

const FILE = new URL('../../../docs/openapi.json', import.meta.url);
const WRITE = process.env.CARTULARY_TEST_WRITE_GOLDEN === '1';

type Operations = Record<string, { operationId: string; parameters?: { name: string; in: string }[] }>;
interface OpenApi {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Operations>;
  components: { schemas: Record<string, object> };
}

/** The problems that the linter's recommended rules find. Every document has all value types, used or not. */
async function lint(text: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'], rules: { 'no-unused-components': 'off' } });
  const problems = await lintFromString({ source: text, config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`);
}

const operationIds = ({ paths }: OpenApi): string[] =>
  Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));

describe('the general OpenAPI document', () => {
  const text = `${JSON.stringify(openApiDocument(SUBJECTS), null, 2)}\n`;
  const document: OpenApi = JSON.parse(text);

  it('is the one in docs/', () => {
    if (WRITE) writeFileSync(FILE, text);
    assert.equal(readFileSync(FILE, 'utf8'), text, 'CARTULARY_TEST_WRITE_GOLDEN=1 writes it anew; look at the diff');
  });

  it('has no fault that a linter finds', async () => {
    assert.deepEqual(await lint(text), []);
    assert.notDeepEqual(await lint(text.replace('"operationId": "getRecord"', '"operationId": "listRecords"')), []);
  });

  it('has every route of the interface with its parameters, and no other', () => {
    // Browsers alone visit the routes of single sign-on, which lead them on.
    const routes = ROWS.filter(({ path }) => path.startsWith('/v1/') && !path.endsWith('/singleSignOn'));
    const titles = routes.map(({ method, path }) => `${method} ${path.slice(3).replaceAll(/:(\w+)/g, '{$1}')}`);
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(described.sort(), titles.sort());
    const { parameters = [] } = document.paths['/{applicationId}/collections/{collectionId}/records']!.get!;
    assert.deepEqual(
      parameters.map(({ name }) => name),
      [
        'applicationId',
        'collectionId',
        'search',
        'timezone',
        'sortKey',
        'sortOrder',
        'sortColumnId',
        'limit',
        'skip',
        'after',
        'Cartulary-Consistency',
      ],
    );
  });

  it('names each operation once', () => {
    const names = operationIds(document);
    assert.equal(new Set(names).size, names.length);
    for (const name of names) assert.match(name, /^[a-z][A-Za-z]+$/);
  });
});

const KEYS = [
  { name: 'Street', type: 'String' },
  { name: 'Place', type: 'Location' },
];
const SIMPLE = ['String', 'Number', 'Boolean', 'DateTime', 'Date', 'Time', 'Location', 'User', 'Attachment'];
const DOCUMENT = {
  name: 'Bikes "& more"',
  collections: [
    {
      name: 'All',
      columns: [
        ...SIMPLE.map((type) => ({ name: type, type })),
        { name: 'Code', type: 'String', unique: true, sortable: true, searchable: true },
        { name: 'Address', type: 'Object', scheme: { keys: KEYS } },
        { name: 'Addresses', type: 'Array', scheme: { element: { type: 'Object', scheme: { keys: KEYS } } } },
        { name: 'Tags', type: 'Array', scheme: { element: { type: 'String' } } },
        { name: 'Other', type: 'ReferenceString', scheme: { collection: 'All', column: 'Code' } },
      ],
    },
    { name: '空', columns: [] },
  ],
};

describe('the OpenAPI document of an application', () => {
  let scene: Scene;
  let text: string;
  let document: OpenApi;
  let collectionId: string;

  before(async () => {
    scene = await openScene(DOCUMENT);
    const { app } = scene;
    collectionId = app.ids.All?.id ?? '';
    const reply = await app.send('GET', '/openapi.json');
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
    ({ text } = reply);
    document = JSON.parse(text);
  });
  after(() => closeScene(scene));

  const column = (name: string) => scene.app.ids.All?.[name] ?? '';

  function validatorOf(name: string): ValidateFunction {
    const ajv = new Ajv2020({ strict: false, schemas: [{ $id: 'document', ...document }] });
    return ajv.compile({ $ref: `document#/components/schemas/${name}_${collectionId}` });
  }

  it('has no fault that a linter finds', async () => assert.deepEqual(await lint(text), []));

  it('has each operation of a collection under the path of the collection', async () => {
    const { app } = scene;
    assert.equal(
      document.paths[`/${app.id}/collections/${collectionId}/records`]?.get?.operationId,
      `listRecords_${collectionId}`,
    );
    assert.ok(!text.includes('{collectionId}') && !text.includes('{applicationId}'));
    const names = operationIds(document);
    assert.equal(new Set(names).size, names.length);
    const url = `${document.servers[0]?.url}/${app.id}/collections/${collectionId}/records`;
    assert.ok(url.startsWith(`${scene.server.address}/v1/`), url);
    done(await app.send('GET', url.slice(url.indexOf('/collections/'))));
  });

  it('describes the records that the server gives, and the values that it takes', async () => {
    const { app } = scene;
    const file = done(await app.send('POST', `/collections/${collectionId}/attachments`, { raw: 'x' }));
    const first = {
      [column('Code')]: { type: 'String', value: 'A-1' },
      [column('String')]: { type: 'String', value: 'words' },
      [column('Number')]: { type: 'Number', value: 1.5 },
      [column('Boolean')]: { type: 'Boolean', value: true },
      [column('DateTime')]: { type: 'DateTime', value: 1_700_000_000 },
      [column('Date')]: { type: 'Date', value: '2024-02-29' },
      [column('Time')]: { type: 'Time', value: '09:30:00' },
      [column('Location')]: { type: 'Location', latitude: 35, longitude: 139, altitude: 3 },
      [column('User')]: { type: 'User', id: app.admin.id },
      [column('Attachment')]: { type: 'Attachment', ...file },
      [column('Address')]: { type: 'Object', value: { Street: { type: 'String', value: 'A' } } },
      [column('Addresses')]: {
        type: 'Array',
        value: [{ type: 'Object', value: { Place: { type: 'Location', latitude: 1, longitude: 2 } } }],
      },
      [column('Tags')]: { type: 'Array', value: [{ type: 'String', value: 'x' }] },
    };
    const takes = validatorOf('NewRecord');
    const gives = validatorOf('Record');
    const assertFits = (validate: ValidateFunction, value: unknown) =>
      assert.ok(validate(value), JSON.stringify(validate.errors));
    assertFits(takes, { values: first });
    const { create, get } = operationsOn(app, 'All');
    const created = done(await create(first));
    assertFits(gives, created);
    const reference = { type: 'ReferenceString', collectionId, columnId: column('Code'), recordId: created.id };
    const second = { [column('Other')]: reference };
    assertFits(takes, { values: second });
    const referring = done(await create(second));
    assertFits(gives, done(await get(referring.id)));
    // What was read can be sent back.
    assertFits(takes, { values: created.values });
    assertFits(takes, { values: referring.values });
  });

  it('describes no value that the server refuses for its type', async () => {
    const { create } = operationsOn(scene.app, 'All');
    const takes = validatorOf('NewRecord');
    const wrong = [
      { [column('Number')]: { type: 'Number', value: '1' } },
      { [column('Number')]: { type: 'String', value: '1' } },
      { [column('Date')]: { type: 'Date', value: '2024' } },
      { [column('Time')]: { type: 'Time', value: '9:30' } },
      { [column('Location')]: { type: 'Location', latitude: 91, longitude: 0 } },
      { [column('String')]: { type: 'String', value: 'x', more: 1 } },
      { [column('String')]: null },
      { [column('Address')]: { type: 'Object', value: { City: { type: 'String', value: 'A' } } } },
      { [column('Tags')]: { type: 'Array', value: [{ type: 'Number', value: 1 }] } },
      { [column('Other')]: { type: 'ReferenceString', recordId: NO_RECORD } },
      { c0000000: { type: 'String', value: 'x' } },
    ];
    for (const values of wrong) {
      assert.equal((await create(values)).status, 400, JSON.stringify(values));
      assert.ok(!takes({ values }), JSON.stringify(values));
    }
  });

  it('allows null where an update deletes a value', () => {
    const validate = validatorOf('RecordUpdate');
    assert.ok(validate({ values: { [column('String')]: null }, replace: false }), JSON.stringify(validate.errors));
    assert.ok(!validate({ values: { c0000000: null }, replace: false }));
  });

  it('is for the users of the application alone; the general one for all', async () => {
    assert.equal((await scene.server.send('GET', `/v1/${scene.app.id}/openapi.json`)).status, 401);
    const reply = await scene.server.send('GET', '/v1/openapi.json');
    assert.equal(reply.status, 200);
    assert.deepEqual(reply.body, JSON.parse(readFileSync(FILE, 'utf8')));
    assert.equal((await scene.server.send('HEAD', '/v1/openapi.json')).text, '');
  });
});
