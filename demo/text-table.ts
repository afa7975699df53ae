// Reads the tables in which the demonstration's texts are kept: one line each, fields between bars. As objects they
// would take six lines each, and nobody would read them side by side.

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
