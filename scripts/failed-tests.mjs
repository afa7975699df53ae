// @ts-check
// A reporter for Node's runner: the source files whose tests failed, a line each. A failure that belongs to no test file
// (a process that ended, a timeout of one) is told as `UNKNOWN`.

export const UNKNOWN = '?';

/** @typedef {{ file?: string, details: { error?: { failureType?: string } } }} Failed of what a `test:fail` tells */

/** @param {AsyncIterable<{ type: string, data: unknown }>} events */
export default async function* failedTests(events) {
  const told = new Set();
  for await (const event of events) {
    if (event.type !== 'test:fail') continue;
    const { file: path = '', details } = /** @type {Failed} */ (event.data);
    // A suite fails because of its tests, which are told themselves.
    if (details.error?.failureType === 'subtestsFailed') continue;
    const file = path.match(/test\/[^:]+\.test\.(?:ts|js)$/)?.[0] ?? UNKNOWN;
    if (!told.has(file)) yield `${file}\n`;
    told.add(file);
  }
}
