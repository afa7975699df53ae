// What the menu of a column's head does, and what it offers.

import { type ColumnSettings, chooseColumns, FROZEN_MAX, nudgeColumn, widthOf } from './column-settings.ts';
import { type GridColumn, usualWidth } from './grid-columns.ts';
import { nameWidth } from './name-width.ts';

const WIDTH_STEP = 40;

export type ColumnAction =
  | 'sortAscending'
  | 'sortDescending'
  | 'moveLeft'
  | 'moveRight'
  | 'freeze'
  | 'unfreeze'
  | 'wider'
  | 'narrower'
  | 'hide';

export interface Arrangement {
  readonly all: readonly GridColumn[];
  readonly shown: readonly GridColumn[];
  readonly settings: ColumnSettings;
}

export function actionsOf({ shown, settings: { frozen } }: Arrangement, index: number): readonly ColumnAction[] {
  const offered: Record<ColumnAction, boolean> = {
    sortAscending: shown[index]?.sortable === true,
    sortDescending: shown[index]?.sortable === true,
    moveLeft: index > 0,
    moveRight: index < shown.length - 1,
    freeze: index + 1 !== frozen && index < FROZEN_MAX,
    unfreeze: index < frozen,
    wider: true,
    narrower: true,
    hide: shown.length > 1,
  };
  return (Object.keys(offered) as ColumnAction[]).filter((action) => offered[action]);
}

export const sizedColumn = (settings: ColumnSettings, id: string, width: number | undefined): ColumnSettings => {
  const { [id]: _, ...others } = settings.widths;
  return { ...settings, widths: width === undefined ? others : { ...others, [id]: width } };
};

/** Sorting is a matter of the address: undefined. */
export function changedColumns(
  { all, shown, settings }: Arrangement,
  index: number,
  action: ColumnAction,
): ColumnSettings | undefined {
  const column = shown[index];
  if (column === undefined) return undefined;
  const ids = all.map(({ id }) => id);
  const width = settings.widths[column.id] ?? usualWidth(column, nameWidth);
  switch (action) {
    case 'moveLeft':
      return nudgeColumn(ids, settings, column.id, -1);
    case 'moveRight':
      return nudgeColumn(ids, settings, column.id, 1);
    case 'freeze':
      return { ...settings, frozen: index + 1 };
    case 'unfreeze':
      return { ...settings, frozen: index };
    case 'wider':
      return sizedColumn(settings, column.id, widthOf(width + WIDTH_STEP));
    case 'narrower':
      return sizedColumn(settings, column.id, widthOf(width - WIDTH_STEP));
    case 'hide':
      return chooseColumns(ids, settings, new Set(shown.map(({ id }) => id).filter((id) => id !== column.id)));
    default:
      return undefined;
  }
}
