// Why a cell cannot become a value of its column.

const SHOWN_CHARACTERS_MAX = 60;

export class CellProblem extends Error {}

/** A cell as messages show it. */
export function shownCell(cell: unknown): string {
  const text = typeof cell === 'string' ? cell : (JSON.stringify(cell) ?? '');
  return `"${text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text}"`;
}
