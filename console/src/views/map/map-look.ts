// Where the map looks, and how mouse, touch, wheel and keys change it.

import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type Look, type Place, panned, type Size, zoomed } from './mercator.ts';

const KEY_PIXELS = 80;
const BUTTON_STEP = 1;
/** A notch of a wheel is about 100 pixels. */
const WHEEL_STEP = 1 / 200;
/** A hand is never quite still. */
const DRAG_PIXELS = 3;

export function useSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 800, height: 600 });
  useLayoutEffect(() => {
    const box = element.current;
    if (box === null) return;
    const read = () => setSize({ width: box.clientWidth, height: box.clientHeight });
    read();
    const sizes = new ResizeObserver(read);
    sizes.observe(box);
    return () => sizes.disconnect();
  }, [element]);
  return size;
}

interface Handlers {
  readonly onPointerDown: (event: React.PointerEvent) => void;
  readonly onPointerMove: (event: React.PointerEvent) => void;
  readonly onPointerUp: (event: React.PointerEvent) => void;
  readonly onPointerCancel: (event: React.PointerEvent) => void;
  readonly onKeyDown: (event: React.KeyboardEvent) => void;
}

interface Moving {
  readonly look: Look;
  readonly size: Size;
  readonly onLook: (look: Look) => void;
  readonly onAll: () => void;
}

export function useMoves(element: RefObject<HTMLElement | null>, { look, size, onLook, onAll }: Moving): Handlers {
  const pointers = useRef(new Map<number, Place>());
  const latest = useRef({ look, size, onLook });
  latest.current = { look, size, onLook };

  useEffect(() => {
    const box = element.current;
    if (box === null) return;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const { look: from, size: within, onLook: change } = latest.current;
      change(zoomed(from, -event.deltaY * WHEEL_STEP, middleTo(event, box), within));
    };
    // React listens to wheels without the right to stop the page from scrolling.
    box.addEventListener('wheel', onWheel, { passive: false });
    return () => box.removeEventListener('wheel', onWheel);
  }, [element]);

  function onPointerMove(event: React.PointerEvent): void {
    const before = pointers.current.get(event.pointerId);
    const box = element.current;
    if (before === undefined || box === null) return;
    const now = { x: event.clientX, y: event.clientY };
    const moved = { x: now.x - before.x, y: now.y - before.y };
    if (!box.hasPointerCapture(event.pointerId)) {
      if (Math.hypot(moved.x, moved.y) < DRAG_PIXELS) return;
      box.setPointerCapture(event.pointerId);
    }
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
    pointers.current.set(event.pointerId, now);
    if (other === undefined) {
      onLook(panned(look, moved, size));
      return;
    }
    const spread = (a: Place) => Math.max(1, Math.hypot(a.x - other.x, a.y - other.y));
    const between = { clientX: (now.x + other.x) / 2, clientY: (now.y + other.y) / 2 };
    onLook(zoomed(look, Math.log2(spread(now) / spread(before)), middleTo(between, box), size));
  }

  function onKeyDown(event: React.KeyboardEvent): void {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    if (step !== undefined) onLook(panned(look, step, size));
    else if (event.key === '+' || event.key === '=') onLook(zoomed(look, BUTTON_STEP, MIDDLE, size));
    else if (event.key === '-') onLook(zoomed(look, -BUTTON_STEP, MIDDLE, size));
    else if (event.key === '0') onAll();
    else return;
    event.preventDefault();
  }

  const release = ({ pointerId }: React.PointerEvent) => void pointers.current.delete(pointerId);
  return {
    onPointerDown: (event) => {
      const { target } = event;
      // The markers are pressed, not dragged.
      if (target instanceof Element && target.closest('button, a') !== null) return;
      pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    },
    onPointerMove,
    onPointerUp: release,
    onPointerCancel: release,
    onKeyDown,
  };
}

export const MIDDLE: Place = { x: 0, y: 0 };

/** The map moves the other way. */
const STEPS: Readonly<Record<string, Place>> = {
  ArrowLeft: { x: KEY_PIXELS, y: 0 },
  ArrowRight: { x: -KEY_PIXELS, y: 0 },
  ArrowUp: { x: 0, y: KEY_PIXELS },
  ArrowDown: { x: 0, y: -KEY_PIXELS },
};

function middleTo({ clientX, clientY }: { readonly clientX: number; readonly clientY: number }, box: Element): Place {
  const { left, top, width, height } = box.getBoundingClientRect();
  return { x: clientX - left - width / 2, y: clientY - top - height / 2 };
}
