// The JSON Schema of the publish document: public, and in agreement with publishing.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { startTestServer, type TestServer } from '../support/server.ts';

const EXAMPLE = {
  name: 'Field inspections',
  organization: 'Acme',
  timeZone: 'Asia/Tokyo',
  plan: 'enterprise',
  limits: { 'records-read': 100000 },
  sharedUsersModeEnabled: false,
  teamsModeEnabled: true,
  pushNotificationsEnabled: true,
  activityLogEnabled: true,
  maxAttachmentBytes: 52428800,
  profiles: ['Standard'],
  teams: ['Tokyo', 'Osaka'],
  collections: [
    {
      name: 'Visits',
      readAccessType: 'everyone',
      writeAccessType: 'creatorOnly',
      columns: [
        { name: 'Site', type: 'String', unique: false, sortable: true, searchable: true },
        { name: 'Tags', type: 'Array', scheme: { element: { type: 'String' } } },
      ],
    },
  ],
};

describe('the schema of the publish document', () => {
  let server: TestServer;
  let validate: ValidateFunction;

  before(async () => {
    server = await startTestServer();
    const schema = await server.send('GET', '/operator/v1/publish-document.schema.json');
    assert.equal(schema.status, 200);
    assert.equal(schema.body.$schema, 'https://json-schema.org/draft/2020-12/schema');
    validate = new Ajv2020({ strict: false }).compile(schema.body);
  });
  after(async () => {
    await server.close();
  });

  const column = (more: object) => ({ name: 'A', collections: [{ name: 'B', columns: [{ name: 'C', ...more }] }] });

  it('accepts the example, with and without identifiers, as publishing does', async () => {
    assert.equal(validate(EXAMPLE), true, JSON.stringify(validate.errors));
    const published = await server.operator('POST', '/applications', EXAMPLE);
    assert.equal(published.status, 200, published.text);
    const shown = await server.operator('GET', `/applications/${published.body.application.id}`);
    assert.equal(validate(shown.body), true, JSON.stringify(validate.errors));
    assert.equal(validate({ name: 'Smallest', collections: [] }), true);
    assert.equal(validate({ $schema: 'publish-document.schema.json', name: 'For editors', collections: [] }), true);
  });

  it('refuses what publishing refuses', async () => {
    const bad: unknown[] = [
      {},
      { name: 'A' },
      { collections: [] },
      { ...EXAMPLE, id: 'p123' },
      { ...EXAMPLE, colour: 'red' },
      { ...EXAMPLE, plan: 'gold' },
      { ...EXAMPLE, limits: { everything: 1 } },
      { ...EXAMPLE, limits: { 'records-read': -1 } },
      { ...EXAMPLE, profiles: [] },
      { ...EXAMPLE, maxAttachmentBytes: 0.5 },
      { ...EXAMPLE, teamsModeEnabled: 'yes' },
      column({}),
      column({ type: 'Text' }),
      column({ type: 'String', scheme: {} }),
      column({ type: 'Object' }),
      column({ type: 'Object', scheme: { keys: [] } }),
      column({ type: 'Array', scheme: { element: { type: 'Array' } } }),
      column({ type: 'Array', scheme: { element: { type: 'Object' } } }),
      column({ type: 'ReferenceString', scheme: { collection: 'B' } }),
      column({ type: 'ReferenceString', scheme: { collection: 'B', collectionId: 't0000000', column: 'C' } }),
    ];
    for (const document of bad) {
      assert.equal(validate(document), false, JSON.stringify(document));
      const reply = await server.operator('POST', '/applications', document);
      assert.equal(reply.status, 400, reply.text);
      assert.equal(reply.body.code, 'INVALID_DEFINITION');
      assert.ok(reply.body.params.problems.length > 0);
    }
  });
});
