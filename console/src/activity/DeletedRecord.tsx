// Who deleted a record, and when, as the log tells it.

import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { activityQuery } from '../api/activity.ts';
import { Moment } from '../values/show/date-time.tsx';

export function DeletedRecord({ application, record }: { readonly application: string; readonly record: string }) {
  const t = useTranslations('activity');
  const log = useInfiniteQuery(activityQuery(application, { recordId: record, kind: 'record.delete' }));
  const entry = log.data?.pages.flatMap(({ entries }) => entries)[0];
  if (entry === undefined) return null;
  const person = entry.user.id === 'operator' ? t('operator') : entry.user.name;
  return (
    <p className="message">{t.rich('deletedLine', { person, date: () => <Moment key="date" at={entry.date} /> })}</p>
  );
}
