// Follows the grid's scrolling to the side.

import { type RefObject, useLayoutEffect, useMemo, useState } from 'react';
import { type ColumnPlace, frozenThatFit, isSamePlaces, placeColumns, type Span, scrolledTo } from './column-place.ts';

/** The page is drawn anew when a scroll has come so far, not for each pixel. */
const STEP = 200;

interface ColumnWindow {
  readonly places: readonly ColumnPlace[];
  /** Of all columns, in pixels. */
  readonly width: number;
  readonly scrollTo: (index: number) => void;
}

interface Arranged {
  readonly widths: readonly number[];
  readonly frozen: number;
  /** The width of what stands before the first column. */
  readonly lead: number;
  /** A column that stays on the page when it is out of sight. */
  readonly kept: number | undefined;
}

export function useColumnWindow(
  scroller: RefObject<HTMLElement | null>,
  { widths, frozen: wanted, lead, kept }: Arranged,
): ColumnWindow {
  const [view, setView] = useState<Span>({ left: 0, width: 1_200 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const read = () => {
      const next = { left: Math.floor(element.scrollLeft / STEP) * STEP, width: element.clientWidth };
      setView((now) => (now.left === next.left && now.width === next.width ? now : next));
    };
    read();
    const sizes = new ResizeObserver(read);
    sizes.observe(element);
    element.addEventListener('scroll', read, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', read);
    };
  }, [scroller]);

  const frozen = frozenThatFit(widths, wanted, view.width - lead);
  const placed = useMemo(() => placeColumns(widths, { frozen, lead, kept }, view), [widths, frozen, lead, kept, view]);
  // The same object as long as nothing moved: another one draws every row anew. A column in sight that is kept moves nothing.
  const [places, setPlaces] = useState(placed);
  if (places !== placed && !isSamePlaces(places, placed)) setPlaces(placed);
  return {
    places,
    width: widths.reduce((sum, width) => sum + width, lead),
    scrollTo: (index) => {
      const element = scroller.current;
      if (element === null) return;
      const seen = { left: element.scrollLeft, width: element.clientWidth };
      const left = scrolledTo(index, widths, frozen, lead, seen);
      if (left !== undefined) element.scrollLeft = left;
    },
  };
}
