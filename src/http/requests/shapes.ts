// From a parsed body to a typed one: validators of the shapes in wire/, compiled on first use, and one sentence about the
// first mistake.

import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import { listed } from '../../domain/definition/problems.ts';
import { jsonValidators } from '../../domain/json-validators.ts';
import { KINDS } from '../../domain/schema-type-words.ts';
import { fault } from '../../faults.ts';
import { ASSIGNED_MEMBERS, NewRecord, RECORDS_MAX } from '../../wire/records.ts';

// Verbose: errors then include the schema, which the sentence quotes.
const validator = jsonValidators({ strict: false, allErrors: false, verbose: true });

/** The body of a route: its schema for the documentation, and its reader for requests. */
export interface Shape<T> {
  readonly schema: object;
  /** The limit of elements, if the body may be an array. */
  readonly elementsMax?: number;
  read(body: unknown): T;
}

export function one<S extends TSchema>(schema: S): Shape<Static<S>> {
  const validate = validator(() => schema);
  return {
    schema,
    read(body) {
      check(validate(), body, '');
      return body as Static<S>;
    },
  };
}

export interface ShapeProblem {
  readonly kind: 'missing' | 'unexpected' | 'invalid';
  /** `name`, or a nested `subscription.keys.auth`. */
  readonly property: string;
  readonly reason: string;
}

/** An object whose invalid members are refused with an error code of their own. */
export function members<S extends TSchema>(schema: S, refuse: (problem: ShapeProblem) => Error): Shape<Static<S>> {
  const validate = validator(() => schema);
  return {
    schema,
    read(body) {
      const isValid = validate();
      if (isValid(body)) return body as Static<S>;
      const error = mostUsefulError(isValid);
      const { reason, path } = error === undefined ? { reason: 'is not valid', path: '' } : explain(error, '');
      if (path === '') throw fault('INVALID_BODY', { reason, path });
      const kind =
        error?.keyword === 'required'
          ? 'missing'
          : error?.keyword === 'additionalProperties'
            ? 'unexpected'
            : 'invalid';
      throw refuse({ kind, property: path.slice(1).replaceAll('/', '.'), reason });
    },
  };
}

/** An object of one of several shapes, chosen by its member `discriminator`; invalid members are refused as in `members`. */
export function oneOf<S extends Readonly<Record<string, TSchema>>>(
  discriminator: string,
  schemas: S,
  refuse: (problem: ShapeProblem) => Error,
): Shape<Static<S[keyof S]>> {
  const names = Object.keys(schemas);
  const shapes = new Map(Object.entries(schemas).map(([name, schema]) => [name, members(schema, refuse)]));
  // Checks the discriminator alone, so that a body without a valid one gets an error about that member.
  const discriminated = members(
    { type: 'object', required: [discriminator], properties: { [discriminator]: { enum: names } } } as TSchema,
    ({ kind, property }) => {
      const reason = kind === 'missing' ? 'is missing' : `must be one of ${names.join(', ')}`;
      return refuse({ kind, property, reason });
    },
  );
  return {
    schema: { anyOf: Object.values(schemas) },
    read(body) {
      const name = (discriminated.read(body) as Record<string, string>)[discriminator] ?? '';
      return shapes.get(name)?.read(body) as Static<S[keyof S]>;
    },
  };
}

/** At most 100 elements; their number is checked first. */
export function many<S extends TSchema>(schema: S): Shape<Static<S>[]> {
  const validate = validator(() => schema);
  return {
    schema: { type: 'array', maxItems: RECORDS_MAX, items: schema },
    elementsMax: RECORDS_MAX,
    read(body) {
      if (!Array.isArray(body)) throw fault('INVALID_BODY', { reason: 'the body must be an array', path: '' });
      return readElements(validate(), body) as Static<S>[];
    },
  };
}

export interface OneOrMany<T> {
  readonly items: T[];
  /** Whether the body was an array: its reply is one too, and its errors list the records applied before them. */
  readonly batch: boolean;
}

export function oneOrMany<S extends TSchema>(schema: S): Shape<OneOrMany<Static<S>>> {
  const validate = validator(() => schema);
  return {
    schema: { anyOf: [schema, { type: 'array', maxItems: RECORDS_MAX, items: schema }] },
    elementsMax: RECORDS_MAX,
    read(body) {
      if (Array.isArray(body)) return { items: readElements(validate(), body) as Static<S>[], batch: true };
      check(validate(), body, '');
      return { items: [body as Static<S>], batch: false };
    },
  };
}

/** Any JSON; the operation checks it. */
export const anyJson: Shape<unknown> = { schema: {}, read: (body) => body };

/** The schema is only documentation: what is valid depends on the application, so the operation checks it. */
export const checkedLater = (schema: TSchema): Shape<unknown> => ({ schema, read: (body) => body });

function readElements(validate: ValidateFunction, body: unknown[]): unknown[] {
  if (body.length > RECORDS_MAX) throw fault('TOO_MANY_RECORDS', { maximum: RECORDS_MAX });
  for (const [index, element] of body.entries()) check(validate, element, `/${index}`);
  return body;
}

function check(validate: ValidateFunction, body: unknown, path: string): void {
  if (validate(body)) return;
  const error = mostUsefulError(validate);
  throw fault('INVALID_BODY', error === undefined ? { reason: 'is not valid', path } : explain(error, path));
}

/** For a member that may be null, the error about its other type. */
const mostUsefulError = ({ errors }: ValidateFunction): ErrorObject | undefined =>
  errors?.find(({ keyword, params }) => keyword !== 'type' || params.type !== 'null') ?? errors?.[0];

function explain(error: ErrorObject, prefix: string): { reason: string; path: string } {
  const path = prefix + error.instancePath;
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
      return { reason: 'is missing', path: `${path}/${params.missingProperty}` };
    case 'additionalProperties': {
      const name = String(params.additionalProperty);
      return { reason: whyUnexpected(name, error.parentSchema), path: `${path}/${name.slice(0, 100)}` };
    }
    default:
      return { reason: reasonOf(error.keyword, params) ?? error.message ?? 'is not valid', path };
  }
}

function whyUnexpected(name: string, schema: ErrorObject['parentSchema']): string {
  if (schema === NewRecord && ASSIGNED_MEMBERS.has(name)) return 'is assigned by the server; leave it out';
  return `is not known here; known are ${listed(Object.keys(schema?.properties ?? {}))}`;
}

function reasonOf(keyword: string, params: Record<string, unknown>): string | undefined {
  switch (keyword) {
    case 'type':
      return `must be ${KINDS[String(params.type)] ?? params.type}`;
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).map((value) => (value === '' ? '""' : value)).join(', ')}`;
    case 'const':
      return `must be ${params.allowedValue}`;
    case 'pattern':
      return `must fit ${params.pattern}`;
    default:
      return undefined;
  }
}
