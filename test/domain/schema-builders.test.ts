// The builders of src/wire/type.ts make what TypeBox's make, to the order of the members.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Type as TypeBox } from 'typebox';
import { Type } from '../../src/wire/type.ts';

/** The same schema, written with either. */
const EXAMPLES: Record<keyof typeof Type, (type: typeof Type) => object[]> = {
  Array: (type) => [type.Array(type.String()), type.Array(type.Null(), { maxItems: 3, title: 'Some' })],
  Boolean: (type) => [type.Boolean(), type.Boolean({ default: true })],
  Enum: (type) => [type.Enum(['a', '']), type.Enum(['a', 'b'], { title: 'Letter' })],
  Integer: (type) => [type.Integer(), type.Integer({ minimum: 0, maximum: 5 })],
  Literal: (type) => [type.Literal('a'), type.Literal('b', { title: 'B' })],
  Null: (type) => [type.Null(), type.Null({ description: 'nothing' })],
  Number: (type) => [type.Number(), type.Number({ minimum: 0.5 })],
  Object: (type) => [
    type.Object({}),
    type.Object({ a: type.String(), b: type.Optional(type.String()), c: type.Null() }, { additionalProperties: false }),
    type.Object({ a: type.Object({ b: type.Optional(type.Boolean()) }) }),
  ],
  Optional: (type) => [type.Optional(type.String({ maxLength: 3 })), type.Object({ a: type.Optional(type.Null()) })],
  Record: (type) => [
    type.Record(type.String(), type.Unknown()),
    type.Record(type.String(), type.Null(), { title: 'R' }),
  ],
  String: (type) => [type.String(), type.String({ pattern: '^a$', examples: ['a'] })],
  Union: (type) => [type.Union([type.Null(), type.String()]), type.Union([type.Null()], { title: 'U' })],
  Unknown: (type) => [type.Unknown(), type.Unknown({ title: 'Anything' })],
  Unsafe: (type) => [type.Unsafe<string>({ title: 'By hand', type: 'string' })],
};

const shown = (schema: object): string => JSON.stringify(schema);

for (const [name, write] of Object.entries(EXAMPLES)) {
  it(`${name} makes what TypeBox makes`, () => {
    assert.deepEqual(write(Type).map(shown), write(TypeBox).map(shown));
  });
}
