// The head of the grid: names, the order, and handles for the widths.

import type { Header } from '@tanstack/react-table';
import { useTranslations } from 'use-intl';
import type { RawRecord } from '../api/client.ts';
import type { ListQuery } from '../api/records.ts';
import { type features, type GridColumn, isNumeric } from './grid-columns.ts';

interface GridHeadProps {
  readonly columns: readonly GridColumn[];
  readonly headers: readonly Header<typeof features, RawRecord>[];
  readonly widths: readonly number[];
  readonly query: ListQuery;
  readonly onSort: (sort: string) => void;
}

export function GridHead({ columns, headers, widths, query, onSort }: GridHeadProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: a row of the grid, which has the focus
    <div role="row" className="grid-head" aria-rowindex={1}>
      {headers.map((header, index) => {
        const column = columns[index];
        if (column === undefined) return null;
        const sorted = query.sort === column.id ? (query.descending ? 'descending' : 'ascending') : 'none';
        return (
          // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: a cell of the grid, which has the focus
          <div
            key={column.id}
            role="columnheader"
            className={`grid-head-cell ${index === 0 ? 'frozen' : ''} ${isNumeric(column) ? 'numeric' : ''}`}
            style={{ width: widths[index] }}
            aria-colindex={index + 1}
            aria-sort={column.sortable ? sorted : undefined}
          >
            <SortButton column={column} sorted={sorted} onSort={onSort} />
            {/* The widths are a matter of looks alone: the keyboard needs no handle for them. */}
            <div
              className={`grid-resize ${header.column.getIsResizing() ? 'active' : ''}`}
              aria-hidden="true"
              onMouseDown={header.getResizeHandler()}
              onTouchStart={header.getResizeHandler()}
              onDoubleClick={() => header.column.resetSize()}
            />
          </div>
        );
      })}
    </div>
  );
}

interface SortButtonProps {
  readonly column: GridColumn;
  readonly sorted: 'ascending' | 'descending' | 'none';
  readonly onSort: (sort: string) => void;
}

function SortButton({ column: { id, name, sortable }, sorted, onSort }: SortButtonProps) {
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
      tabIndex={-1}
      title={t(sorted === 'ascending' ? 'sortDescending' : 'sortAscending', { name })}
      onClick={() => onSort(next)}
    >
      <span>{name}</span>
      {sorted !== 'none' && <span aria-hidden="true">{sorted === 'ascending' ? '↑' : '↓'}</span>}
    </button>
  );
}
