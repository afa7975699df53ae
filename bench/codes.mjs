// @ts-check
// Codes of records are unique: each is given out once in a run. What measurements create is taken back, but its codes
// are not used again.

let next = 0;

/** The first code that no record has. @param {number} total records that were loaded, whose codes are taken */
export function firstFreeCode(total) {
  next = Math.max(next, total);
  return next;
}

/** @param {number} count codes that are being used @returns {number} the first of them */
export function useCodes(count) {
  const first = next;
  next += count;
  return first;
}
