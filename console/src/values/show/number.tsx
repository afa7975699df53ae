import { useFormatter } from 'use-intl';
import type { RawSimpleValue } from '../../api/client.ts';
import type { ShowProps } from '../where.ts';

type NumberValue = Extract<RawSimpleValue, { type: 'Number' }>;

/** All digits that a number has: what is shown is what is stored. */
const EVERY_DIGIT = { maximumFractionDigits: 20 } as const;
/** Beyond these, grouped digits are harder to read than an exponent. */
const PLAIN_MAX = 1e15;
const PLAIN_MIN = 1e-6;

export function ShowNumber({ value: { value } }: ShowProps<NumberValue>) {
  const format = useFormatter();
  const size = Math.abs(value);
  const plain = size === 0 || (size < PLAIN_MAX && size >= PLAIN_MIN);
  return <span className="value-number">{plain ? format.number(value, EVERY_DIGIT) : String(value)}</span>;
}
