// The fault for a search query that is refused: a sentence that names the mistake, and its position.

import { type Fault, fault } from '../../faults.ts';

/** The position counts code points of the query from 0. */
export function invalidSearch(message: string, position: number): Fault {
  return fault('INVALID_SEARCH', { message, position });
}
