// A search query after it was read and checked against a collection: a tree whose leaves name fields and typed values. The
// compiler (store/records/search) turns it into SQL; only values are left of the query's own text.

import type { Column } from '../../wire/applications.ts';

export const METADATA = ['createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'id'] as const;
export type MetadataName = (typeof METADATA)[number];

/** What a leaf compares; in an Array, any element. `key`: of an Object, or of the Objects in an Array. */
export type SearchField =
  | { readonly kind: 'metadata'; readonly name: MetadataName }
  | { readonly kind: 'column'; readonly column: Column; readonly key?: string };

export type Operator = '=' | '<' | '<=' | '>' | '>=';

/**
 * Each leaf is either true or false for a record; a field without a value makes it false (`not` is the exact complement).
 * On Reference columns a leaf compares the referred value as the caller sees it now.
 */
export type Condition =
  | { readonly kind: 'everything' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  /** The record has a value; a reference must resolve to a value for the caller. */
  | { readonly kind: 'present'; readonly field: SearchField }
  /** The text of at least one of the fields contains the term, which is folded (fold.ts). '' is in every text. */
  | { readonly kind: 'contains'; readonly fields: readonly SearchField[]; readonly term: string }
  /** Exact, by code points: String, the names of Users and Attachments, and `$id`. */
  | { readonly kind: 'text'; readonly field: SearchField; readonly operator: Operator; readonly value: string }
  /** Equality of Users: by name, by identifier, or by either. */
  | { readonly kind: 'user'; readonly field: SearchField; readonly name?: string; readonly id?: string }
  | { readonly kind: 'number'; readonly field: SearchField; readonly operator: Operator; readonly value: number }
  | { readonly kind: 'boolean'; readonly field: SearchField; readonly operator: Operator; readonly value: boolean }
  /** DateTime (ISO with milliseconds and Z), Date or Time (`24:00:00` as an end), as stored; `before` is exclusive. */
  | { readonly kind: 'range'; readonly field: SearchField; readonly from?: string; readonly before?: string }
  | {
      readonly kind: 'near';
      readonly field: SearchField;
      readonly latitude: number;
      readonly longitude: number;
      readonly metres: number;
    };

/** The values that a record is asked for. */
export function countLeaves(condition: Condition): number {
  if (condition.kind === 'not') return countLeaves(condition.part);
  if (condition.kind !== 'and' && condition.kind !== 'or') return 1;
  return condition.parts.reduce((sum, part) => sum + countLeaves(part), 0);
}
