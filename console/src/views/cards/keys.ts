// Where a key leads from a card.

interface Bounds {
  readonly count: number;
  readonly perRow: number;
  readonly pageRows: number;
}

/** Undefined for keys that move nothing. */
export function movedCard(at: number, { key }: { readonly key: string }, bounds: Bounds): number | undefined {
  const { count, perRow, pageRows } = bounds;
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -perRow,
    ArrowDown: perRow,
    PageUp: -perRow * pageRows,
    PageDown: perRow * pageRows,
    Home: -at,
    End: count - 1 - at,
  };
  const step = steps[key];
  return step === undefined ? undefined : Math.max(0, Math.min(count - 1, at + step));
}
