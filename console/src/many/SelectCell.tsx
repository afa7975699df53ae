// The first cell of a row, which selects its record: by click, with Shift a range, and by the keys that move in it.

import { memo } from 'react';
import { useTranslations } from 'use-intl';

/** Room for the box and a finger. */
export const SELECT_WIDTH = 40;

interface SelectCellProps {
  readonly row: number;
  readonly isSelected: boolean;
  /** By the Tab key. */
  readonly isReachable: boolean;
  readonly onToggle: (row: number, extend: boolean) => void;
  readonly onAll: () => void;
}

const idOf = (row: number): string => `select-${row}`;

export const SelectCell = memo(function SelectCell(props: SelectCellProps) {
  const { row, isSelected, isReachable, onToggle, onAll } = props;
  const t = useTranslations('many');

  function onKeyDown(event: React.KeyboardEvent): void {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const isAll = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'a';
    if (by === undefined && !isAll) return;
    event.preventDefault();
    if (by === undefined) {
      onAll();
      return;
    }
    const next = document.getElementById(idOf(row + by));
    if (next === null) return;
    next.focus();
    next.scrollIntoView({ block: 'nearest' });
    if (event.shiftKey) onToggle(row + by, true);
  }

  return (
    // biome-ignore lint/a11y: a cell of the grid, which has the focus
    <div role="gridcell" className="grid-lead" aria-colindex={1}>
      <input
        type="checkbox"
        id={idOf(row)}
        className="grid-check"
        tabIndex={isReachable ? 0 : -1}
        aria-label={t('select', { number: row + 1 })}
        checked={isSelected}
        onChange={({ nativeEvent }) => onToggle(row, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
});
