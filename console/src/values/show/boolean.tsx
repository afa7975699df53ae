import { useTranslations } from 'use-intl';
import type { RawSimpleValue } from '../../api/client.ts';
import type { ShowProps } from '../where.ts';

type BooleanValue = Extract<RawSimpleValue, { type: 'Boolean' }>;

export function ShowBoolean({ value: { value }, where }: ShowProps<BooleanValue>) {
  const t = useTranslations('common');
  const word = t(value ? 'yes' : 'no');
  return (
    <>
      <span role="img" aria-label={word} className={value ? 'value-boolean on' : 'value-boolean'} />
      {where.in === 'page' && <span aria-hidden="true">{word}</span>}
    </>
  );
}
