// The client's table of operations is the interface's: every operation of the OpenAPI document with its method, path,
// parameters and body, and nothing else. The client stands alone: it imports nothing of the server and no package.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OPERATIONS, type Operation } from '../../client/src/operations.ts';
import { readSource } from '../support/markdown.ts';
import { importsOf } from '../tidy/imports.ts';
import { filesIn } from '../tidy/tree.ts';

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}

const document = JSON.parse(readSource('docs/openapi.json')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
};

/** Sent by every request of their kind, and so not in the document. */
const UNDESCRIBED = ['content-type'];

function described(): Map<string, object> {
  const rows = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [], requestBody }]) => {
      const named = (place: string) =>
        parameters
          .filter((each) => each.in === place)
          .map(({ name }) => (place === 'header' ? name.toLowerCase() : name));
      const row = {
        method: method.toUpperCase(),
        path: path.replace('/{applicationId}', ''),
        query: named('query').sort(),
        headers: named('header')
          .filter((name) => !UNDESCRIBED.includes(name))
          .sort(),
        body: requestBody === undefined ? undefined : 'application/json' in requestBody.content ? 'json' : 'bytes',
      };
      return [operationId, row] as const;
    }),
  );
  return new Map(rows);
}

const rowOf = ({ method, path, query = [], headers = {}, body }: Operation) => ({
  method,
  path,
  query: [...query].sort(),
  headers: Object.values(headers)
    .map((name) => name.toLowerCase())
    .filter((name) => !UNDESCRIBED.includes(name))
    .sort(),
  body,
});

describe('the client', () => {
  it('has the operations of the OpenAPI document, as they are there', () => {
    const wanted = described();
    assert.deepEqual(Object.keys(OPERATIONS).sort(), [...wanted.keys()].sort());
    for (const [name, operation] of Object.entries(OPERATIONS))
      assert.deepEqual(rowOf(operation), wanted.get(name), name);
  });

  it('imports nothing but its own files', () => {
    const files = filesIn(['client/src'], ['.ts']);
    assert.ok(files.length > 10);
    const foreign = files.flatMap((file) =>
      importsOf(file)
        .filter(({ target }) => !target?.startsWith('client/src/'))
        .map(({ specifier }) => `${file.path}: ${specifier}`),
    );
    assert.deepEqual(foreign, []);
  });
});
