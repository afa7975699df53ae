// @ts-check
// Results as a table of plain text that is a table in Markdown too.

/** @typedef {string | number | undefined} Cell */

/** @param {readonly string[]} head @param {readonly (readonly Cell[])[]} rows */
export function table(head, rows) {
  const texts = [head, ...rows.map((row) => row.map((cell) => (cell === undefined ? '–' : String(cell))))];
  const widths = head.map((_, column) => Math.max(3, ...texts.map((row) => [...(row[column] ?? '')].length)));
  /** @param {readonly string[]} row */
  const line = (row) => {
    const cells = row.map((text, i) => {
      const space = ' '.repeat((widths[i] ?? 0) - [...text].length);
      return i === 0 ? text + space : space + text;
    });
    return `| ${cells.join(' | ')} |`;
  };
  const rule = `|${widths.map((width, i) => (i === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  const [first, ...others] = texts;
  return [line(first ?? []), rule, ...others.map(line)].join('\n');
}

/** Lines of at most 120 characters. @param {string} text */
export const wrapped = (text) => text.replaceAll(/(.{1,119})(?: |$)/g, '$1\n').trimEnd();

/** @param {number | undefined} value */
export const count = (value) => (value === undefined ? undefined : Math.round(value).toLocaleString('en'));
/** @param {number | undefined} value */
export const milliseconds = (value) =>
  value === undefined ? undefined : value < 10 ? value.toFixed(2) : value.toFixed(1);
/** @param {number | undefined} value */
export const megabytes = (value) => (value === undefined ? undefined : Math.round(value / 2 ** 20));
/** @param {number | undefined} value */
export const ratio = (value) => (value === undefined || !Number.isFinite(value) ? undefined : value.toFixed(2));
/** @param {number | undefined} value */
export const percent = (value) => (value === undefined ? undefined : Math.round(value * 100));
