// What the form of a column, and its parts, are given.

import type { Design, DesignedCollection, DesignedColumn } from './design.ts';
import type { ProblemPlaces } from './problem-places.ts';

export interface ColumnFormProps {
  readonly design: Design;
  readonly collection: DesignedCollection;
  readonly column: DesignedColumn;
  /** Of the column in the document. */
  readonly path: string;
  readonly problems: ProblemPlaces;
  /** The name is about to be typed. */
  readonly isNew: boolean;
  readonly onChange: (change: Partial<DesignedColumn>, field?: string) => void;
  readonly onNext: () => void;
  readonly onCopy: () => void;
  readonly onRemove: () => void;
}
