// What is wrong with a publish document, as data: each interface words it in its own language. The sentences of the
// operator's interface are here. The rules themselves are in document-rules and schema-findings.

import type { Problem } from './problems.ts';

type Params = Readonly<Record<string, string | number>>;

export interface DocumentFinding {
  readonly path: string;
  readonly code: FindingCode;
  readonly params?: Params;
}

/** Each completes a sentence about the member that the path names. */
const REASONS = {
  missing: () => 'is missing',
  unknownMember: ({ known }) => `is not known here; known are ${known}`,
  wrongType: ({ expected, found }) => `must be ${expected}, not ${found}`,
  notOneOf: ({ allowed, found }) => `must be one of ${allowed}, not ${found}`,
  empty: () => 'must not be empty',
  tooLong: ({ limit }) => `must be at most ${limit} characters long`,
  tooMany: ({ limit, count }) => `must have at most ${limit} entries, and has ${count}`,
  tooSmall: ({ limit }) => `must be at least ${limit}`,
  tooLarge: ({ limit }) => `must be at most ${limit}`,
  wrongForm: ({ form, found }) => `must be ${form}, not ${found}`,
  notChosen: ({ text }) => String(text),
  notHere: ({ text }) => String(text),
  unsuitable: ({ text }) => String(text),
  blank: () => 'must not be blank',
  halfSurrogate: () => 'must not contain half of a surrogate pair',
  controlCharacters: () => 'must not contain control characters or line breaks',
  dots: () => 'must be more than dots, because it is part of an address',
  notTimeZone: ({ found }) => `must be a time zone of the tz database, such as Asia/Tokyo, not ${found}`,
  repeated: ({ first }) => `repeats ${first}`,
  noTeam: () => 'must name at least one team while teamsModeEnabled is true: every user needs one',
  notOrigin: ({ found }) => `must be an origin such as https://app.example.com, not ${found}`,
  moreThanOrigin: ({ origin, found }) => `must be only the origin, ${origin}, not ${found}`,
  repeatedId: ({ first, item }) => `repeats ${first}; an ID belongs to one ${item} of the application`,
  repeatedCollection: ({ first }) => `repeats ${first}; collections need different names`,
  sharedName: ({ count }) =>
    `is shared by ${count} columns of the collection; give each of them an "id", or another name`,
  protoKey: () => 'must not be "__proto__"',
  flagOfOtherTypes: ({ type, allowed }) => `must be false for type ${type}; it is for ${allowed}`,
  refersToNothing: ({ place }) => `names no ${place}`,
  refersToSeveral: ({ place, which }) => `names more than one ${place}; refer by ID${which}`,
  refersToOtherType: ({ expected, type, found }) =>
    `must be of type ${expected} to be referred to by a ${type} column, and is of type ${found}`,
} as const satisfies Record<string, (params: Params) => string>;

export type FindingCode = keyof typeof REASONS;

export function worded({ path, code, params = {} }: DocumentFinding): Problem {
  const reason: (params: Params) => string = REASONS[code];
  return { path, reason: reason(params) };
}
