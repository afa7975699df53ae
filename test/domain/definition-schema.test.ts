// The JSON Schema of the publish document, as it is served.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishDocumentSchema } from '../../src/wire/publish-document.ts';

test('the schema survives being served: JSON of it says the same', () => {
  const served = JSON.parse(JSON.stringify(publishDocumentSchema));
  const expected = ['https://json-schema.org/draft/2020-12/schema', ['name', 'collections'], false];
  assert.deepEqual([served.$schema, served.required, served.additionalProperties], expected);
  assert.deepEqual(served.properties.profiles.default, ['Standard']);
});
