import { useTranslations } from 'use-intl';
import type { RawArrayValue } from '../../api/client.ts';
import type { ShowProps } from '../where.ts';
import { ShownValue } from './ShownValue.tsx';

/** More do not fit into a cell. */
const CELL_ITEMS = 4;

export function ShowArray({ value: { value }, where }: ShowProps<RawArrayValue>) {
  const t = useTranslations('values');
  const shown = where.in === 'cell' ? value.slice(0, CELL_ITEMS) : value;
  const items = shown.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity but their place
    <li key={index}>
      <ShownValue value={item} where={where} />
    </li>
  ));
  if (where.in === 'page') return <ol className="value-array">{items}</ol>;
  return (
    <span className="value-parts">
      <ul className="value-chips">{items}</ul>
      {value.length > CELL_ITEMS && <span className="hint">{t('items', { count: value.length })}</span>}
    </span>
  );
}
