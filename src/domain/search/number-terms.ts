// Numbers as they are written in a search: as in JSON.

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** undefined for what is no number, or one that cannot be stored. -0 is 0, as in what is stored. */
export function readNumberTerm(text: string): number | undefined {
  const value = JSON_NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) return undefined;
  return value === 0 ? 0 : value;
}
