// The grid itself: sticky head, rows in sight only, one active cell that the keyboard moves.

import { useQuery } from '@tanstack/react-query';
import { Suspense, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { usePages } from '../api/pages.ts';
import { sessionQuery } from '../api/session.ts';
import { late } from '../frame/late.ts';
import { isFocusLost } from '../frame/lost-focus.ts';
import { isNothing } from '../many/record-selection.ts';
import { SelectAll } from '../many/SelectAll.tsx';
import { SELECT_WIDTH } from '../many/SelectCell.tsx';
import { useSelectedRecords } from '../many/use-selected-records.ts';
import type { ViewProps } from '../views/view-props.ts';
import { useColumnWindow } from './column-window.ts';
import { useEditing } from './edit/use-editing.tsx';
import { useFollowedRecord } from './edit/use-followed-record.ts';
import { cellAt, useSelection } from './edit/use-selection.ts';
import { GridHead } from './GridHead.tsx';
import { GridKeys } from './GridKeys.tsx';
import { GridRow } from './GridRow.tsx';
import { usualWidth } from './grid-columns.ts';
import { type Cell, moved } from './keys.ts';
import { useMoves } from './moves.ts';
import { nameWidth } from './name-width.ts';
import { placeIn, useKeptPlace, wasAmong } from './place.ts';
import { useRecordLinks } from './record-links.ts';
import { ROW_HEIGHT, useRowWindow } from './row-window.ts';
import { isSamePlace, type Place, useShownWindow } from './shown-window.ts';
import { useGridColumns } from './use-grid-columns.ts';

const ManyBar = late(async () => (await import('../many/ManyBar.tsx')).ManyBar);

export function Grid(props: ViewProps) {
  const { application, collection, query, total, onAddress, columns: settings, onColumns } = props;
  const t = useTranslations('grid');
  const links = useRecordLinks(application, collection.id);
  const scroller = useRef<HTMLDivElement>(null);
  const place = `${application} ${collection.id} `;
  const list = place + JSON.stringify(query);
  const keys = useRef<HTMLTextAreaElement>(null);
  const focus = () => keys.current?.focus({ preventScroll: true });
  // Somebody who comes back from a record, or has sorted the list, goes on in it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the list is opened
  useEffect(() => {
    if (wasAmong(place) && isFocusLost()) focus();
  }, []);
  const selection = useSelection(focus, () => placeIn(list)?.active);
  const { active, range } = selection;
  // The cell with an open editor stays on the page however far it is scrolled away, with what is typed there.
  const [edited, setEdited] = useState<Cell>();
  const [seen, setSeen] = useState<Place>({ first: 0, last: 0, sight: { first: 0, last: 0 }, lead: 0 });

  const { all, shown: columns } = useGridColumns(collection, settings);
  const [sizing, setSizing] = useState<{ readonly id: string; readonly width: number }>();
  const widths = useMemo(
    () =>
      columns.map((column) =>
        sizing?.id === column.id ? sizing.width : (settings.widths[column.id] ?? usualWidth(column, nameWidth)),
      ),
    [columns, settings, sizing],
  );
  const {
    places,
    width,
    scrollTo: scrollToColumn,
  } = useColumnWindow(scroller, {
    widths,
    frozen: settings.frozen,
    lead: SELECT_WIDTH,
    kept: edited?.column,
  });

  const rows = usePages(application, collection.id, query, seen);
  useFollowedRecord(list, selection, rows.at);
  const selecting = useSelectedRecords({ application, collection: collection.id, query }, rows);
  const [selectedOnce, setSelectedOnce] = useState(false);
  if (!selectedOnce && !isNothing(selecting.selection)) setSelectedOnce(true);
  const count = rows.complete ? rows.count : (total ?? rows.count);
  const window = useRowWindow(scroller, count, ROW_HEIGHT);
  useKeptPlace(list, { scroller, active, height: window.height });
  // The window depends on the count and the pages on the window; this settles in one more round.
  if (!isSamePlace(window, seen)) setSeen(window);
  const { drawn, top, isHeld } = useShownWindow(list, window, {
    asked: rows.asked,
    isKnown: ({ first, last }) => spanOf(first, last).some(rows.isRead),
    rowHeight: ROW_HEIGHT,
  });

  function go(cell: Cell, extend = false): void {
    selection.select(cell, extend);
    window.scrollTo(cell.row);
    scrollToColumn(cell.column);
  }

  const editing = useEditing({
    grid: {
      application,
      collection,
      query,
      columns,
      at: rows.at,
      count,
      complete: rows.complete || total !== undefined,
      session: useQuery(sessionQuery(application)).data ?? undefined,
    },
    selection,
    go,
    focus,
    onEdited: setEdited,
    onOpen: ({ id }) => links.open(id),
  });

  const moves = useMoves(go);
  const onOtherKey = useRef((_event: React.KeyboardEvent) => {});
  useLayoutEffect(() => {
    onOtherKey.current = (event) => {
      if (event.key !== ' ' || !event.shiftKey) {
        editing.onKey(event);
        return;
      }
      event.preventDefault();
      selecting.toggle(active.row, false);
    };
  });

  function onKeyDown(event: React.KeyboardEvent): void {
    const pageRows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 2);
    const next = moved(moves.ahead() ?? active, event, { rows: count, columns: columns.length, pageRows });
    if (next === undefined) {
      moves.settle();
      onOtherKey.current(event);
      return;
    }
    event.preventDefault();
    moves.move(next, event.shiftKey);
  }

  // The head is memoized, so what it is given must stay the same.
  const arrangement = useMemo(() => ({ all, shown: columns, settings }), [all, columns, settings]);
  const isSearch = query.search !== '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it calls depends on the selection alone
  const selectAll = useMemo(() => <SelectAll selecting={selecting} hits={isSearch} />, [selecting.selection, isSearch]);
  const onSort = useCallback((sort: string) => onAddress({ sort }), [onAddress]);
  const onSizing = useCallback(
    (id: string, next: number | undefined) => setSizing(next === undefined ? undefined : { id, width: next }),
    [],
  );

  const shown = [
    ...(edited !== undefined && edited.row < drawn.first ? [edited.row] : []),
    ...spanOf(drawn.first, drawn.last),
    ...(edited !== undefined && edited.row > drawn.last ? [edited.row] : []),
  ];
  return (
    <>
      <GridKeys
        field={keys}
        grid="grid"
        label={t('table', { name: collection.name })}
        active={active}
        onKeyDown={onKeyDown}
        onCopy={editing.onCopy}
        onCut={editing.onCut}
        onPaste={editing.onPaste}
        onWord={editing.onWord}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: a table element cannot be windowed this way */}
      <div
        role="grid"
        id="grid"
        ref={scroller}
        className="grid-scroller"
        tabIndex={-1}
        aria-label={t('table', { name: collection.name })}
        aria-rowcount={rows.complete || total !== undefined ? count + 1 : -1}
        aria-colcount={columns.length + 1}
        aria-multiselectable
        aria-busy={isHeld}
        aria-activedescendant={`cell-${active.row}-${active.column}`}
        onFocus={(event) => {
          if (event.target === event.currentTarget) focus();
        }}
      >
        <GridHead
          lead={selectAll}
          arrangement={arrangement}
          places={places}
          width={width}
          query={query}
          activeColumn={active.column}
          onSort={onSort}
          onColumns={onColumns}
          onSizing={onSizing}
        />
        {/* biome-ignore lint/a11y: the grid around it has the keys */}
        <div
          className="grid-body"
          style={{ height: window.height }}
          onMouseDown={(event) => {
            moves.settle();
            selection.onMouseDown(event);
          }}
          onMouseOver={selection.onMouseOver}
          onDragStart={(event) => event.preventDefault()}
          onDoubleClick={(event) => {
            if (cellAt(event.target) !== undefined) editing.onDoubleClick();
          }}
          onClick={(event) => {
            links.onClick(event);
            if (selection.isSecondTap(event)) editing.onDoubleClick();
          }}
        >
          <div className={`grid-rows ${isHeld ? 'held' : ''}`} style={{ transform: `translateY(${top}px)` }}>
            {shown.map((row) => {
              const record = rows.at(row);
              const over = editing.over?.recordId === record?.id ? editing.over : undefined;
              return (
                <GridRow
                  key={row}
                  row={row}
                  away={row < drawn.first || row > drawn.last ? (row - drawn.first) * ROW_HEIGHT : undefined}
                  record={record}
                  columns={columns}
                  places={places}
                  width={width}
                  application={application}
                  collection={collection.id}
                  hrefOf={links.hrefOf}
                  isSelected={record !== undefined && selecting.isSelected(record.id)}
                  isActive={row === active.row}
                  onToggle={selecting.toggle}
                  onAll={selecting.selectAll}
                  activeColumn={row === active.row ? active.column : undefined}
                  edits={record && editing.edits.of(record.id)}
                  readOnly={record !== undefined && !editing.mayWrite(record)}
                  over={over}
                  {...(row >= range.top && row <= range.bottom ? { from: range.left, to: range.right } : {})}
                />
              );
            })}
          </div>
        </div>
      </div>
      {isHeld && (
        <div className="grid-place" aria-hidden="true">
          {t('row', { number: window.sight.first + 1 })}
        </div>
      )}
      {editing.beside}
      {selectedOnce && (
        <Suspense>
          <ManyBar
            application={application}
            collection={collection}
            query={query}
            columns={settings}
            total={rows.complete ? rows.count : total}
            selecting={selecting}
          />
        </Suspense>
      )}
    </>
  );
}

const spanOf = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset);
