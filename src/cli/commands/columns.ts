// Tables and counts as commands print them.

/** The first row holds the headings; `numbers` are those of columns that are aligned to the right. */
export function inColumns(rows: readonly (readonly string[])[], numbers: readonly string[] = []): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const fit = (cell: string, column: number) => {
    const width = widths[column] ?? 0;
    return numbers.includes(rows[0]?.[column] ?? '') ? cell.padStart(width) : cell.padEnd(width);
  };
  return rows.map((row) => row.map(fit).join('  ').trimEnd());
}

export const printTable = (rows: readonly (readonly string[])[]): void => console.log(inColumns(rows).join('\n'));

/** `1 record`, `2,000 records`. */
export const countOf = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`;
