// How wide the name of a column is in the head of the grid.

let measure: ((name: string) => number) | undefined;
const known = new Map<string, number>();
/** Names of a few applications. */
const KNOWN_MAX = 5_000;

export function nameWidth(name: string): number {
  const before = known.get(name);
  if (before !== undefined) return before;
  measure ??= measuring();
  if (known.size >= KNOWN_MAX) known.clear();
  const width = measure(name);
  known.set(name, width);
  return width;
}

/** As `.grid-head-cell` writes it. */
function measuring(): (name: string) => number {
  const context = document.createElement('canvas').getContext('2d');
  const { fontSize, fontFamily } = getComputedStyle(document.body);
  // Without a canvas, as wide as letters usually are.
  if (context === null) return (name) => name.length * Number.parseFloat(fontSize) * 0.6;
  context.font = `500 ${fontSize} ${fontFamily}`;
  return (name) => context.measureText(name).width;
}
