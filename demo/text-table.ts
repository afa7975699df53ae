// Parses the tables of the demonstration's texts: one line per row, fields separated by bars. As objects, each row would
// take six lines and would be harder to compare.

export function readTable(table: string, fields: number): string[][] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const row = line.split('|').map((field) => field.trim());
      if (row.length !== fields) throw new Error(`A row needs ${fields} fields: ${line}`);
      return row;
    });
}
