// What editing needs to know of the grid that is edited.

import type { CollectionDefinition, RawRecord, Session } from '../../api/client.ts';
import type { ListQuery } from '../../api/records.ts';
import type { GridColumn } from '../grid-columns.ts';

export interface EditedGrid {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly query: ListQuery;
  readonly columns: readonly GridColumn[];
  readonly at: (row: number) => RawRecord | undefined;
  /** Rows of the list. */
  readonly count: number;
  /** Whether the list ends after so many. */
  readonly complete: boolean;
  readonly session: Session | undefined;
}
