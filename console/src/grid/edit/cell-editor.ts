// What both editors of a cell have: the one in the cell itself, where a line is enough, and the one in a popover.

import type { ColumnDefinition, RawValue } from '../../api/client.ts';
import type { Where } from '../../values/where.ts';

export interface CellEditorProps {
  readonly column: ColumnDefinition;
  readonly value: RawValue | undefined;
  readonly onValue: (value: RawValue | undefined) => void;
  /** Why the value was refused before. */
  readonly problem: string | undefined;
  readonly where: Where;
  /** Stores the value, and moves on by so many cells. */
  readonly onStore: (value: RawValue | undefined, move: { readonly rows: number; readonly columns: number }) => void;
  readonly onLeave: () => void;
}

/** Of `onStore`: the cell stays the active one. */
export const STAY = { rows: 0, columns: 0 };
