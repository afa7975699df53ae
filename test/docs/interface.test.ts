// docs/interface.md has a heading for every route and no other, and the bounds that it tells are the real ones.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FILENAME_CHARACTERS_MAX } from '../../src/domain/attachments/filenames.ts';
import { ARRAY_ELEMENTS_MAX } from '../../src/domain/values/array.ts';
import { DELETE_LIMIT_MAX, LIST_LIMIT_MAX } from '../../src/http/requests/list-parameters.ts';
import { RECORD_BODY_BYTES_MAX } from '../../src/http/routes/records.ts';
import { ORDINARY_BYTES_MAX } from '../../src/http/routes/row.ts';
import { ROUTES, VISITOR_ROUTES } from '../../src/http/routes/table.ts';
import { PATTERNS } from '../../src/wire/identifiers.ts';
import { DEFAULTS } from '../../src/wire/publish-document.ts';
import { RECORDS_MAX } from '../../src/wire/records.ts';
import { codeIn, readPage, tableOf } from '../support/markdown.ts';

const routeNames = ROUTES.map(
  ({ method, path }) => `${method} ${path.replace(/^\/v1/, '').replaceAll(/:(\w+)/g, '{$1}')}`,
);

describe('docs/interface.md', () => {
  it('describes exactly the routes that there are', () => {
    const headings = [...readPage('interface').matchAll(/^### `([A-Z]+ \/[^`]*)`$/gm)].map((match) => match[1] ?? '');
    assert.deepEqual(headings.sort(), [...routeNames].sort());
  });

  it('lists the identifiers with their patterns', () => {
    assert.deepEqual(
      tableOf('interface', 'Identifier', 'Pattern').map(([name, pattern]) => [name, codeIn(pattern)]),
      Object.entries(PATTERNS),
    );
  });

  it('tells the bounds that hold', () => {
    const bounds = Object.fromEntries(tableOf('interface', 'What', 'Limit').map(([what, bound]) => [what, bound]));
    const bytes = (number: number) => number.toLocaleString('en-US');
    assert.match(
      bounds['body of create, update and upsert'] ?? '',
      new RegExp(`\\(${bytes(RECORD_BODY_BYTES_MAX)} bytes\\)`),
    );
    assert.match(bounds['any other JSON body'] ?? '', new RegExp(`\\(${bytes(ORDINARY_BYTES_MAX)} bytes\\)`));
    assert.match(bounds.file ?? '', new RegExp(`\\(${bytes(DEFAULTS.maxAttachmentBytes)} bytes\\)`));
    assert.equal(bounds['name of a file, in code points'], String(FILENAME_CHARACTERS_MAX));
    assert.equal(bounds['records in one request'], String(RECORDS_MAX));
    assert.equal(bounds['records in one list'], String(LIST_LIMIT_MAX));
    assert.equal(bounds['records deleted in one request'], DELETE_LIMIT_MAX.toLocaleString('en-US'));
    assert.equal(bounds['elements of an Array'], ARRAY_ELEMENTS_MAX.toLocaleString('en-US'));
  });
});

describe('docs/signing-in.md', () => {
  it('names every route for who has not signed in yet', () => {
    const page = readPage('signing-in');
    const routes = VISITOR_ROUTES.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    assert.deepEqual(
      routes.filter((route) => !page.includes(`\`${route}`)),
      [],
    );
  });
});
