// Which rows are in sight. Browsers give no element more than about 17 million pixels, so the scroll bar of a very long list
// stands for more rows than it has pixels.

import { type RefObject, useLayoutEffect, useState } from 'react';

export const ROW_HEIGHT = 36;
const SCROLL_MAX = 15_000_000;
/** Rows beyond the edges, so that a quick scroll meets no gap. */
const OVERSCAN = 10;

export interface RowWindow {
  readonly first: number;
  readonly last: number;
  /** Of the whole list, in pixels. */
  readonly height: number;
  /** Where the first row of the window stands, in pixels from the top of the list. */
  readonly top: number;
  readonly scrollTo: (row: number) => void;
}

interface View {
  readonly scrollTop: number;
  readonly height: number;
}

export function useRowWindow(scroller: RefObject<HTMLElement | null>, count: number, headerHeight: number): RowWindow {
  const [view, setView] = useState<View>({ scrollTop: 0, height: 800 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const read = () => setView({ scrollTop: element.scrollTop, height: element.clientHeight - headerHeight });
    read();
    const sizes = new ResizeObserver(read);
    sizes.observe(element);
    element.addEventListener('scroll', read, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', read);
    };
  }, [scroller, headerHeight]);

  const whole = count * ROW_HEIGHT;
  const height = Math.min(whole, SCROLL_MAX);
  // 1 for lists that fit, so that they scroll pixel by pixel.
  const scale = height <= view.height ? 1 : (whole - view.height) / (height - view.height);
  const position = view.scrollTop * scale;
  const first = Math.max(0, Math.floor(position / ROW_HEIGHT) - OVERSCAN);
  const last = Math.max(first, Math.min(count - 1, Math.ceil((position + view.height) / ROW_HEIGHT) + OVERSCAN));
  return {
    first,
    last,
    height,
    top: view.scrollTop + (first * ROW_HEIGHT - position),
    scrollTo: (row) => {
      const element = scroller.current;
      if (element === null) return;
      const from = row * ROW_HEIGHT;
      if (from < position) element.scrollTop = from / scale;
      const beyond = from + ROW_HEIGHT - (position + view.height);
      if (beyond > 0) element.scrollTop = (position + beyond) / scale;
    },
  };
}
