// Puts times in the database back. A cluster computes no times in an update, so they are read, and written as values.

import type { TestDatabase } from './database.ts';

interface Rows {
  readonly table: string;
  /** A column and its value. */
  readonly where: readonly [string, unknown];
  readonly columns: readonly string[];
}

export async function putBack(
  database: TestDatabase,
  { table, where: [key, value], columns }: Rows,
  seconds: number,
): Promise<void> {
  const [row = []] = await database.sql(`select ${columns.join(', ')} from ${table} where ${key} = $1`, [value]);
  const times = row.map((time) => new Date((time as Date).getTime() - seconds * 1000));
  const changes = columns.map((column, index) => `${column} = $${index + 2}`);
  await database.sql(`update ${table} set ${changes.join(', ')} where ${key} = $1`, [value, ...times]);
}
