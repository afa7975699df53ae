import type { Read, Writing } from './reading.ts';

const TRUE = ['true', 'yes', 'y', '1', 'on', 'はい', '✓', '✔', '☑', '○'];
const FALSE = ['false', 'no', 'n', '0', 'off', 'いいえ', '☐', '×', '✗'];

export function readBoolean(text: string, { yes, no }: Writing): Read {
  // ✓ and its like stay as they are; full-width letters become plain ones.
  const word = text.normalize('NFKC').trim().toLowerCase();
  if (TRUE.includes(word) || word === yes.toLowerCase()) return { value: { type: 'Boolean', value: true } };
  if (FALSE.includes(word) || word === no.toLowerCase()) return { value: { type: 'Boolean', value: false } };
  return { problem: 'boolean' };
}

/** Spreadsheets know these two words in every language that they were written in. */
export const writeBoolean = (value: boolean): string => (value ? 'TRUE' : 'FALSE');
