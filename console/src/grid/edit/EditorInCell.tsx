// The editor in the cell itself, where a line is enough.

import { useLayoutEffect, useRef } from 'react';
import { EditedLine, type LineType } from '../../values/edit/EditedLine.tsx';
import { leavingBy } from './actions.ts';
import { type CellEditorProps, STAY } from './cell-editor.ts';

/** What is typed is not a value yet: half a date, or letters for a number. */
const isUnreadable = (place: HTMLElement): boolean =>
  [...place.querySelectorAll('input')].some(
    (input) => input.validity.badInput || input.getAttribute('aria-invalid') === 'true',
  );

/** A cell at the edge of a narrow screen is partly out of sight; its editor is not. */
function keepInSight(editor: HTMLElement): void {
  const sight = editor.closest('.grid-scroller')?.getBoundingClientRect();
  if (sight === undefined) return;
  editor.style.maxWidth = `${sight.width}px`;
  const { left, right } = editor.getBoundingClientRect();
  const by = Math.max(Math.min(0, sight.right - right), sight.left - left);
  if (by !== 0) editor.style.left = `${by}px`;
}

export function EditorInCell({
  type,
  column,
  value,
  onValue,
  problem,
  where,
  onStore,
  onLeave,
}: CellEditorProps & { readonly type: LineType }) {
  const place = useRef<HTMLDivElement>(null);
  const settled = useRef(false);
  useLayoutEffect(() => {
    const field = place.current?.querySelector<HTMLInputElement | HTMLTextAreaElement>('input, textarea');
    field?.focus();
    if (field instanceof HTMLTextAreaElement) field.setSelectionRange(field.value.length, field.value.length);
    if (place.current !== null) keepInSight(place.current);
  }, []);

  function store(move: { readonly rows: number; readonly columns: number }): void {
    if (settled.current || place.current === null || (problem === undefined && isUnreadable(place.current))) return;
    settled.current = true;
    onStore(value, move);
  }

  function onKeyDown(event: React.KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      settled.current = true;
      onLeave();
      return;
    }
    const field = event.target;
    if (event.key === 'Enter' && field instanceof HTMLTextAreaElement && (event.shiftKey || event.altKey)) {
      event.preventDefault();
      field.setRangeText('\n', field.selectionStart, field.selectionEnd, 'end');
      field.dispatchEvent(new Event('input', { bubbles: true }));
      return;
    }
    const move = leavingBy(event);
    if (move === undefined) return;
    event.preventDefault();
    store(move);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the field inside
    <div
      ref={place}
      className={`grid-editor ${column.type === 'Number' ? 'numeric' : ''}`}
      onKeyDownCapture={onKeyDown}
      onBlur={(event) => {
        // The field keeps the focus when the person turns to another window.
        if (document.activeElement === event.target) return;
        if (!event.currentTarget.contains(event.relatedTarget)) store(STAY);
      }}
    >
      <EditedLine type={type} column={column} value={value} onChange={onValue} problem={problem} where={where} />
    </div>
  );
}
