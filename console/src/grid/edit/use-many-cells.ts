// Copying, cutting, pasting and clearing of ranges: what will happen is asked before when it is much.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { RawRecord } from '../../api/client.ts';
import { forgetLists } from '../../api/records.ts';
import { useSentence } from '../../messages/problem.ts';
import { useZone } from '../../messages/time-zone.tsx';
import { mayWrite } from '../../record/may-write.ts';
import type { CellChange, CellEdits } from './cell-edits.ts';
import { type Copied, copyCells, pastedTable } from './copied-cells.ts';
import type { NewRecords } from './create-records.ts';
import type { EditedGrid } from './grid-context.ts';
import { loadRows } from './load-rows.ts';
import type { Asked, NotCreated } from './PasteDialogs.tsx';
import { cellsIn, placeTable, type Range } from './ranges.ts';
import type { Paste } from './read-paste.ts';
import { withCells } from './shown-record.ts';

/** What a person can still look over; import and export are for more. */
const CELLS_MAX = 10_000;
/** Fewer need no question: they can be undone. */
const UNASKED_MAX = 20;

export interface ManyCells {
  readonly asked: Asked | undefined;
  readonly notCreated: NotCreated | undefined;
  readonly close: () => void;
  readonly onCopy: (event: React.ClipboardEvent) => void;
  readonly onCut: (event: React.ClipboardEvent) => void;
  readonly onPaste: (event: React.ClipboardEvent) => void;
  readonly clear: () => void;
}

interface Given {
  readonly grid: EditedGrid;
  readonly range: Range;
  readonly edits: CellEdits;
  readonly say: (text: string | undefined) => void;
  /** Selects what was pasted. */
  readonly onPlaced: (range: Range) => void;
}

export function useManyCells({ grid, range, edits, say, onPlaced }: Given): ManyCells {
  const t = useTranslations('editing');
  const words = useTranslations('common');
  const sentence = useSentence();
  const locale = useLocale();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<Asked>();
  const [notCreated, setNotCreated] = useState<NotCreated>();
  const { application, collection, columns } = grid;
  const writing = { locale, timeZone: useZone(), yes: words('yes'), no: words('no') };

  /** Runs work that may have to load rows; what goes wrong is said. */
  function run(work: () => Promise<void>): void {
    work().catch((error: unknown) => say(sentence(error)));
  }
  async function recordsOf({ top, bottom }: Range): Promise<(row: number) => RawRecord | undefined> {
    const last = Math.min(bottom, grid.count - 1);
    for (let row = top; row <= last; row += 1) {
      if (grid.at(row) !== undefined) continue;
      say(t('reading'));
      return await loadRows(
        queries,
        { application, collection: collection.id, query: grid.query },
        { first: top, last },
      );
    }
    return grid.at;
  }
  const tooMany = (cells: number): boolean => {
    if (cells > CELLS_MAX) say(t('tooMany', { max: CELLS_MAX }));
    return cells > CELLS_MAX;
  };

  function copied(at: (row: number) => RawRecord | undefined): Copied {
    const rows = Array.from({ length: range.bottom - range.top + 1 }, (_, offset) => at(range.top + offset));
    const shown = rows.filter((record) => record !== undefined).map((record) => withCells(record, edits.of(record.id)));
    return copyCells(shown, columns.slice(range.left, range.right + 1), writing);
  }
  function copy(event: React.ClipboardEvent): boolean {
    event.preventDefault();
    const count = cellsIn(range);
    if (tooMany(count)) return false;
    for (let row = range.top; row <= range.bottom; row += 1) {
      if (grid.at(row) !== undefined) continue;
      // The event does not wait; the next one finds the rows.
      run(async () => {
        await recordsOf(range);
        say(t('copyAgain'));
      });
      return false;
    }
    const { text, html } = copied(grid.at);
    event.clipboardData.setData('text/plain', text);
    event.clipboardData.setData('text/html', html);
    say(t('copied', { count }));
    return true;
  }

  async function clearRange(): Promise<void> {
    if (tooMany(cellsIn(range))) return;
    const at = await recordsOf(range);
    const changes: CellChange[] = [];
    let fixed = 0;
    for (let row = range.top; row <= range.bottom; row += 1) {
      const record = at(row);
      if (record === undefined) continue;
      for (const { column } of columns.slice(range.left, range.right + 1)) {
        if (column === undefined || !mayWrite(grid, record)) fixed += 1;
        else if (edits.value(record, column.id) !== undefined)
          changes.push({ record, columnId: column.id, wanted: null });
      }
    }
    const nothing = { creates: 0, unread: 0, unreadNew: 0, leftOut: 0 };
    askOrGo({ kind: 'clear', ...sizeOf(changes), ...nothing, fixed, go: () => edits.change(changes) });
  }

  async function paste(text: string): Promise<void> {
    if (grid.session === undefined) return;
    const table = pastedTable(text);
    const width = Math.max(...table.map((row) => row.length));
    if (tooMany(table.length * width) || (table.length * width === 1 && tooMany(cellsIn(range)))) return;
    // A list whose end is not known yet has no place for new rows.
    const rows = grid.complete ? grid.count : Number.POSITIVE_INFINITY;
    const placing = placeTable(table, range, { rows, columns: columns.length });
    if (tooMany(placing.cells.length)) return;
    const recordAt = await recordsOf(placing.target);
    say(t('reading'));
    const [{ readPaste }, { seekIn }] = await Promise.all([import('./read-paste.ts'), import('./seek.ts')]);
    const read = await readPaste(
      placing,
      {
        columns,
        recordAt,
        valueOf: (record, id) => edits.value(record, id),
        mayWrite: (record) => mayWrite(grid, record),
      },
      { writing, seek: seekIn(application, grid.session, queries) },
    );
    say(undefined);
    askOrGo({
      kind: 'paste',
      ...sizeOf(read.changes),
      creates: read.newRecords.length,
      unread: read.unread.length,
      unreadNew: read.unreadNew,
      fixed: read.fixed,
      leftOut: placing.columnsLeftOut,
      go: () => {
        onPlaced(placing.target);
        apply(read);
      },
    });
  }

  function askOrGo(planned: Asked): void {
    if (planned.cells + planned.creates + planned.unread === 0) say(t('nothingChanged'));
    else if (planned.cells > UNASKED_MAX || planned.creates > 0) setAsked(planned);
    else planned.go();
  }

  function apply({ changes, unread, newRecords }: Paste): void {
    edits.change(changes);
    for (const { record, columnId, problem, text } of unread) {
      const base = edits.value(record, columnId) ?? null;
      edits.refuse(record.id, columnId, { base, wanted: base, reason: { kind: 'paste', problem, text } });
    }
    if (newRecords.length > 0) create({ key: crypto.randomUUID(), rows: newRecords, from: 0 });
  }

  function create(wanted: NewRecords): void {
    run(async () => {
      const all = wanted.rows.length;
      const onProgress = (done: number) => say(t('creating', { done, all }));
      onProgress(wanted.from);
      const { createRecords } = await import('./create-records.ts');
      const { records, refused, stopped } = await createRecords(application, collection.id, wanted, onProgress);
      say(t('created', { count: records.length }));
      if (records.length > 0) forgetLists(queries, application, collection.id);
      if (refused.length === 0 && stopped === undefined) return;
      const retry = stopped && (() => create({ ...wanted, from: stopped.index }));
      setNotCreated({ rows: refused, retry, stoppedBy: stopped?.reason });
    });
  }

  return {
    asked,
    notCreated,
    close: () => {
      setAsked(undefined);
      setNotCreated(undefined);
    },
    onCopy: (event) => void copy(event),
    onCut: (event) => {
      if (copy(event)) run(clearRange);
    },
    onPaste: (event) => {
      event.preventDefault();
      const text = event.clipboardData.getData('text/plain');
      if (text !== '') run(() => paste(text));
    },
    clear: () => run(clearRange),
  };
}

const sizeOf = (changes: readonly CellChange[]) => ({
  cells: changes.length,
  records: new Set(changes.map(({ record }) => record.id)).size,
});
