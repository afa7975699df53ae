// The order of a list, and a position in it from which a list goes on (docs/interface.md, "Walking a list").

import type { Column } from '../../wire/applications.ts';
import { isIdentifier } from '../../wire/identifiers.ts';
import { sha256Hex } from '../hash.ts';
import { cutText, type Projected } from './projections.ts';

export const SORT_KEYS = ['column', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy'] as const;
export const SORT_ORDERS = ['ascending', 'descending'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export type ListOrder = {
  readonly descending: boolean;
} & (
  | { readonly key: Exclude<SortKey, 'column'>; readonly column?: undefined }
  | { readonly key: 'column'; readonly column: Column }
);

/** The record after which a list goes on, and its value in the column of the order; null: no value. */
export interface Position {
  readonly value: Projected;
  readonly id: string;
  /** Digest of the whole text, when `value` is only its beginning. */
  readonly digest?: string;
}

const TOKEN_START = '~';
const DIGEST = /^[0-9a-f]{64}$/;
/** A longer text is cut, so that a position fits into a URL and a header. */
const POSITION_TEXT_MAX = 750;

const nameOf = (order: ListOrder): string => order.column?.id ?? order.key;

export function writePosition(order: ListOrder, { value, id, digest }: Position): string {
  const parts = [nameOf(order), value, id, ...(digest === undefined ? [] : [digest])];
  return TOKEN_START + Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Makes a position fit into a URL: a long text is cut, and its digest distinguishes it from others. */
export function cutPosition({ value, id }: Position): Position {
  if (typeof value !== 'string') return { value, id };
  const beginning = cutText(value, POSITION_TEXT_MAX);
  return beginning === value ? { value, id } : { value: beginning, id, digest: sha256Hex(value) };
}

/** The problem helps a client that builds positions by hand. */
export function readPosition(token: string, order: ListOrder): Position | { readonly problem: string } {
  const malformed = { problem: 'must be the identifier of a record, or a position from a Link header' };
  if (!token.startsWith(TOKEN_START)) return malformed;
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(token.slice(1), 'base64url').toString());
  } catch {
    return malformed;
  }
  if (!Array.isArray(parts) || parts.length < 3 || parts.length > 4) return malformed;
  const [name, value, id, digest] = parts as unknown[];
  if (name !== nameOf(order)) return { problem: 'is a position in another order' };
  if (!isIdentifier('recordId', id) || !fits(order, value)) return malformed;
  if (parts.length === 3) return { value, id };
  return typeof digest === 'string' && DIGEST.test(digest) ? { value, id, digest } : malformed;
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const FORMS: Partial<Record<Column['type'], RegExp>> = {
  DateTime: ISO_TIME,
  Date: /^\d{4}-\d\d-\d\d$/,
  Time: /^\d\d:\d\d:\d\d$/,
};

/** Positions come from clients: only a value of the order's own type may reach the database. */
function fits({ key, column }: ListOrder, value: unknown): value is Projected {
  if (column === undefined) {
    return key === 'createdAt' || key === 'updatedAt' ? isTime(ISO_TIME, value) : isText(value);
  }
  if (value === null) return true;
  switch (column.type) {
    case 'Number':
    case 'ReferenceNumber':
      return typeof value === 'number';
    case 'Boolean':
      return typeof value === 'boolean';
    case 'DateTime':
    case 'Date':
    case 'Time':
      return isTime(FORMS[column.type]!, value);
    default:
      return isText(value);
  }
}

const isText = (value: unknown): boolean =>
  typeof value === 'string' && !value.includes('\0') && !/\p{Surrogate}/u.test(value);

function isTime(form: RegExp, value: unknown): boolean {
  if (typeof value !== 'string' || !form.test(value)) return false;
  const [date = '1970-01-01', time = '00:00:00.000Z'] =
    value.includes(':') && !value.includes('T') ? ['1970-01-01', `${value}.000Z`] : value.split('T');
  const parsed = new Date(`${date}T${time}`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString() === `${date}T${time}` && !date.startsWith('0000');
}
