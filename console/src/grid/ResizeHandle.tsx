// The right edge of a column's head, which sizes the column: by mouse, by touch, and by the arrow keys.

import { useRef } from 'react';
import { useTranslations } from 'use-intl';
import { WIDTH_MAX, WIDTH_MIN, widthOf } from './column-settings.ts';
import type { GridColumn } from './grid-columns.ts';

/** Of an arrow key. */
const KEY_STEP = 16;

interface ResizeHandleProps {
  readonly column: GridColumn;
  readonly width: number;
  readonly isReachable: boolean;
  /** While it is being sized; undefined when that was broken off. */
  readonly onSizing: (width: number | undefined) => void;
  /** Undefined: the usual width again. */
  readonly onSized: (width: number | undefined) => void;
}

export function ResizeHandle({ column, width, isReachable, onSizing, onSized }: ResizeHandleProps) {
  const t = useTranslations('columns');
  const start = useRef<{ readonly x: number; readonly width: number }>(undefined);
  const reached = ({ clientX }: React.PointerEvent): number | undefined =>
    start.current && widthOf(start.current.width + clientX - start.current.x);

  function end(event: React.PointerEvent): void {
    const next = reached(event);
    const moved = next !== undefined && next !== start.current?.width;
    start.current = undefined;
    if (moved) onSized(next);
  }

  function onKeyDown(event: React.KeyboardEvent): void {
    const by = { ArrowLeft: -KEY_STEP, ArrowRight: KEY_STEP }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    onSized(widthOf(width + by));
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a line that is moved, not one between paragraphs
    <div
      role="separator"
      className="grid-resize"
      tabIndex={isReachable ? 0 : -1}
      aria-orientation="vertical"
      aria-label={t('width', { name: column.name })}
      aria-valuenow={width}
      aria-valuemin={WIDTH_MIN}
      aria-valuemax={WIDTH_MAX}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, width };
      }}
      onPointerMove={(event) => start.current && onSizing(reached(event))}
      onPointerUp={end}
      onPointerCancel={() => {
        start.current = undefined;
        onSizing(undefined);
      }}
      onDoubleClick={() => onSized(undefined)}
      onKeyDown={onKeyDown}
    />
  );
}
