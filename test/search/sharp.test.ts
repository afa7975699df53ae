// Which searches travel on the shared connections: those alone whose cost is bounded, however long the record is.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { PreparedCollection } from '../../src/domain/definition/application.ts';
import { readSearch } from '../../src/domain/search/check.ts';
import { isSharp } from '../../src/store/records/search-costs.ts';
import { publishApplication } from '../support/application.ts';
import { preparedApplication } from '../support/prepared.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('searches for one unique value', () => {
  let server: TestServer;
  let collection: PreparedCollection;

  before(async () => {
    server = await startTestServer();
    const simple = ['Number', 'Boolean', 'DateTime', 'Date', 'Time', 'Location', 'User'] as const;
    const app = await publishApplication(server, {
      collections: [
        {
          name: 'Things',
          columns: [
            { name: 'Code', type: 'String', unique: true, searchable: true },
            { name: 'Text', type: 'String', searchable: true, sortable: true },
            ...simple.map((type) => ({ name: type, type, searchable: true })),
            { name: 'Tags', type: 'Array', scheme: { element: { type: 'String' } }, searchable: true },
          ],
        },
      ],
    });
    collection = [...(await preparedApplication(server.database, app.id)).collections.values()][0]!;
  });
  after(() => server.close());

  const isSharpSearch = (search: string) =>
    isSharp(readSearch(search, { columns: collection.definition.columns, zone: 'UTC', now: 0, callerId: 'u0000000' }));

  for (const search of [
    'Code=abc',
    `Code="${'long '.repeat(100)}"`,
    'Code=abc Number>5 Boolean=true Date=2024-01-01 -Number=7',
    'Code=abc Text<m Location:"35,139,100m"',
  ]) {
    it(`are short reads: ${search.slice(0, 80)}`, () => assert.equal(isSharpSearch(search), true));
  }

  for (const search of [
    'Text=abc',
    'Code=abc OR Code=abd',
    'Code:abc',
    'Code=abc word',
    'Code=abc -word',
    'Code=abc Text:word',
    'Code=abc -(Number=1 Number=2)',
    `Code=abc Text=${'x'.repeat(40)}`,
    `Code=abc Text>${'x'.repeat(32)}`,
    'Code=abc Tags=word',
    'Code=abc User=me',
    'Code=abc $createdBy:word',
    'Code=abc Number>1 Number>2 Number>3 Number>4 Number>5',
  ]) {
    it(`are computed apart: ${search}`, () => assert.equal(isSharpSearch(search), false));
  }
});
