// A record as the grid shows it, with changes that are on their way.

import type { RawRecord } from '../../../../client/src/shapes.ts';
import type { CellEdit } from './cell-edits.ts';

export function withCells(record: RawRecord, cells: ReadonlyMap<string, CellEdit> | undefined): RawRecord {
  if (cells === undefined) return record;
  const values = { ...record.values };
  for (const [columnId, { state, wanted }] of cells) {
    if (state === 'refused') continue;
    if (wanted === null) delete values[columnId];
    else values[columnId] = wanted;
  }
  return { ...record, values };
}
