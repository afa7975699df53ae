// The box in the head of the grid: all records that match, or none.

import { useTranslations } from 'use-intl';
import { isNothing } from './record-selection.ts';
import type { Selecting } from './use-selected-records.ts';

interface SelectAllProps {
  readonly selecting: Selecting;
  /** Whether there is a search. */
  readonly hits: boolean;
}

export function SelectAll({ selecting: { selection, toggleAll }, hits }: SelectAllProps) {
  const t = useTranslations('many');
  const isAll = selection.all && selection.ids.size === 0;
  return (
    // biome-ignore lint/a11y: a cell of the grid, which has the focus
    <div role="columnheader" className="grid-lead" aria-colindex={1}>
      <input
        type="checkbox"
        className="grid-check"
        aria-label={t(hits ? 'selectAllHits' : 'selectAll')}
        checked={isAll}
        ref={(box) => {
          if (box !== null) box.indeterminate = !isAll && !isNothing(selection);
        }}
        onChange={toggleAll}
      />
    </div>
  );
}
