// Two people have changed the same record: what each of them wrote in the columns that one wants to store.

import type { ColumnDefinition, RawRecord, RawValue } from '../../../client/src/shapes.ts';
import { sameValue } from '../values/same-value.ts';
import type { Base, Changes } from './changes.ts';

export type Side = 'stored' | 'mine';

export interface Difference {
  readonly column: ColumnDefinition;
  readonly stored: RawValue | undefined;
  readonly mine: RawValue | undefined;
  /** Somebody else has changed it as well: a person has to choose. */
  readonly disputed: boolean;
}

/** Where the typed values differ from the stored ones. */
export function differencesOf(
  columns: readonly ColumnDefinition[],
  { changes, base }: { readonly changes: Changes; readonly base: Base },
  record: RawRecord,
): readonly Difference[] {
  return columns.flatMap((column) => {
    if (!(column.id in changes)) return [];
    const mine = changes[column.id] ?? undefined;
    const stored = record.values[column.id];
    if (sameValue(mine, stored)) return [];
    return [{ column, stored, mine, disputed: !sameValue(base.values[column.id], stored) }];
  });
}

/** The changes that are left once each difference is decided. */
export function decided(differences: readonly Difference[], sides: Readonly<Record<string, Side>>): Changes {
  return Object.fromEntries(
    differences
      .filter(({ column, disputed }) => (sides[column.id] ?? (disputed ? 'stored' : 'mine')) === 'mine')
      .map(({ column, mine }) => [column.id, mine ?? null]),
  );
}
