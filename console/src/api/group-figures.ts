// The figures of groups of records.

import type { User } from '../../../client/src/shapes.ts';

/** Null for records without a value. */
export type Group = string | number | boolean | User | null;

export interface GroupFigure {
  readonly group: Group;
  readonly count: number;
  /** Null over no values. */
  readonly measured: number | null;
}

export interface Figures {
  readonly groupBy: string;
  readonly groups: readonly GroupFigure[];
  /** Whether there are more groups, with fewer records, than the server returns. */
  readonly more: boolean;
}
