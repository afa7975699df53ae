// One row of the grid: a cell for each column.

import { memo } from 'react';
import { useTranslations } from 'use-intl';
import type { RawRecord } from '../api/client.ts';
import { SelectCell } from '../many/SelectCell.tsx';
import { Moment } from '../values/show/date-time.tsx';
import { ShownValue } from '../values/show/ShownValue.tsx';
import { PersonName } from '../values/show/user.tsx';
import { type Where, whereIn } from '../values/where.ts';
import type { ColumnPlace } from './column-place.ts';
import { CellMark } from './edit/CellMark.tsx';
import type { CellEdit } from './edit/cell-edits.ts';
import { withCells } from './edit/shown-record.ts';
import type { Editing } from './edit/use-editing.tsx';
import { type GridColumn, isNumeric } from './grid-columns.ts';

interface GridRowProps {
  readonly row: number;
  /** Where it stands while it is out of sight, in pixels from the first row in sight. */
  readonly away: number | undefined;
  readonly record: RawRecord | undefined;
  readonly columns: readonly GridColumn[];
  readonly places: readonly ColumnPlace[];
  /** Of all columns, in pixels. */
  readonly width: number;
  readonly application: string;
  readonly collection: string;
  /** The address of a record's page. */
  readonly hrefOf: (record: string) => string;
  /** Among those that something can be done with at once. */
  readonly isSelected: boolean;
  readonly isActive: boolean;
  readonly onToggle: (row: number, extend: boolean) => void;
  readonly onAll: () => void;
  readonly activeColumn: number | undefined;
  /** Changes that are on their way, by column. */
  readonly edits: ReadonlyMap<string, CellEdit> | undefined;
  /** Whether this person may not change the record. */
  readonly readOnly: boolean;
  /** What stands over one of the cells. */
  readonly over: Editing['over'];
  /** The columns that are selected, if any. */
  readonly from?: number;
  readonly to?: number;
}

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const {
    row,
    away,
    columns,
    places,
    width,
    application,
    collection,
    hrefOf,
    isSelected,
    isActive,
    onToggle,
    onAll,
    activeColumn,
    edits,
    readOnly,
    over,
    from = 0,
    to = -1,
  } = props;
  const record = props.record && withCells(props.record, edits);
  return (
    // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: a row of the grid, which has the focus
    <div
      role="row"
      className={`grid-row ${isSelected ? 'selected' : ''} ${isActive ? 'active' : ''}`}
      aria-rowindex={row + 2}
      style={away === undefined ? { width } : { width, position: 'absolute', top: away }}
    >
      <SelectCell row={row} isSelected={isSelected} isReachable={isActive} onToggle={onToggle} onAll={onAll} />
      {onPage(places, columns).map(({ column, index, ...place }) => {
        const fixed = readOnly || column.column === undefined;
        const selected = index >= from && index <= to;
        const edit = edits?.get(column.id);
        const overCell = over?.columnId === column.id ? over : undefined;
        const states = [index === activeColumn && 'active', selected && 'selected', overCell?.state, edit?.state];
        return (
          // biome-ignore lint/a11y: a cell of the grid, which has the focus and the keys
          <div
            key={column.id}
            role="gridcell"
            id={`cell-${row}-${index}`}
            className={cellClass(column, place.left !== undefined, states)}
            style={{ width: place.width, left: place.left, marginLeft: place.gap || undefined }}
            aria-colindex={index + 2}
            aria-selected={selected || isActive ? selected : undefined}
            aria-readonly={fixed || undefined}
            aria-invalid={edit?.state === 'refused' || undefined}
          >
            {record === undefined ? (
              <span className="grid-waiting" />
            ) : (
              overCell?.state !== 'editing' && (
                <CellContent
                  column={column}
                  record={record}
                  where={{
                    application,
                    collection,
                    in: 'cell',
                    width: index === activeColumn ? undefined : place.width,
                  }}
                  href={index === 0 ? hrefOf(record.id) : undefined}
                  mark={edit && <CellMark state={edit.state} />}
                />
              )
            )}
            {overCell?.node}
          </div>
        );
      })}
    </div>
  );
});

const onPage = (places: readonly ColumnPlace[], columns: readonly GridColumn[]) =>
  places.flatMap((place) => {
    const column = columns[place.index];
    return column === undefined ? [] : [{ ...place, column }];
  });

const cellClass = (column: GridColumn, frozen: boolean, states: readonly (string | false | undefined)[]): string =>
  ['grid-cell', frozen && 'frozen', isNumeric(column) && 'numeric', ...states].filter(Boolean).join(' ');

interface CellValueProps {
  readonly column: GridColumn;
  readonly record: RawRecord;
  readonly where: Where;
}

interface CellContentProps extends CellValueProps {
  /** The first cell leads to the record's page. */
  readonly href: string | undefined;
  /** What became of a change. */
  readonly mark: React.ReactNode;
}

function CellContent({ href, mark, ...cell }: CellContentProps) {
  if (href !== undefined) return <LeadingContent href={href} mark={mark} {...cell} />;
  return (
    <>
      <CellValue {...cell} />
      {mark}
    </>
  );
}

/** For the mouse and the finger; the keyboard and screen readers have the link in the cell. */
const POINTED = { 'aria-hidden': true } as const;

interface LeadingContentProps extends CellContentProps {
  readonly href: string;
}

function LeadingContent({ column, record, where, href, mark }: LeadingContentProps) {
  const t = useTranslations('grid');
  const link = { href, 'data-record': record.id, tabIndex: -1 };
  const empty = column.column !== undefined && record.values[column.id] === undefined;
  return (
    <>
      <a {...link} className="grid-cell-link">
        {empty ? '…' : <CellValue column={column} record={record} where={{ ...where, linked: true }} />}
      </a>
      {mark}
      <a {...link} {...POINTED} className="grid-open" title={t('open')} />
    </>
  );
}

function CellValue({ column, record, where }: CellValueProps) {
  switch (column.metadata) {
    case 'createdAt':
    case 'updatedAt':
      return <Moment at={record[column.metadata]} />;
    case 'createdBy':
    case 'updatedBy':
      return <PersonName person={record[column.metadata]} />;
    default: {
      const value = record.values[column.id];
      return value === undefined ? null : <ShownValue value={value} where={whereIn(column.column, where)} />;
    }
  }
}
