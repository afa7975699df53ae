// The one way in which a search query is refused: what is wrong with it, as a sentence, and where.

import { type Fault, fault } from '../../faults.ts';

/** The position counts code points of the query from 0. */
export function invalidSearch(message: string, position: number): Fault {
  return fault('INVALID_SEARCH', { message, position });
}
