// Several pieces of work at once, with results in the order of the source.

/**
 * The results of `work` on each element, in order, with at most `limit` of them under way: nothing is read from the source
 * before there is room for it. After a failure nothing new is begun, and what is under way is waited for.
 */
export async function* inOrder<Element, Result>(
  source: AsyncIterable<Element> | Iterable<Element>,
  limit: number,
  work: (element: Element) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const begun: Promise<Result>[] = [];
  try {
    for await (const element of source) {
      const result = work(element);
      // Awaited in its turn; a failure until then is not unhandled.
      result.catch(() => undefined);
      begun.push(result);
      if (begun.length >= limit) yield await (begun.shift() as Promise<Result>);
    }
    while (begun.length > 0) yield await (begun.shift() as Promise<Result>);
  } finally {
    await Promise.allSettled(begun);
  }
}
