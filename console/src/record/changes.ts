// What is typed into a form and not yet stored.

import type { RawValue } from '../../../client/src/shapes.ts';

/** By column; null takes the value away. */
export type Changes = Readonly<Record<string, RawValue | null>>;

/** The record that the changes were made to: its hash, and the values of the changed columns as they were. */
export interface Base {
  readonly hash: string;
  readonly values: Readonly<Record<string, RawValue>>;
}
