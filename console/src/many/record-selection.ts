// Which records are selected: some by their IDs, or all that match the search but a few.

export interface RecordSelection {
  readonly all: boolean;
  /** The selected ones; with `all` those that are not. */
  readonly ids: ReadonlySet<string>;
}

export const NOTHING: RecordSelection = { all: false, ids: new Set() };
export const EVERYTHING: RecordSelection = { all: true, ids: new Set() };

export const isSelected = ({ all, ids }: RecordSelection, id: string): boolean => ids.has(id) !== all;

export function withSelected(
  { all, ids }: RecordSelection,
  changed: readonly string[],
  selected: boolean,
): RecordSelection {
  const next = new Set(ids);
  for (const id of changed) {
    if (selected === all) next.delete(id);
    else next.add(id);
  }
  return { all, ids: next };
}

/** `total`: of all that match; undefined while it is not known. */
export function selectedCount({ all, ids }: RecordSelection, total: number | undefined): number | undefined {
  if (!all) return ids.size;
  return total === undefined ? undefined : Math.max(0, total - ids.size);
}

export const isNothing = ({ all, ids }: RecordSelection): boolean => !all && ids.size === 0;
