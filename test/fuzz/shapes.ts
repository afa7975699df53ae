// Values from a JSON Schema: valid ones, and nearly valid ones, which differ from a valid one in one or two members.

import type { Random } from '../search/random.ts';
import { hostileJson, hostileKey, hostileText, JsonText } from './hostile.ts';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
  readonly examples?: readonly unknown[];
}

export interface Vocabulary {
  /** What a reference of a schema leads to. */
  readonly resolve: (reference: string) => Schema;
  /** A text for a member of this name, where the scene has one that means something. */
  readonly textFor: (random: Random, name: string) => string | undefined;
  /** An identifier of the scene that fits the pattern. */
  readonly textLike: (random: Random, pattern: string) => string | undefined;
}

const DEPTH_MAX = 8;

/** A value that fits the schema as far as a schema says it. `name`: of the member that it is for. */
export function valid(random: Random, schema: Schema, words: Vocabulary, name = '', depth = 0): unknown {
  if (schema.$ref !== undefined) return valid(random, words.resolve(schema.$ref), words, name, depth);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  const branches = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (branches !== undefined) return valid(random, random.pick(branches), words, name, depth);
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  switch (type) {
    case 'string':
      return validText(random, schema, words, name);
    case 'integer':
      return random.integer(schema.minimum ?? 0, Math.min(schema.maximum ?? 1_000, 1_000_000));
    case 'number':
      return random.pick([0, 1, 2.5, -7, 1e6]);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    case 'array':
      return depth >= DEPTH_MAX
        ? []
        : random.list(random.weighted([6, 1], [3, 2], [1, 0], [1, 5]), () =>
            valid(random, schema.items ?? {}, words, name, depth + 1),
          );
    default:
      return validObject(random, schema, words, depth);
  }
}

function validText(
  random: Random,
  { pattern, format, minLength = 0, maxLength }: Schema,
  words: Vocabulary,
  name: string,
) {
  const known = (pattern === undefined ? undefined : words.textLike(random, pattern)) ?? words.textFor(random, name);
  if (known !== undefined) return known;
  if (format === 'date-time') return '2026-11-15T12:00:00.000Z';
  if (format === 'date') return '2026-11-15';
  if (format === 'time') return '12:00:00';
  if (random.chance(0.1)) return 'm'.repeat(Math.min(maxLength ?? 200, 4_000));
  return random.pick(['Text', 'Ünïcode 名前 🦉', 'two words', 'a'.repeat(Math.max(minLength, 1))]);
}

function validObject(random: Random, schema: Schema, words: Vocabulary, depth: number): unknown {
  if (depth >= DEPTH_MAX) return {};
  const required = new Set(schema.required ?? []);
  const members = Object.entries(schema.properties ?? {}).filter(([name]) => required.has(name) || random.chance(0.4));
  const open = schema.additionalProperties ?? Object.values(schema.patternProperties ?? {})[0];
  const names = schema.propertyNames?.enum as readonly string[] | undefined;
  const free =
    typeof open === 'object' && names !== undefined
      ? random.list(random.integer(0, 3), () => [random.pick(names), open] as const)
      : [];
  return Object.fromEntries(
    [...members, ...free].map(([name, member]) => [name, valid(random, member, words, name, depth + 1)]),
  );
}

/** The value with one or two places changed. */
export function nearlyValid(random: Random, value: unknown): unknown {
  const changed = changedSomewhere(random, value);
  return random.chance(0.25) ? changedSomewhere(random, changed) : changed;
}

function changedSomewhere(random: Random, value: unknown): unknown {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.75)) {
    const at = random.integer(0, value.length - 1);
    return value.map((item, index) => (index === at ? changedSomewhere(random, item) : item));
  }
  if (isPlain(value) && Object.keys(value).length > 0 && random.chance(0.8)) {
    const at = random.pick(Object.keys(value));
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, key === at ? changedSomewhere(random, member) : member]),
    );
  }
  return changedHere(random, value);
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonText);

function changedHere(random: Random, value: unknown): unknown {
  const kinds: (() => unknown)[] = [() => hostileJson(random), () => [value], () => ({ value }), () => null];
  if (typeof value === 'string') {
    kinds.push(
      () => hostileText(random),
      () => value + hostileText(random),
      () => value.toUpperCase(),
      () => value.slice(1),
      () => Number(value.length),
    );
  }
  if (typeof value === 'number' || typeof value === 'boolean')
    kinds.push(
      () => String(value),
      () => Number(value) * -1e15,
    );
  if (Array.isArray(value)) {
    kinds.push(
      () => [...value, ...value],
      () => value.slice(1),
      () => ({ ...value, length: value.length }),
    );
  }
  if (isPlain(value)) {
    const keys = Object.keys(value);
    kinds.push(
      () => ({ ...value, ...Object.fromEntries([[hostileKey(random), hostileJson(random)]]) }),
      () => without(value, keys.length === 0 ? '' : random.pick(keys)),
      () => keys,
    );
  }
  return random.pick(kinds)();
}

const without = (value: Record<string, unknown>, key: string): unknown =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
