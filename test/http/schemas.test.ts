// Every schema by which bodies are read is one: the server does not ask when it compiles them.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { publishDocumentSchema } from '../../src/wire/publish-document.ts';
import { newSharedUserIn, newUserIn, sharedUserUpdateIn, userUpdateIn } from '../../src/wire/users.ts';
import { ROWS } from '../support/route-rows.ts';

const BOTH = [false, true];
const MODES = BOTH.flatMap((sharedUsersModeEnabled) =>
  BOTH.map((teamsModeEnabled) => ({ sharedUsersModeEnabled, teamsModeEnabled })),
);

describe('the schemas of bodies', () => {
  const ajv = new Ajv2020({ strict: false });
  const assertSchema = (schema: object, title: string) =>
    assert.ok(ajv.validateSchema(schema), `${title}: ${ajv.errorsText(ajv.errors)}`);

  it('of all routes are valid', () => {
    const taking = ROWS.filter(({ body }) => body !== undefined);
    assert.ok(taking.length > 10);
    for (const { title, body } of taking) assertSchema(body!.schema, title);
  });

  it('that the modes of an application decide are valid', () => {
    for (const modes of MODES) for (const schema of [newUserIn, userUpdateIn]) assertSchema(schema(modes), schema.name);
    for (const singleSignOn of BOTH)
      for (const schema of [newSharedUserIn, sharedUserUpdateIn]) assertSchema(schema(singleSignOn), schema.name);
  });

  it('of the publish document is valid', () => assertSchema(publishDocumentSchema, 'publish document'));

  it('would be found out', () => {
    assert.throws(() => assertSchema({ type: 'object', properties: { a: { type: 'strnig' } } }, 'wrong'), /wrong/);
  });
});
