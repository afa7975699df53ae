// What the shapes are written with: TypeBox's builders, as many as are used, with TypeBox's types. TypeBox itself is 370
// files of which a JSON Schema needs none, and loading them was a quarter of the time that a server took to start.

import type { TSchema, Type as TypeBox } from 'typebox';

type Used =
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe';

/** Where `Object` finds out that a property may be left out; no part of the schema, and so not enumerable. */
const OPTIONAL = '~optional';

const plain = (type: string) => (options?: object) => ({ type, ...options });

function object(properties: Record<string, TSchema>, options?: object) {
  const names = Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] ?? {})));
  return { type: 'object', ...(names.length > 0 ? { required: names } : {}), properties, ...options };
}

const builders: Record<Used, unknown> = {
  Array: (items: TSchema, options?: object) => ({ type: 'array', items, ...options }),
  Boolean: plain('boolean'),
  Enum: (values: readonly string[], options?: object) => ({ enum: values, ...options }),
  Integer: plain('integer'),
  Literal: (value: unknown, options?: object) => ({ type: typeof value, const: value, ...options }),
  Null: plain('null'),
  Number: plain('number'),
  Object: object,
  Optional: (schema: TSchema) => Object.defineProperty({ ...schema }, OPTIONAL, { value: true }),
  Record: (_key: TSchema, value: TSchema, options?: object) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  String: plain('string'),
  Union: (anyOf: readonly TSchema[], options?: object) => ({ anyOf, ...options }),
  Unknown: (options?: object) => ({ ...options }),
  Unsafe: (schema: TSchema) => ({ ...schema }),
};

export const Type = builders as Pick<typeof TypeBox, Used>;

/** A time as replies have it: always UTC, with milliseconds. */
export const Instant = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' });
