// What an application holds, and its requests over time.

import { useQuery } from '@tanstack/react-query';
import { useFormatter, useTranslations } from 'use-intl';
import { hourlyUseQuery } from '../../api/operated.ts';
import { useSentence } from '../../messages/problem.ts';
import { useBytes } from '../../values/bytes.ts';
import { UseChart } from './UseChart.tsx';
import { useRecords } from './use-records.ts';
import '../health/health.css';

export function ApplicationUse({ application }: { readonly application: string }) {
  const t = useTranslations('operate.use');
  const format = useFormatter();
  const bytes = useBytes();
  const records = useRecords();
  const sentence = useSentence();
  const use = useQuery(hourlyUseQuery(application));
  if (use.data === undefined) {
    return use.isError ? (
      <p role="alert" className="message wrong">
        {sentence(use.error)}
      </p>
    ) : (
      <div aria-busy="true" />
    );
  }
  const { size, hours } = use.data;
  return (
    <>
      <dl className="health-now">
        <div>
          <dt>{t('records')}</dt>
          <dd>{records(size)}</dd>
        </div>
        <div>
          <dt>{t('databaseBytes')}</dt>
          <dd>{bytes(size.databaseBytes ?? undefined)}</dd>
        </div>
        <div>
          <dt>{t('attachments')}</dt>
          <dd>{format.number(size.attachments)}</dd>
        </div>
        <div>
          <dt>{t('attachmentBytes')}</dt>
          <dd>{bytes(size.attachmentBytes)}</dd>
        </div>
      </dl>
      <UseChart hours={hours} now={use.dataUpdatedAt} />
    </>
  );
}
