// The builders of JSON Schemas: those of TypeBox that are used here, with TypeBox's types. Loading TypeBox itself, 370 files that
// a JSON Schema does not need, took a quarter of the server's start time.

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

/** Marks an optional property for `Object` and holds its schema. Not enumerable, because it is not part of the schema. */
const OPTIONAL = '~optional';

/** The schema as it was defined: `Optional` makes a copy. */
export const definedAs = (schema: object): object => (OPTIONAL in schema ? (schema[OPTIONAL] as object) : schema);

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
  Optional: (schema: TSchema) => Object.defineProperty({ ...schema }, OPTIONAL, { value: schema }),
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
