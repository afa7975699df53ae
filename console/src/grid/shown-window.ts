// What the grid draws while it is dragged over rows that are not there yet: rows that were shown before stay in sight until
// others arrive. Empty rows rushing by would tell nothing.

import { useLayoutEffect, useRef } from 'react';
import { isSameSpan, type RowSpan } from '../api/asked-rows.ts';
import type { RowWindow } from './row-window.ts';

/** A place in a list: the rows around it, and where the first of them stands. */
export type Place = Pick<RowWindow, 'first' | 'last' | 'sight' | 'lead'>;

/** Where the first row stands to the pixel is no other place. */
export const isSamePlace = (one: Place, other: Place): boolean =>
  isSameSpan(one, other) && isSameSpan(one.sight, other.sight);

interface ShownWindow {
  /** The rows to draw. */
  readonly drawn: RowSpan;
  /** Where the first of them stands, in pixels from the top of the list, or of what is in sight while they are held. */
  readonly top: number;
  /** They belong elsewhere in the list than where it is scrolled to. */
  readonly isHeld: boolean;
}

interface Shown {
  readonly list: string;
  readonly place: Place;
  readonly asked: Place;
}

/**
 * `asked`: the place whose rows were asked for last. `isKnown`: whether one of the rows is there. `rowHeight` in pixels.
 */
export function useShownWindow(
  list: string,
  window: RowWindow,
  { asked, isKnown, rowHeight }: { asked: Place; isKnown: (rows: RowSpan) => boolean; rowHeight: number },
): ShownWindow {
  const last = useRef<Shown>(undefined);
  const before = last.current?.list === list ? last.current : undefined;
  // When rows arrive during a drag, those of a newer place are asked for at once.
  const places = [asked, before?.asked, before?.place];
  const held = isKnown(window.sight) ? undefined : places.find((each) => each !== undefined && isKnown(each.sight));
  const place = held ?? window;
  useLayoutEffect(() => {
    last.current = { list, place, asked };
  });
  const drawn = held?.sight ?? window.drawn;
  const lead = (drawn.first - place.first) * rowHeight;
  return { drawn, top: (held?.lead ?? window.top) + lead, isHeld: held !== undefined };
}
