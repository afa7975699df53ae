// The fence: every write names the version of the definition it was prepared for, and the database applies it only while
// that is still the published one. A node that is behind writes nothing, reloads and tries again.

import type { Row, Statement, Transaction } from './db.ts';
import { StaleDefinition } from './sqlstate.ts';

export const fenceVersion = (schema: string): Statement => ({
  text: `select version from ${schema}.fence where $1::boolean`,
  params: [true],
});

export function assertVersion(rows: Row[] | undefined, version: number): void {
  if (rows?.[0]?.[0] !== version) throw new StaleDefinition();
}

/** Sets the version that writers must name from now on, within the transaction that publishes it. */
export async function moveFence(tx: Transaction, version: number): Promise<void> {
  await tx.rows(`update ${tx.schema}.fence set version = $1`, [version]);
}
