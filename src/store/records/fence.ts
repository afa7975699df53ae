// The fence: every write names the generation of the definition it was prepared for, and the database applies it only
// while that generation is current. A node with a stale definition writes nothing, reloads and tries again. A generation
// is finer than a version: it also moves when writers must start, or may stop, writing what the next version needs.

import { isDivisionByZero, StaleDefinition } from '../database/database-errors.ts';
import type { Transaction } from '../database/handles.ts';
import type { Params } from '../database/params.ts';
import type { Row, Statement } from '../database/statements.ts';

export const fenceGeneration = (schema: string): Statement => ({
  text: `select generation from ${schema}.fence`,
  params: [],
  prepare: true,
});

/** SQL: whether the generation is current, in the snapshot of the statement. The database finds that out once. */
export const isCurrent = (schema: string, generation: number, params: Params): string =>
  `(select generation from ${schema}.fence) = ${params.add(generation, 'int')}`;

export function assertGeneration(rows: Row[] | undefined, generation: number): void {
  if (rows?.[0]?.[0] !== generation) throw new StaleDefinition();
}

/**
 * Fails unless the generation is current, so that a transaction whose other statements are sent along commits nothing. It comes
 * after the write: that one waits while a publishing has locked the table, and the generation is then read anew.
 */
export const requireGeneration = (schema: string, generation: number): Statement => ({
  text: `select 1 / (generation = $1::int)::int from ${schema}.fence`,
  params: [generation],
  prepare: true,
});

/** The failure of `requireGeneration` as what it means. */
export const staleByFence = (error: unknown): unknown =>
  isDivisionByZero(error) ? new StaleDefinition('', { cause: error }) : error;

/** Sets the generation that writers must name, in the transaction that makes it current. */
export async function moveFence(tx: Transaction, generation: number): Promise<void> {
  await tx.rows(`update ${tx.schema}.fence set generation = $1`, [generation]);
}
