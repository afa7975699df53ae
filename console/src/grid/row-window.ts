// Which rows are in sight. Browsers give no element more than about 17 million pixels, so the scroll bar of a very long list
// stands for more rows than it has pixels.

import { type RefObject, startTransition, useDeferredValue, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { RowSpan } from '../api/asked-rows.ts';

export const ROW_HEIGHT = 36;
const SCROLL_MAX = 15_000_000;
/** Pixels beyond the edges, so that a scroll meets no gap. Drawing them takes time from the next key. */
const OVERSCAN = 180;
/** After a jump, such as that of a key held down which jumps again before the rows in sight are painted. */
const OVERSCAN_DELAY_MS = 150;

export interface RowWindow extends RowSpan {
  /** Without the rows beyond the edges. */
  readonly sight: RowSpan;
  /** Those of the window that are drawn at once: the ones beyond the edges follow when there is time. */
  readonly drawn: RowSpan;
  /** Of the whole list, in pixels. */
  readonly height: number;
  /** Where the first row of the window stands, in pixels from the top of the list. */
  readonly top: number;
  /** The same from the upper edge of what is in sight. */
  readonly lead: number;
  readonly scrollTo: (row: number) => void;
}

interface View {
  readonly scrollTop: number;
  readonly height: number;
}

export function useRowWindow(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  headerHeight: number,
  rowHeight = ROW_HEIGHT,
): RowWindow {
  const whole = count * rowHeight;
  // Such a list scrolls pixel by pixel with its rows, so that the page is drawn anew for each row and not for each pixel.
  const isPlain = whole <= SCROLL_MAX;
  const { view, read, scrollTop } = useView(scroller, headerHeight, isPlain ? rowHeight : 1);

  const height = Math.min(whole, SCROLL_MAX);
  const scale = isPlain || height <= view.height ? 1 : (whole - view.height) / (height - view.height);
  const position = view.scrollTop * scale;
  const sightFirst = Math.max(0, Math.min(count - 1, Math.floor(position / rowHeight)));
  // One more than fit, as the first may be cut off.
  const shownRows = Math.ceil(view.height / rowHeight);
  const sight = { first: sightFirst, last: Math.max(sightFirst, Math.min(count - 1, sightFirst + shownRows)) };
  const beyond = Math.ceil(OVERSCAN / rowHeight);
  const around = (middle: RowSpan): RowSpan => ({
    first: Math.max(0, middle.first - beyond),
    last: Math.max(middle.last, Math.min(count - 1, middle.last + beyond)),
  });
  const window = around(sight);
  const before = useSettled(useDeferredValue(sightFirst), beyond);
  const drawn = drawnOf(sight, window, around({ first: before, last: before + shownRows }));
  const lead = window.first * rowHeight - position;
  return {
    ...window,
    sight,
    drawn,
    height,
    top: view.scrollTop + lead,
    lead,
    scrollTo: (row) => {
      const element = scroller.current;
      if (element === null) return;
      const from = row * rowHeight;
      const now = scrollTop.current * scale;
      if (from < now) element.scrollTop = from / scale;
      else if (from + rowHeight > now + view.height) element.scrollTop = (from + rowHeight - view.height) / scale;
      else return;
      // The browser tells of it only with the next frame, which would show the place without its rows.
      read();
    },
  };
}

/** A row that follows small steps at once, and jumps only after a rest. */
function useSettled(row: number, step: number): number {
  const [settled, setSettled] = useState(row);
  if (row !== settled && Math.abs(row - settled) <= step) setSettled(row);
  useEffect(() => {
    if (row === settled) return;
    const rest = setTimeout(() => startTransition(() => setSettled(row)), OVERSCAN_DELAY_MS);
    return () => clearTimeout(rest);
  }, [row, settled]);
  return settled;
}

/** What is in sight, and of the rows beyond the edges those that are drawn already. */
function drawnOf(sight: RowSpan, window: RowSpan, before: RowSpan): RowSpan {
  const meets = before.first <= window.last && before.last >= window.first;
  return {
    first: meets && before.first < sight.first ? Math.max(window.first, before.first) : sight.first,
    last: meets && before.last > sight.last ? Math.min(window.last, before.last) : sight.last,
  };
}

/** Follows the scrolling in steps of so many pixels. */
function useView(scroller: RefObject<HTMLElement | null>, headerHeight: number, step: number) {
  const [view, setView] = useState<View>({ scrollTop: 0, height: 800 });
  const scrollTop = useRef(0);
  const reading = useRef(() => {});
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const read = () => {
      scrollTop.current = element.scrollTop;
      const next = {
        scrollTop: Math.floor(scrollTop.current / step) * step,
        height: element.clientHeight - headerHeight,
      };
      setView((now) => (now.scrollTop === next.scrollTop && now.height === next.height ? now : next));
    };
    reading.current = read;
    read();
    const sizes = new ResizeObserver(read);
    sizes.observe(element);
    // Within the frame that shows the new place, which would otherwise be painted once without its rows.
    const onScroll = () => flushSync(read);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, [scroller, headerHeight, step]);
  return { view, scrollTop, read: () => reading.current() };
}
