import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { RawReferenceValue } from '../../api/client.ts';
import type { ShowProps } from '../where.ts';
import { ShownValue } from './ShownValue.tsx';

export function ShowReference({ value, where }: ShowProps<RawReferenceValue>) {
  const t = useTranslations('values');
  const params = { application: where.application, collection: value.collectionId, record: value.recordId };
  const shown =
    value.value === undefined ? (
      <span className="hint">{t('gone')}</span>
    ) : (
      <ShownValue value={value.value} where={where} />
    );
  if (where.linked === true) return shown;
  return (
    <Link
      to="/$application/$collection/$record"
      params={params}
      className="value-reference"
      preload="intent"
      tabIndex={where.in === 'cell' ? -1 : 0}
    >
      {shown}
    </Link>
  );
}
