// Reads numbers in a search, in the form of JSON.

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** undefined for a text that is not a number, or a number that cannot be stored. -0 becomes 0, as in stored values. */
export function readNumberTerm(text: string): number | undefined {
  const value = JSON_NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) return undefined;
  return value === 0 ? 0 : value;
}
