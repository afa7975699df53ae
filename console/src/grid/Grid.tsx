// The grid itself: sticky head, rows in sight only, one active cell that the keyboard moves.

import { useNavigate } from '@tanstack/react-router';
import { useTable } from '@tanstack/react-table';
import { useMemo, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition, RawRecord } from '../api/client.ts';
import type { ListQuery } from '../api/records.ts';
import { GridHead } from './GridHead.tsx';
import { GridRow } from './GridRow.tsx';
import { features, gridColumns, type MetadataKey, tableColumns } from './grid-columns.ts';
import { type Cell, moved } from './keys.ts';
import { usePages } from './pages.ts';
import { ROW_HEIGHT, useRowWindow } from './row-window.ts';

interface GridProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly query: ListQuery;
  /** Undefined until it is counted: the list then grows as it is scrolled. */
  readonly total: number | undefined;
  readonly onSort: (sort: string) => void;
}

/** The rows come from the pages; the table only keeps the columns. */
const NO_ROWS: RawRecord[] = [];

export function Grid({ application, collection, query, total, onSort }: GridProps) {
  const t = useTranslations('grid');
  const navigate = useNavigate();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<Cell>({ row: 0, column: 0 });
  const [seen, setSeen] = useState({ first: 0, last: 0 });

  const columns = useMemo(() => gridColumns(collection, (key) => t(METADATA_NAMES[key])), [collection, t]);
  const table = useTable({
    features,
    columns: useMemo(() => tableColumns(columns), [columns]),
    data: NO_ROWS,
    columnResizeMode: 'onChange',
  });
  const headers = table.getHeaderGroups()[0]?.headers ?? [];
  const widths = headers.map((header) => header.getSize());

  const rows = usePages(application, collection.id, query, seen);
  const count = rows.complete ? rows.count : (total ?? rows.count);
  const window = useRowWindow(scroller, count, ROW_HEIGHT);
  // The window depends on the count and the pages on the window; this settles in one more round.
  if (window.first !== seen.first || window.last !== seen.last) setSeen({ first: window.first, last: window.last });

  function go(cell: Cell): void {
    setActive(cell);
    window.scrollTo(cell.row);
  }

  function onKeyDown(event: React.KeyboardEvent): void {
    if (event.target !== event.currentTarget) return;
    const record = rows.at(active.row);
    if (event.key === 'Enter' && record !== undefined) {
      const params = { application, collection: collection.id, record: record.id };
      void navigate({ to: '/$application/$collection/$record', params });
      return;
    }
    const pageRows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 2);
    const next = moved(active, event, { rows: count, columns: columns.length, pageRows });
    if (next === undefined) return;
    event.preventDefault();
    go(next);
  }

  const shown = Array.from(
    { length: Math.max(0, window.last - window.first + 1) },
    (_, offset) => window.first + offset,
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element cannot be windowed this way
    <div
      role="grid"
      ref={scroller}
      className="grid-scroller"
      tabIndex={0}
      aria-label={t('table', { name: collection.name })}
      aria-rowcount={rows.complete || total !== undefined ? count + 1 : -1}
      aria-colcount={columns.length}
      aria-activedescendant={`cell-${active.row}-${active.column}`}
      onKeyDown={onKeyDown}
    >
      <GridHead columns={columns} headers={headers} widths={widths} query={query} onSort={onSort} />
      <div className="grid-body" style={{ height: window.height }}>
        <div className="grid-rows" style={{ transform: `translateY(${window.top}px)` }}>
          {shown.map((row) => (
            <GridRow
              key={row}
              row={row}
              record={rows.at(row)}
              columns={columns}
              widths={widths}
              application={application}
              collection={collection.id}
              activeColumn={row === active.row ? active.column : undefined}
              onActivate={setActive}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

const METADATA_NAMES = {
  createdAt: 'created',
  createdBy: 'createdBy',
  updatedAt: 'updated',
  updatedBy: 'updatedBy',
} as const satisfies Record<MetadataKey, string>;
