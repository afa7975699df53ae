// What a key does in the grid, apart from moving.

export type Action = 'open' | 'edit' | 'replace' | 'toggle' | 'clear' | 'selectAll' | 'undo' | 'redo' | 'leave';

interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** These search and show the keys, wherever they are pressed. */
const TAKEN = ['/', '?'];

/** Undefined for keys that are not the grid's. */
export function actionOf({ key, ctrlKey, metaKey, altKey, shiftKey }: Key, isBoolean: boolean): Action | undefined {
  const command = ctrlKey || metaKey;
  if (key === 'Enter') return command || altKey ? 'open' : 'edit';
  if (command) return altKey ? undefined : commandOf(key.toLowerCase(), shiftKey);
  if (altKey) return undefined;
  switch (key) {
    case 'F2':
      return 'edit';
    case 'Delete':
    case 'Backspace':
      return 'clear';
    case 'Escape':
      return 'leave';
    case ' ':
      return isBoolean ? 'toggle' : 'open';
    default:
      return [...key].length === 1 && !TAKEN.includes(key) ? 'replace' : undefined;
  }
}

function commandOf(key: string, shiftKey: boolean): Action | undefined {
  if (key === 'a') return 'selectAll';
  if (key === 'z') return shiftKey ? 'redo' : 'undo';
  return key === 'y' ? 'redo' : undefined;
}

/** Where a key that ends editing leads: Enter down, Tab right, with Shift the other way. Undefined for others. */
export function leavingBy({
  key,
  shiftKey,
  altKey,
}: Key): { readonly rows: number; readonly columns: number } | undefined {
  const step = shiftKey ? -1 : 1;
  if (key === 'Tab') return { rows: 0, columns: step };
  return key === 'Enter' && !altKey ? { rows: step, columns: 0 } : undefined;
}
