import type { RawSimpleValue } from '../../api/client.ts';
import type { ShowProps } from '../where.ts';

type StringValue = Extract<RawSimpleValue, { type: 'String' }>;

/** Long texts are cut in a cell before they reach the page: a text may have a million characters. */
const CELL_MAX = 300;
/** The narrowest letters, in pixels: what is cut in a cell of a known width is out of sight. */
const LETTER_WIDTH = 3;
/** The first half of a character that was cut through. */
const HALF = /[\ud800-\udbff]$/;

export function ShowString({ value: { value }, where }: ShowProps<StringValue>) {
  if (where.in === 'page') return <span className="value-text">{value}</span>;
  const max = where.width === undefined ? CELL_MAX : Math.min(CELL_MAX, Math.ceil(where.width / LETTER_WIDTH));
  return <span>{value.length > max ? `${value.slice(0, max).replace(HALF, '')}…` : value}</span>;
}
