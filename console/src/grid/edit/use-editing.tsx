// Editing in the grid: one cell at a time by its editor, ranges by the clipboard, and what the keys and the mouse do.

import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslations } from 'use-intl';
import type { ColumnDefinition, RawRecord, RawValue } from '../../api/client.ts';
import { useHeldOrder, useOnlyHeld } from '../../api/held-order.ts';
import { forgetLists } from '../../api/records.ts';
import { loadLate } from '../../frame/late.ts';
import { mayWrite } from '../../record/may-write.ts';
import { isLine } from '../../values/edit/EditedLine.tsx';
import type { Cell } from '../keys.ts';
import { actionOf } from './actions.ts';
import type { CellNote } from './CellNote.tsx';
import type { CellEditorProps } from './cell-editor.ts';
import type { CellEdit, CellEdits, EditState } from './cell-edits.ts';
import { EditorInCell } from './EditorInCell.tsx';
import type { EditorInPopover } from './EditorInPopover.tsx';
import { EditStatus } from './EditStatus.tsx';
import type { EditedGrid } from './grid-context.ts';
import type { AskBefore, SayNotCreated } from './PasteDialogs.tsx';
import type { Range } from './ranges.ts';
import { useReasonText } from './reason-text.ts';
import { useCellEdits } from './use-cell-edits.ts';
import { useManyCells } from './use-many-cells.ts';
import type { Selection } from './use-selection.ts';
import './editing.css';

interface Edited {
  readonly record: RawRecord;
  readonly column: ColumnDefinition;
  readonly value: RawValue | undefined;
  readonly problem: string | undefined;
}

interface Parts {
  readonly EditorInPopover: typeof EditorInPopover;
  readonly CellNote: typeof CellNote;
  readonly AskBefore: typeof AskBefore;
  readonly SayNotCreated: typeof SayNotCreated;
}

/** They come after the first rows, unlike the editors in cells: what is typed there must not be lost. */
function useParts(isShown: boolean): Parts | undefined {
  const [parts, setParts] = useState<Parts>();
  useEffect(() => {
    if (!isShown) return;
    return loadLate(async () => {
      const [editor, note, dialogs] = await Promise.all([
        import('./EditorInPopover.tsx'),
        import('./CellNote.tsx'),
        import('./PasteDialogs.tsx'),
      ]);
      setParts({ ...editor, ...note, ...dialogs });
    });
  }, [isShown]);
  return parts;
}

export interface Editing {
  readonly edits: CellEdits;
  /** What stands in a cell instead of or over its value, if anything: the editor, or what became of a change. */
  readonly over:
    | {
        readonly recordId: string;
        readonly columnId: string;
        readonly node: ReactNode;
        /** The cell is edited itself, or in a popover. */
        readonly state: 'editing' | 'opened' | undefined;
      }
    | undefined;
  /** What stands beside the rows. */
  readonly beside: ReactNode;
  readonly mayWrite: (record: RawRecord) => boolean;
  /** Whether the key was one of editing. */
  readonly onKey: (event: React.KeyboardEvent) => boolean;
  readonly onDoubleClick: () => void;
  /** A word that an input method has composed. */
  readonly onWord: (text: string) => void;
  readonly onCopy: (event: React.ClipboardEvent) => void;
  readonly onCut: (event: React.ClipboardEvent) => void;
  readonly onPaste: (event: React.ClipboardEvent) => void;
}

interface Given {
  readonly grid: EditedGrid;
  readonly selection: Selection;
  readonly go: (cell: Cell) => void;
  readonly focus: () => void;
  /** The cell whose editor is open. */
  readonly onEdited: (cell: Cell | undefined) => void;
  readonly onOpen: (record: RawRecord) => void;
}

export function useEditing({ grid, selection, go, focus, onEdited, onOpen }: Given): Editing {
  const t = useTranslations('editing');
  const reasonText = useReasonText();
  const { application, collection, columns, session } = grid;
  const { active, range } = selection;
  const { edits, counts } = useCellEdits({ application, collection: collection.id, userId: session?.user.id ?? '' });
  const [edited, setEditedState] = useState<Edited>();
  const setEdited = (next: Edited | undefined) => {
    setEditedState(next);
    if (next === undefined) onEdited(undefined);
  };
  const [said, setSaid] = useState<string>();
  const parts = useParts(grid.complete || grid.at(active.row) !== undefined);
  const noteActions = useRef<HTMLDivElement>(null);
  const many = useManyCells({
    grid,
    range,
    edits,
    say: setSaid,
    onPlaced: ({ top, left, bottom, right }: Range) =>
      selection.selectRange({ row: bottom, column: right }, { row: top, column: left }),
  });
  const queries = useQueryClient();
  const held = useHeldOrder(application, collection.id, grid.query);
  useOnlyHeld(application, collection.id, grid.query);
  const refresh = held
    ? () => {
        focus();
        forgetLists(queries, application, collection.id);
      }
    : undefined;
  const where = { application, collection: collection.id, in: 'cell' } as const;
  const column = columns[active.column];
  const record = grid.at(active.row);
  const edit = record === undefined || column === undefined ? undefined : edits.of(record.id)?.get(column.id);

  /** The record and column that the active cell lets change; otherwise says why not. */
  function changeable(): { readonly record: RawRecord; readonly column: ColumnDefinition } | undefined {
    if (record === undefined || column === undefined) return undefined;
    if (column.column === undefined) setSaid(t('readOnlyColumn', { name: column.name }));
    else if (!mayWrite(grid, record)) setSaid(t('readOnlyRecord'));
    else return { record, column: column.column };
    return undefined;
  }

  function begin(replace: boolean): void {
    const target = changeable();
    if (target === undefined) return;
    onEdited(active);
    // At once, so that the key that began it is typed into the editor.
    flushSync(() => {
      setSaid(undefined);
      setEdited({
        ...target,
        value: replace ? undefined : typedBefore(edit, edits.value(target.record, target.column.id)),
        problem:
          edit?.state === 'refused' && edit.reason !== undefined && !replace ? reasonText(edit.reason) : undefined,
      });
    });
  }

  function toggle(): void {
    const target = changeable();
    if (target === undefined) return;
    const now = edits.value(target.record, target.column.id);
    const wanted = { type: 'Boolean', value: !(now?.type === 'Boolean' && now.value) } as const;
    edits.change([{ record: target.record, columnId: target.column.id, wanted }]);
  }

  function onKey(event: React.KeyboardEvent): boolean {
    const action = actionOf(event, column?.column?.type === 'Boolean');
    switch (action) {
      case 'open':
        if (record !== undefined) onOpen(record);
        break;
      case 'edit':
        if (edit?.state === 'conflict') noteActions.current?.querySelector('button')?.focus();
        // Nothing of it can be edited, so that Enter leads on.
        else if (event.key === 'Enter' && record !== undefined && !mayWrite(grid, record)) onOpen(record);
        else begin(false);
        break;
      case 'replace':
        begin(true);
        // The browser types the key into the editor that has the focus by now.
        return true;
      case 'toggle':
        toggle();
        break;
      case 'clear':
        many.clear();
        break;
      case 'selectAll':
        selection.selectRange({ row: grid.count - 1, column: columns.length - 1 }, { row: 0, column: 0 });
        break;
      case 'undo':
        setSaid(t(edits.undo() ? 'undone' : 'nothingToUndo'));
        break;
      case 'redo':
        setSaid(t(edits.redo() ? 'redone' : 'nothingToRedo'));
        break;
      case 'leave':
        selection.select(active);
        setSaid(undefined);
        break;
      default:
        return false;
    }
    event.preventDefault();
    return true;
  }

  function show(state: EditState): void {
    const found = edits.find(state);
    const row = found && rowOf(found.recordId);
    const index = columns.findIndex(({ id }) => id === found?.columnId);
    focus();
    if (row !== undefined && index >= 0) go({ row, column: index });
  }

  /** Among the rows that are loaded. */
  function rowOf(recordId: string): number | undefined {
    for (let row = 0; row < Math.min(grid.count, SOUGHT_MAX); row += 1) if (grid.at(row)?.id === recordId) return row;
    return undefined;
  }

  function store(value: RawValue | undefined, move: { readonly rows: number; readonly columns: number }): void {
    if (edited === undefined) return;
    setEdited(undefined);
    edits.change([{ record: edited.record, columnId: edited.column.id, wanted: value ?? null }]);
    if (move.rows === 0 && move.columns === 0) return;
    focus();
    go({
      row: Math.max(0, Math.min(grid.count - 1, active.row + move.rows)),
      column: Math.max(0, Math.min(columns.length - 1, active.column + move.columns)),
    });
  }

  function over(): Editing['over'] {
    if (edited !== undefined) {
      const { record: of, column: changed } = edited;
      const { type } = changed;
      const editor: CellEditorProps = {
        ...edited,
        where,
        onValue: (value) => setEdited({ ...edited, value, problem: undefined }),
        onStore: store,
        onLeave: () => {
          setEdited(undefined);
          focus();
        },
      };
      const [key, at] = [`${of.id} ${changed.id}`, { recordId: of.id, columnId: changed.id }];
      if (isLine(type)) return { ...at, node: <EditorInCell key={key} type={type} {...editor} />, state: 'editing' };
      return { ...at, node: parts && <parts.EditorInPopover key={key} {...editor} />, state: 'opened' };
    }
    if (parts === undefined) return undefined;
    if (record === undefined || column === undefined || edit === undefined || edit.state === 'storing')
      return undefined;
    const leaveAfter = (work: () => void) => () => {
      focus();
      work();
    };
    const node = (
      <parts.CellNote
        edit={edit}
        where={where}
        actions={noteActions}
        onRetry={leaveAfter(() => edits.retry())}
        onEdit={leaveAfter(() => begin(false))}
        onDiscard={leaveAfter(() => edits.discard(record.id, column.id))}
        onKeep={leaveAfter(() => edits.keep(record.id, column.id))}
        onLeave={focus}
      />
    );
    return { recordId: record.id, columnId: column.id, node, state: undefined };
  }

  return {
    edits,
    over: over(),
    beside: (
      <>
        <EditStatus edits={edits} counts={counts} said={said} onShow={show} onRefresh={refresh} />
        {parts !== undefined && many.asked !== undefined && <parts.AskBefore asked={many.asked} onClose={many.close} />}
        {parts !== undefined && many.notCreated !== undefined && (
          <parts.SayNotCreated {...many.notCreated} onClose={many.close} />
        )}
      </>
    ),
    mayWrite: (each) => mayWrite(grid, each),
    onKey,
    onDoubleClick: () => (column?.column?.type === 'Boolean' ? toggle() : begin(false)),
    onWord: (text) => {
      begin(true);
      // As if it were typed into the editor, which has the focus by now.
      if (document.activeElement?.closest('.grid-editor, .grid-editor-popover') != null)
        document.execCommand('insertText', false, text);
    },
    onCopy: many.onCopy,
    onCut: many.onCut,
    onPaste: many.onPaste,
  };
}

/** Looking through all rows of a long list would take longer than scrolling to the cell. */
const SOUGHT_MAX = 100_000;

/** What was typed and refused is taken up again. */
const typedBefore = (edit: CellEdit | undefined, shown: RawValue | undefined): RawValue | undefined =>
  edit?.state === 'refused' && edit.reason?.kind !== 'paste' ? (edit.wanted ?? undefined) : shown;
