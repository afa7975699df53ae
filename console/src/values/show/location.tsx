import { useFormatter, useTranslations } from 'use-intl';
import type { RawSimpleValue } from '../../api/client.ts';
import type { ShowProps } from '../where.ts';

type LocationValue = Extract<RawSimpleValue, { type: 'Location' }>;

/** About a metre. The page shows every digit. */
const CELL_DIGITS = 5;

export function ShowLocation({ value, where }: ShowProps<LocationValue>) {
  const format = useFormatter();
  const t = useTranslations('values');
  const digits = { maximumFractionDigits: where.in === 'page' ? 20 : CELL_DIGITS };
  const degrees = (number: number, [positive, negative]: readonly [string, string]) =>
    `${format.number(Math.abs(number), digits)}° ${number < 0 ? negative : positive}`;
  return (
    <span className="value-location">
      {degrees(value.latitude, ['N', 'S'])}, {degrees(value.longitude, ['E', 'W'])}
      {value.altitude !== undefined && `, ${t('metres', { metres: value.altitude })}`}
    </span>
  );
}
