// The number of records of an application, which is an estimate where counting would be dear.

import { useFormatter, useTranslations } from 'use-intl';
import type { ApplicationSize } from '../../api/operated-shapes.ts';

export function useRecords(): (size: Pick<ApplicationSize, 'records' | 'recordsExact'>) => string {
  const t = useTranslations('operate.use');
  const format = useFormatter();
  return ({ records, recordsExact }) => {
    if (recordsExact) return format.number(records);
    return t('about', { count: format.number(records, { maximumSignificantDigits: 3 }) });
  };
}
