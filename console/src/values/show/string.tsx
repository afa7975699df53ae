import type { RawSimpleValue } from '../../api/client.ts';
import type { ShowProps } from '../where.ts';

type StringValue = Extract<RawSimpleValue, { type: 'String' }>;

/** Long texts are cut in a cell before they reach the page: a text may have a million characters. */
const CELL_MAX = 300;
/** The first half of a character that was cut through. */
const HALF = /[\ud800-\udbff]$/;

export function ShowString({ value: { value }, where }: ShowProps<StringValue>) {
  if (where.in === 'page') return <span className="value-text">{value}</span>;
  return <span>{value.length > CELL_MAX ? `${value.slice(0, CELL_MAX).replace(HALF, '')}…` : value}</span>;
}
