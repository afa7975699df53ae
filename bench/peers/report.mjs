// @ts-check
// The tables of the peers: one column for each side.

import { count, megabytes, milliseconds, table } from '../table.mjs';

/** @typedef {import('../measure.mjs').Result} Result */

/**
 * @param {readonly Result[]} results
 * @param {{ sides: readonly string[], connections: number }} of the first side is ours
 */
export function peerTables(results, { sides, connections }) {
  const operations = [...new Set(results.map(({ operation }) => operation))];
  /** @param {string} operation @param {string} side @param {number} many */
  const find = (operation, side, many) =>
    results.find((one) => one.operation === operation && one.side === side && one.connections === many);
  /** @param {number} many @param {(result: Result, ours: Result | undefined) => import('../table.mjs').Cell} show @param {readonly string[]} [of] */
  const grid = (many, show, of = sides) =>
    table(
      ['operation', ...of],
      operations.map((operation) => {
        const ours = find(operation, sides[0] ?? '', many);
        const cells = of.map((side) => {
          const result = find(operation, side, many);
          const cell = result && result.perSecond > 0 ? show(result, ours) : undefined;
          return result && result.errors > 0 ? `${cell ?? '–'} (${result.errors} errors)` : cell;
        });
        return [operation, ...cells];
      }),
    );
  /** @param {string} side @param {(result: Result) => number | undefined} value */
  const most = (side, value) => {
    const seen = results.filter((one) => one.side === side).map(value);
    return Math.max(0, ...seen.map((one) => one ?? 0)) || undefined;
  };
  const memory = table(
    ['memory at most, MB', ...sides],
    [
      ['server', ...sides.map((side) => megabytes(most(side, ({ serverBytes }) => serverBytes)))],
      ['database', ...sides.map((side) => megabytes(most(side, ({ databaseBytes }) => databaseBytes)))],
    ],
  );
  const parts = [
    ['Requests/s', grid(connections, ({ perSecond }) => count(perSecond))],
    ['Times as many requests/s as', grid(connections, times, sides.slice(1))],
    ['p99 in ms', grid(connections, ({ p99 }) => milliseconds(p99))],
    ['Processor time for one request in µs, server and database together', grid(connections, processor)],
  ].map(([title, text]) => `${title}, ${connections} connections\n\n${text}`);
  const alone = results.some((one) => one.connections === 1 && connections !== 1)
    ? [`p50 in ms, 1 connection\n\n${grid(1, ({ p50 }) => milliseconds(p50))}`]
    : [];
  return [...parts, ...alone, memory].join('\n\n');
}

/** @param {Result} result @param {Result | undefined} ours */
function times({ perSecond }, ours) {
  if (ours === undefined) return undefined;
  const value = ours.perSecond / perSecond;
  return value < 10 ? value.toFixed(1) : count(value);
}

/** @param {Result} result */
const processor = ({ serverMicros, databaseMicros = 0 }) =>
  serverMicros === undefined ? undefined : count(serverMicros + databaseMicros);
