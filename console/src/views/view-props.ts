// What every way to look at the records of a collection is given.

import type { CollectionDefinition } from '../api/client.ts';
import type { ListQuery } from '../api/records.ts';
import type { ColumnSettings } from '../grid/column-settings.ts';
import type { ViewAddress } from './view-address.ts';
import type { AddressChanges } from './view-settings.ts';

export interface ViewProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly query: ListQuery;
  /** Undefined until the records are counted. */
  readonly total: number | undefined;
  /** With what a saved view has. */
  readonly address: ViewAddress;
  /** Changes the address; what is undefined is taken from it. */
  readonly onAddress: (changes: AddressChanges, how?: { readonly replace?: boolean }) => void;
  readonly columns: ColumnSettings;
  readonly onColumns: (columns: ColumnSettings) => void;
}
