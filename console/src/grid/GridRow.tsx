// One row of the grid: a cell for each column.

import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { RawRecord } from '../api/client.ts';
import { Moment } from '../values/show/date-time.tsx';
import { ShownValue } from '../values/show/ShownValue.tsx';
import { PersonName } from '../values/show/user.tsx';
import type { Where } from '../values/where.ts';
import { type GridColumn, isNumeric } from './grid-columns.ts';
import type { Cell } from './keys.ts';

interface GridRowProps {
  readonly row: number;
  readonly record: RawRecord | undefined;
  readonly columns: readonly GridColumn[];
  readonly widths: readonly number[];
  readonly application: string;
  readonly collection: string;
  readonly activeColumn: number | undefined;
  readonly onActivate: (cell: Cell) => void;
}

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { row, record, columns, widths, application, collection, activeColumn, onActivate } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: a row of the grid, which has the focus
    <div role="row" className="grid-row" aria-rowindex={row + 2}>
      {columns.map((column, index) => (
        // biome-ignore lint/a11y: a cell of the grid, which has the focus and the keys
        <div
          key={column.id}
          role="gridcell"
          id={`cell-${row}-${index}`}
          className={cellClass(column, index, index === activeColumn)}
          style={{ width: widths[index] }}
          aria-colindex={index + 1}
          onClick={() => onActivate({ row, column: index })}
        >
          {record === undefined ? (
            <span className="grid-waiting" />
          ) : (
            <CellContent
              column={column}
              record={record}
              where={{ application, collection, in: 'cell' }}
              leads={index === 0}
            />
          )}
        </div>
      ))}
    </div>
  );
});

const cellClass = (column: GridColumn, index: number, active: boolean): string =>
  ['grid-cell', index === 0 && 'frozen', isNumeric(column) && 'numeric', active && 'active'].filter(Boolean).join(' ');

interface CellContentProps {
  readonly column: GridColumn;
  readonly record: RawRecord;
  readonly where: Where;
  /** The first cell leads to the record's page. */
  readonly leads: boolean;
}

function CellContent({ column, record, where, leads }: CellContentProps) {
  if (!leads) return <CellValue column={column} record={record} where={where} />;
  const empty = column.column !== undefined && record.values[column.id] === undefined;
  return (
    <Link
      to="/$application/$collection/$record"
      params={{ application: where.application, collection: where.collection, record: record.id }}
      className="grid-cell-link"
      tabIndex={-1}
    >
      {empty ? '…' : <CellValue column={column} record={record} where={{ ...where, linked: true }} />}
    </Link>
  );
}

function CellValue({ column, record, where }: Omit<CellContentProps, 'leads'>) {
  switch (column.metadata) {
    case 'createdAt':
    case 'updatedAt':
      return <Moment at={record[column.metadata]} />;
    case 'createdBy':
    case 'updatedBy':
      return <PersonName person={record[column.metadata]} />;
    default: {
      const value = record.values[column.id];
      return value === undefined ? null : <ShownValue value={value} where={where} />;
    }
  }
}
