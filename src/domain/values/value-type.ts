// The interface of value types, and the checks that all types share: the shape of the object, its `type`, unknown and null
// members. The rules of a single type are in the file named after it.

import type { AttachmentValue, ReferenceValue, UserValue, Value, ValueTypeName } from '../../wire/values.ts';

/**
 * A user, attachment or record that a value names and that must be looked up before the value is stored. The lookup writes
 * its result into `value`, which is the object inside the values that were read. `path` is the member that names it.
 */
export type LookupTarget =
  | { kind: 'user'; columnId: string; path: string; id: string; value: UserValue }
  | { kind: 'attachment'; columnId: string; path: string; id: string; value: AttachmentValue }
  | {
      kind: 'record';
      columnId: string;
      path: string;
      id: string;
      collectionId: string;
      referredColumnId: string;
      value: ReferenceValue;
    };

/** Why a value cannot be stored. value-types turns it into INVALID_VALUE with the column. */
export class ValueProblem extends Error {
  readonly reason: string;
  /** A JSON pointer from the value, '' for the value itself, such as `/value/3/latitude`. */
  readonly path: string;

  constructor(reason: string, path: string) {
    super(reason);
    this.reason = reason;
    this.path = path;
  }
}

/** The position of a value in the input, and the list that collects what has to be looked up. */
export interface ReadContext {
  readonly columnId: string;
  readonly path: string;
  readonly targets: LookupTarget[];
}

export interface ValueType<Stored extends Value, Scheme = undefined> {
  readonly name: ValueTypeName;
  /** The members that an input may have besides `type`, including those that the server fills in. */
  readonly members: readonly string[];
  /** The ones that an input must have. */
  readonly required: readonly string[];
  readonly sortable: boolean;
  /** Returns a new object with exactly the stored members; throws a ValueProblem. */
  read(input: unknown, context: ReadContext, scheme: Scheme): Stored;
  /** A text that is equal for equal values. A type without it cannot be unique. */
  readonly uniqueKey?: (value: Stored) => string;
}

export type JsonObject = Record<string, unknown>;

/** The input as an object of this type with only known members, none of them null. */
export function readMembers(
  type: Pick<ValueType<Value>, 'name' | 'members' | 'required'>,
  input: unknown,
  path: string,
): JsonObject {
  if (!isJsonObject(input)) {
    throw new ValueProblem(`a value must be an object with "type": "${type.name}", not ${describe(input)}`, path);
  }
  const given = member(input, 'type');
  if (given === undefined) throw new ValueProblem(`"type" is missing; it must be "${type.name}"`, path);
  if (given !== type.name) {
    const found = typeof given === 'string' ? quoteClipped(given) : describe(given);
    throw new ValueProblem(`"type" must be "${type.name}", not ${found}`, `${path}/type`);
  }
  for (const name of Object.keys(input)) {
    if (name === 'type') continue;
    if (!type.members.includes(name)) {
      throw new ValueProblem(unknownMember(type, name, input), path);
    }
    if (input[name] === null) throw new ValueProblem(`"${name}" must not be null`, `${path}/${name}`);
  }
  return input;
}

/** A member by another name is often the one that is missing. */
function unknownMember(
  { name: type, required }: Pick<ValueType<Value>, 'name' | 'required'>,
  name: string,
  input: JsonObject,
) {
  const missing = required.filter((needed) => !Object.hasOwn(input, needed)).map((needed) => `"${needed}"`);
  const problem = `${quoteClipped(name)} is not a member of ${withArticle(type)} value`;
  if (missing.length === 0) return problem;
  return `${problem}, and ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`;
}

/** The name of a type, with its article. */
export const withArticle = (type: string): string => `${/^[AO]/.test(type) ? 'an' : 'a'} ${type}`;

/** A member that must be present, of any type. */
export function required(input: JsonObject, name: string, path: string): unknown {
  const value = member(input, name);
  if (value === undefined) throw new ValueProblem(`"${name}" is missing`, path);
  return value;
}

/** undefined when absent; members of a prototype do not count. */
export function member(input: JsonObject, name: string): unknown {
  return Object.hasOwn(input, name) ? input[name] : undefined;
}

export function isJsonObject(input: unknown): input is JsonObject {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

/** The kind of the input, for error messages; the content itself may be long or private. */
export function describe(input: unknown): string {
  if (input === null) return 'null';
  if (Array.isArray(input)) return 'an array';
  if (typeof input === 'object') return 'an object';
  return input === undefined ? 'absent' : `a ${typeof input}`;
}

const CLIPPED_CHARACTERS = 80;

/** Cuts a text to a length that fits an error message. */
export function clip(text: string): string {
  if (text.length <= CLIPPED_CHARACTERS) return text;
  // By code points, so that no surrogate pair is split.
  return `${Array.from(text.slice(0, 2 * CLIPPED_CHARACTERS))
    .slice(0, CLIPPED_CHARACTERS)
    .join('')}…`;
}

export function quoteClipped(text: string): string {
  return JSON.stringify(clip(text));
}
