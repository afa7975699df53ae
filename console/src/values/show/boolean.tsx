import { useTranslations } from 'use-intl';
import type { RawSimpleValue } from '../../api/client.ts';
import type { ShowProps } from '../where.ts';

type BooleanValue = Extract<RawSimpleValue, { type: 'Boolean' }>;

export function ShowBoolean({ value: { value }, where }: ShowProps<BooleanValue>) {
  const t = useTranslations('common');
  const word = t(value ? 'yes' : 'no');
  return (
    <span className={`value-boolean ${value ? 'on' : ''}`}>
      <svg width="16" height="16" viewBox="0 0 16 16" role="img" aria-label={word}>
        <rect x="1.5" y="1.5" width="13" height="13" rx="3.5" />
        {value && <path d="m4.5 8.2 2.4 2.4 4.6-5" />}
      </svg>
      {where.in === 'page' && <span aria-hidden="true">{word}</span>}
    </span>
  );
}
