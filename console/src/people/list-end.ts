// Where a list ends of which some pages are known.

export const PAGE_SIZE = 100;

/**
 * From the lengths of the known pages: a page that is not full is the last. An empty one says nothing by itself, since it may
 * lie far beyond the end.
 */
export function endOf(
  pages: readonly (readonly [index: number, length: number])[],
  total: number | undefined,
): { readonly count: number; readonly complete: boolean } {
  const isFull = (index: number) => pages.some(([at, length]) => at === index && length === PAGE_SIZE);
  const end = pages.find(([index, length]) => length < PAGE_SIZE && (length > 0 || index === 0 || isFull(index - 1)));
  if (end !== undefined) return { count: end[0] * PAGE_SIZE + end[1], complete: true };
  if (total !== undefined) return { count: total, complete: true };
  const furthest = Math.max(0, ...pages.map(([index]) => index + 1));
  return { count: (furthest + 1) * PAGE_SIZE, complete: false };
}
