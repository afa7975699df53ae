// Who created and updated a record when, and its ID.

import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { RawRecord } from '../api/client.ts';
import { Moment } from '../values/show/date-time.tsx';

export function RecordFoot({ record }: { readonly record: RawRecord }) {
  const t = useTranslations('record');
  const [copied, setCopied] = useState(false);
  const moment = (at: string) => () => <Moment at={at} />;
  return (
    <footer className="record-foot">
      <span>{t.rich('createdLine', { date: moment(record.createdAt), name: record.createdBy.name })}</span>
      <span>{t.rich('updatedLine', { date: moment(record.updatedAt), name: record.updatedBy.name })}</span>
      <span>
        {t('id')} <code>{record.id}</code>
        <Button
          className="button quiet record-copy"
          onPress={() => void navigator.clipboard.writeText(record.id).then(() => setCopied(true))}
        >
          {t(copied ? 'copied' : 'copyId')}
        </Button>
      </span>
    </footer>
  );
}
