// The identifiers of the interface: one pattern each, used by the path checks, the body schemas and the documentation.
// domain/ids creates new ones.

import { Type } from './type.ts';

export const PATTERNS = {
  applicationId: '^p[a-z0-9]{26}$',
  collectionId: '^t[a-z0-9]{7}$',
  columnId: '^c[a-z0-9]{7}$',
  recordId: '^r[a-z0-9]{26}$',
  attachmentId: '^a[a-z0-9]{26}$',
  userId: '^u[a-z0-9]{7}$',
  sharedUserId: '^u[a-z0-9]{26}$',
  viewId: '^v[a-z0-9]{26}$',
} as const;

export type IdentifierName = keyof typeof PATTERNS;

const EXPRESSIONS = Object.fromEntries(
  Object.entries(PATTERNS).map(([name, pattern]) => [name, new RegExp(pattern)]),
) as Record<IdentifierName, RegExp>;

/** Checks the form only, not whether the object exists. */
export function isIdentifier(name: IdentifierName, text: unknown): text is string {
  return typeof text === 'string' && EXPRESSIONS[name].test(text);
}

export const identifier = (name: IdentifierName) => Type.String({ pattern: PATTERNS[name] });
