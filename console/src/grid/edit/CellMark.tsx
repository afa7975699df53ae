// How far a change has come, at the edge of its cell: by sign, not by colour alone.

import { useTranslations } from 'use-intl';
import type { EditState } from './cell-edits.ts';

const SIGNS: Readonly<Record<EditState, string>> = { storing: '…', unsent: '↻', refused: '!', conflict: '≠' };

export function CellMark({ state }: { readonly state: EditState }) {
  const t = useTranslations('editing');
  return (
    <span className="grid-cell-mark" role="img" aria-label={t(`marks.${state}`)} title={t(`marks.${state}`)}>
      {SIGNS[state]}
    </span>
  );
}
