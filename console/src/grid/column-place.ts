// Where the columns stand and which of them are on the page: a collection may have hundreds, a screen shows a dozen. The
// frozen ones always are.

export interface ColumnPlace {
  readonly index: number;
  readonly width: number;
  /** Of a frozen column: its distance from the left edge. */
  readonly left: number | undefined;
  /** The width of the columns before it that are not on the page. */
  readonly gap: number;
}

export interface Span {
  readonly left: number;
  readonly width: number;
}

/** What has to stay free for the columns that scroll. */
const SCROLLED_MIN = 140;
/** Beyond both edges, so that a scroll meets no gap. */
const MARGIN = 400;

/** On a narrow screen fewer columns are frozen than the view says. */
export function frozenThatFit(widths: readonly number[], frozen: number, room: number): number {
  let used = 0;
  let fit = 0;
  for (const width of widths.slice(0, frozen)) {
    used += width;
    if (used > room - SCROLLED_MIN) break;
    fit += 1;
  }
  return fit;
}

interface Fixed {
  readonly frozen: number;
  /** The width of what stands before the first column. */
  readonly lead: number;
  /** A column that is on the page wherever it stands. */
  readonly kept?: number | undefined;
}

export function placeColumns(widths: readonly number[], { frozen, lead, kept }: Fixed, view: Span): ColumnPlace[] {
  const places: ColumnPlace[] = [];
  let edge = lead;
  let gap = 0;
  for (const [index, width] of widths.entries()) {
    if (index < frozen) places.push({ index, width, left: edge, gap: 0 });
    else if (index !== kept && isOutside(edge, width, view)) gap += width;
    else {
      places.push({ index, width, left: undefined, gap });
      gap = 0;
    }
    edge += width;
  }
  return places;
}

export const isSamePlaces = (some: readonly ColumnPlace[], others: readonly ColumnPlace[]): boolean =>
  some.length === others.length &&
  some.every(({ index, width, left, gap }, at) => {
    const other = others[at];
    return other?.index === index && other.width === width && other.left === left && other.gap === gap;
  });

const isOutside = (edge: number, width: number, { left, width: room }: Span): boolean =>
  edge > left + room + MARGIN || edge + width < left - MARGIN;

/** How far to scroll so that a column is in sight; undefined where it is already. */
export function scrolledTo(
  index: number,
  widths: readonly number[],
  frozen: number,
  lead: number,
  view: Span,
): number | undefined {
  if (index < frozen) return undefined;
  const before = (count: number) => widths.slice(0, count).reduce((sum, width) => sum + width, lead);
  const start = before(index) - before(frozen);
  const end = before(index + 1);
  if (start < view.left) return start;
  return end > view.left + view.width ? Math.min(start, end - view.width) : undefined;
}
