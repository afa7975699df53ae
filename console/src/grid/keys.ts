// Where a key leads from the active cell.

export interface Cell {
  readonly row: number;
  readonly column: number;
}

interface Bounds {
  readonly rows: number;
  readonly columns: number;
  /** Rows that are in sight at once. */
  readonly pageRows: number;
}

interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** Undefined for keys that move nothing. */
export function moved({ row, column }: Cell, { key, ctrlKey, metaKey }: Key, bounds: Bounds): Cell | undefined {
  const far = ctrlKey || metaKey;
  const [lastRow, lastColumn] = [Math.max(0, bounds.rows - 1), Math.max(0, bounds.columns - 1)];
  const within = (next: Cell): Cell => ({
    row: Math.max(0, Math.min(lastRow, next.row)),
    column: Math.max(0, Math.min(lastColumn, next.column)),
  });
  switch (key) {
    case 'ArrowUp':
      return within({ row: far ? 0 : row - 1, column });
    case 'ArrowDown':
      return within({ row: far ? lastRow : row + 1, column });
    case 'ArrowLeft':
      return within({ row, column: far ? 0 : column - 1 });
    case 'ArrowRight':
      return within({ row, column: far ? lastColumn : column + 1 });
    case 'PageUp':
      return within({ row: row - bounds.pageRows, column });
    case 'PageDown':
      return within({ row: row + bounds.pageRows, column });
    case 'Home':
      return far ? { row: 0, column: 0 } : { row, column: 0 };
    case 'End':
      return far ? { row: lastRow, column: lastColumn } : { row, column: lastColumn };
    default:
      return undefined;
  }
}
