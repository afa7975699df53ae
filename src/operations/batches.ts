// Groups what is read or written together by its size.

/** In order; no batch exceeds the maximum of the moment unless it is a single one. */
export function* inBatches<T>(all: readonly T[], sizeOf: (one: T) => number, sizeMax: () => number): Generator<T[]> {
  let batch: T[] = [];
  let total = 0;
  for (const one of all) {
    const size = sizeOf(one);
    if (batch.length > 0 && total + size > sizeMax()) {
      yield batch;
      batch = [];
      total = 0;
    }
    batch.push(one);
    total += size;
  }
  if (batch.length > 0) yield batch;
}
