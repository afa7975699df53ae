// Which rows of a list are asked for while it is scrolled. Every step of a drag is another place in the list: to ask for each
// of them and to cancel it with the next step would bring no row at all.

import { useEffect, useState } from 'react';

/** Rows, both ends included. */
export interface RowSpan {
  readonly first: number;
  readonly last: number;
}

/** A scroll that pauses for so long rests: what it passed is wanted no more. */
const REST_MS = 80;

export const isSameSpan = (one: RowSpan, other: RowSpan): boolean =>
  one.first === other.first && one.last === other.last;
const meets = (one: RowSpan, other: RowSpan): boolean => one.first <= other.last && other.first <= one.last;

/**
 * The wanted rows, or while a drag goes on those of an earlier step that are under way: they are shown when they arrive, and
 * the newest step is asked for next.
 */
export function useAskedRows<Wanted extends RowSpan>(wanted: Wanted, isUnderWay: (rows: Wanted) => boolean): Wanted {
  const [asked, setAsked] = useState(wanted);
  const isPassing = !isSameSpan(asked, wanted) && !meets(asked, wanted) && isUnderWay(asked);
  useEffect(() => {
    if (!isPassing) return;
    const timer = setTimeout(() => setAsked(wanted), REST_MS);
    return () => clearTimeout(timer);
  }, [isPassing, wanted]);
  if (isPassing) return asked;
  if (!isSameSpan(asked, wanted)) setAsked(wanted);
  return wanted;
}
