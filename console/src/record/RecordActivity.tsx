// Who did what with a record, newest first.

import { useInfiniteQuery } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { activityQuery } from '../api/activity.ts';
import type { RawActivityEntry } from '../api/client.ts';
import { useSentence } from '../messages/problem.ts';
import { Moment } from '../values/show/date-time.tsx';
import { PersonName } from '../values/show/user.tsx';

const DONE = { create: 'created', update: 'updated', delete: 'deleted' } as const;
const isDone = (subType: string): subType is keyof typeof DONE => Object.hasOwn(DONE, subType);

export function RecordActivity({ application, record }: { readonly application: string; readonly record: string }) {
  const t = useTranslations('recordActivity');
  const common = useTranslations('common');
  const sentence = useSentence();
  const activity = useInfiniteQuery(activityQuery(application, { recordId: record }));
  if (activity.isPending) return <p className="hint">{common('loading')}</p>;
  if (activity.data === undefined) return <p role="alert">{sentence(activity.error)}</p>;
  const entries = activity.data.pages.flatMap((page) => page.entries);
  return (
    <>
      {entries.length === 0 && <p className="hint">{t(activity.hasNextPage ? 'noneYet' : 'none')}</p>}
      <ol className="record-activity">
        {entries.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no identity but their place, which never changes
          <li key={index}>
            <Entry entry={entry} />
          </li>
        ))}
      </ol>
      {activity.hasNextPage && (
        <div>
          <Button
            className="button"
            isPending={activity.isFetchingNextPage}
            onPress={() => void activity.fetchNextPage()}
          >
            {t('older')}
          </Button>
        </div>
      )}
    </>
  );
}

function Entry({ entry: { date, type, subType, user, source } }: { readonly entry: RawActivityEntry }) {
  const t = useTranslations('recordActivity');
  const what = type === 'record' && isDone(subType) ? t(DONE[subType]) : `${type}.${subType}`;
  return (
    <>
      <Moment at={date} />
      <PersonName person={user.id === 'operator' ? { ...user, name: t('operator') } : user} />
      <span>{what}</span>
      <span className="hint">{t(`through_${source.context}`)}</span>
    </>
  );
}
