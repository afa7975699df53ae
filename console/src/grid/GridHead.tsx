// The head of the grid: names, the order, and for each column its menu and a handle for its width.

import { memo } from 'react';
import { useTranslations } from 'use-intl';
import type { ListQuery } from '../api/list-query.ts';
import { ColumnMenu } from './ColumnMenu.tsx';
import { type Arrangement, actionsOf, changedColumns, sizedColumn } from './column-changes.ts';
import type { ColumnPlace } from './column-place.ts';
import type { ColumnSettings } from './column-settings.ts';
import { type GridColumn, isNumeric } from './grid-columns.ts';
import { ResizeHandle } from './ResizeHandle.tsx';

interface GridHeadProps {
  /** What stands before the first column. */
  readonly lead: React.ReactNode;
  readonly arrangement: Arrangement;
  readonly places: readonly ColumnPlace[];
  /** Of all columns, in pixels. */
  readonly width: number;
  readonly query: ListQuery;
  /** The head of the active column can be reached by the keyboard. */
  readonly activeColumn: number;
  readonly onSort: (sort: string) => void;
  readonly onColumns: (columns: ColumnSettings) => void;
  readonly onSizing: (id: string, width: number | undefined) => void;
}

/** Of every key press it is the same, and its menus take longer to draw than a screen of rows. */
export const GridHead = memo(function GridHead(props: GridHeadProps) {
  const { lead, arrangement, places, width, query, activeColumn, onSort, onColumns, onSizing } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: a row of the grid, which has the focus
    <div role="row" className="grid-head" aria-rowindex={1} style={{ width }}>
      {lead}
      {places.map((place) => {
        const { index } = place;
        const column = arrangement.shown[index];
        if (column === undefined) return null;
        const sorted = query.sort === column.id ? (query.descending ? 'descending' : 'ascending') : 'none';
        return (
          // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: a cell of the grid, which has the focus
          <div
            key={column.id}
            role="columnheader"
            className={`grid-head-cell ${place.left === undefined ? '' : 'frozen'} ${isNumeric(column) ? 'numeric' : ''}`}
            style={{ width: place.width, left: place.left, marginLeft: place.gap }}
            aria-colindex={index + 2}
            aria-sort={column.sortable ? sorted : undefined}
          >
            <SortButton column={column} sorted={sorted} isReachable={index === activeColumn} onSort={onSort} />
            <ColumnMenu
              name={column.name}
              actions={actionsOf(arrangement, index)}
              isReachable={index === activeColumn}
              onAction={(action) => {
                if (action === 'sortAscending') return onSort(column.id);
                if (action === 'sortDescending') return onSort(`-${column.id}`);
                const changed = changedColumns(arrangement, index, action);
                if (changed !== undefined) onColumns(changed);
              }}
            />
            <ResizeHandle
              column={column}
              width={place.width}
              isReachable={index === activeColumn}
              onSizing={(next) => onSizing(column.id, next)}
              onSized={(next) => {
                onSizing(column.id, undefined);
                onColumns(sizedColumn(arrangement.settings, column.id, next));
              }}
            />
          </div>
        );
      })}
    </div>
  );
});

interface SortButtonProps {
  readonly column: GridColumn;
  readonly sorted: 'ascending' | 'descending' | 'none';
  readonly isReachable: boolean;
  readonly onSort: (sort: string) => void;
}

function SortButton({ column: { id, name, sortable }, sorted, isReachable, onSort }: SortButtonProps) {
  const t = useTranslations('grid');
  if (!sortable) {
    return (
      <span className="grid-sort" title={name}>
        <span>{name}</span>
      </span>
    );
  }
  const next = sorted === 'ascending' ? `-${id}` : id;
  return (
    <button
      type="button"
      className="grid-sort"
      tabIndex={isReachable ? 0 : -1}
      title={t(sorted === 'ascending' ? 'sortDescending' : 'sortAscending', { name })}
      onClick={() => onSort(next)}
    >
      <span>{name}</span>
      {sorted !== 'none' && <span aria-hidden="true">{sorted === 'ascending' ? '↑' : '↓'}</span>}
    </button>
  );
}
