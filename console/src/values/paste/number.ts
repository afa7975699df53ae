import { numberOf, numberText } from '../number-text.ts';
import type { Read, Writing } from './reading.ts';

/** Signs of currencies, which spreadsheets show in the cell. */
const CURRENCY = /\p{Sc}|円$/gu;
/** Accountants write negative amounts in brackets. */
const BRACKETED = /^\((.+)\)$/;

export function readNumber(text: string, { locale }: Writing): Read {
  const amount = text.normalize('NFKC').replaceAll(CURRENCY, '').trim();
  const bracketed = BRACKETED.exec(amount)?.[1];
  const percent = amount.endsWith('%');
  const number = numberOf(bracketed ?? (percent ? amount.slice(0, -1) : amount), locale);
  if (number === undefined || (bracketed !== undefined && number < 0)) return { problem: 'number' };
  // Division would leave 7.000000000000001 of 7 %.
  const value = percent ? Number(`${number}e-2`) : number;
  if (Number.isNaN(value)) return { problem: 'number' };
  return { value: { type: 'Number', value: bracketed === undefined ? value : -value } };
}

export const writeNumber = (value: number, { locale }: Writing): string => numberText(value, locale);
