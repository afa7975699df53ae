// Reads numbers as people write them. `1,234` is refused: it is one thousand or one, depending on who wrote it.

import { cellProblem } from '../problems.ts';

const PLAIN = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
/** Blanks, also those that do not break, and apostrophes separate thousands in many countries and mean nothing else. */
const GROUPS = /(?<=\d)[ \u00a0\u202f'](?=\d{3}(?!\d))/g;
const COMMA_GROUPS = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/;
const POINT_GROUPS = /^[+-]?\d{1,3}(?:\.\d{3})+(?:,\d*)?$/;

export function readNumberCell(text: string, decimalComma: boolean): number {
  const plain = (decimalComma ? withPoint(text.trim()) : withoutCommas(text.trim())).replaceAll(GROUPS, '');
  const number = Number(plain);
  if (!PLAIN.test(plain) || !Number.isFinite(number)) throw cellProblem('notNumber', text);
  return number;
}

function withPoint(text: string): string {
  const bare = POINT_GROUPS.test(text) ? text.replaceAll('.', '') : text;
  return bare.replace(',', '.');
}

function withoutCommas(text: string): string {
  if (!text.includes(',')) return text;
  const isClear = COMMA_GROUPS.test(text) && (text.includes('.') || text.split(',').length > 2);
  if (isClear) return text.replaceAll(',', '');
  throw cellProblem('unclearComma', text);
}

const TRUE = new Set(['true', 'yes', 'y', 't', '1', 'on', 'checked']);
const FALSE = new Set(['false', 'no', 'n', 'f', '0', 'off', 'unchecked']);

export function readBooleanCell(text: string): boolean {
  const word = text.trim().toLowerCase();
  if (TRUE.has(word)) return true;
  if (FALSE.has(word)) return false;
  throw cellProblem('notBoolean', text);
}
