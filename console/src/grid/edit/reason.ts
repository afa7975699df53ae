// Why a change was not stored, as something that can be kept and said in any language.

import { CartularyError, ConnectionError } from '../../../../client/src/errors.ts';
import type { PasteProblem } from '../../values/paste/reading.ts';

export type Reason =
  | { readonly kind: 'duplicated' | 'unreachable' | 'busy' | 'server' | 'forbidden' | 'notFound' | 'signedOut' }
  | { readonly kind: 'other'; readonly message: string }
  /** The text of a cell on the clipboard could not be read. */
  | { readonly kind: 'paste'; readonly problem: PasteProblem; readonly text: string };

export interface Refusal {
  readonly reason: Reason;
  /** Whether the same change may be stored later. */
  readonly passing: boolean;
  /** The columns that are the reason; undefined for the whole record. */
  readonly columns?: readonly string[];
}

export function refusalOf(error: unknown): Refusal {
  if (error instanceof ConnectionError) return { reason: { kind: 'unreachable' }, passing: true };
  if (!(error instanceof CartularyError)) return { reason: { kind: 'server' }, passing: true };
  const { status } = error;
  if (status === 401) return { reason: { kind: 'signedOut' }, passing: true };
  if (status === 429 || status === 502 || status === 503 || status === 504)
    return { reason: { kind: 'busy' }, passing: true };
  if (status >= 500) return { reason: { kind: 'server' }, passing: true };
  if (error.is('DUPLICATED_VALUES')) {
    const columns = error.params.duplicatedValues.map(({ columnId }) => columnId);
    return { reason: { kind: 'duplicated' }, passing: false, columns };
  }
  if (error.is('INVALID_VALUE'))
    return {
      reason: { kind: 'other', message: error.params.reason },
      passing: false,
      columns: [error.params.columnId],
    };
  if (status === 403) return { reason: { kind: 'forbidden' }, passing: false };
  if (status === 404) return { reason: { kind: 'notFound' }, passing: false };
  const { reason } = error.params as { readonly reason?: unknown };
  return { reason: { kind: 'other', message: typeof reason === 'string' ? reason : error.code }, passing: false };
}
