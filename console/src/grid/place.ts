// Where somebody was in a list, so that coming back from a record shows the same rows. Only for this visit of the page.

import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import type { Cell } from './keys.ts';

interface Place {
  readonly active: Cell;
  readonly scrollTop: number;
}

const places = new Map<string, Place>();
/** Lists that were left long ago begin at the top again. */
const PLACES_MAX = 50;

export const placeIn = (list: string): Place | undefined => places.get(list);

/** Whether somebody was in a list of the collection before. `collection` begins the names of all its lists. */
export const wasAmong = (collection: string): boolean => [...places.keys()].some((list) => list.startsWith(collection));

function keep(list: string, place: Place): void {
  places.delete(list);
  places.set(list, place);
  const [oldest] = places.keys();
  if (places.size > PLACES_MAX && oldest !== undefined) places.delete(oldest);
}

interface Kept {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly active: Cell;
  /** Of the whole list, in pixels: it grows while pages and the count arrive. */
  readonly height: number;
}

/** Keeps the place in a list, and goes back to the one that was kept as soon as the list is long enough. */
export function useKeptPlace(list: string, { scroller, active, height }: Kept): void {
  const wanted = useRef(placeIn(list)?.scrollTop);
  // As the last scroll left it: asking the element after each key would lay the rows out before they are painted.
  const scrolled = useRef(0);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || wanted.current === undefined || height === 0) return;
    element.scrollTop = wanted.current;
    if (Math.abs(element.scrollTop - wanted.current) < 1) wanted.current = undefined;
  }, [scroller, height]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    // The keys go to a field beside it.
    const around = element.parentElement ?? element;
    const note = () => keep(list, { active, scrollTop: wanted.current ?? scrolled.current });
    const onScroll = () => {
      scrolled.current = element.scrollTop;
      note();
    };
    // A person who scrolls or moves on wants to be elsewhere.
    const forgetWanted = () => {
      wanted.current = undefined;
    };
    note();
    element.addEventListener('scroll', onScroll, { passive: true });
    for (const type of ['wheel', 'keydown', 'pointerdown'])
      around.addEventListener(type, forgetWanted, { passive: true });
    return () => {
      element.removeEventListener('scroll', onScroll);
      for (const type of ['wheel', 'keydown', 'pointerdown']) around.removeEventListener(type, forgetWanted);
    };
  }, [list, scroller, active]);
}
