// Who did what in the application: figures, and the entries newest first. What narrows them down stands in the address.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { Button } from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import { activityFiguresQuery, activityQuery } from '../api/activity.ts';
import { CartularyError, type CollectionDefinition, type RawActivityEntry } from '../api/client.ts';
import { definitionQuery } from '../api/definition.ts';
import { sessionQuery } from '../api/session.ts';
import { NotAllowed } from '../frame/NotFound.tsx';
import { forget, remember, remembered } from '../frame/remembered.ts';
import { useSentence } from '../messages/problem.ts';
import { useZone } from '../messages/time-zone.tsx';
import { Tick } from '../moving/Tick.tsx';
import { ActivityFilters } from './ActivityFilters.tsx';
import { ActivityList } from './ActivityList.tsx';
import {
  type ActivityAddress,
  COUNTED_DAYS_MAX,
  countedPeriod,
  filterOf,
  periodOf,
  readActivityAddress,
} from './activity-address.ts';
import { EntryDialog } from './EntryDialog.tsx';
import { maySeeActivity } from './may-see.ts';
import { useRecordTitles } from './record-titles.ts';
import { type Sentences, useSentences } from './sentence.ts';
import '../moving/moving.css';
import '../values/values.css';
import './activity.css';

const ActivityCharts = lazy(async () => ({ default: (await import('./ActivityCharts.tsx')).ActivityCharts }));
const ExportDialog = lazy(async () => ({ default: (await import('./ExportDialog.tsx')).ExportDialog }));

interface ActivityPageProps {
  readonly application: string;
  readonly address: ActivityAddress;
}

export function ActivityPage(props: ActivityPageProps) {
  const { application } = props;
  const session = useQuery(sessionQuery(application)).data;
  if (session == null) return null;
  if (!maySeeActivity(session)) {
    return <NotAllowed application={application} page="activity" right="organizationManagementApiAccess" />;
  }
  return <Log {...props} />;
}

const NO_COLLECTIONS: readonly CollectionDefinition[] = [];
/** So many requests in a row may find nothing before somebody is asked whether to go on. */
const FRUITLESS_MAX = 10;

function Log({ application, address }: ActivityPageProps) {
  const t = useTranslations('activity');
  const sentence = useSentence();
  const format = useFormatter();
  const navigate = useNavigate();
  const zone = useZone();
  const definition = useQuery(definitionQuery(application)).data;
  const collections = definition?.collections ?? NO_COLLECTIONS;
  const log = useInfiniteQuery(activityQuery(application, { ...filterOf(address), ...periodOf(address, zone) }));
  const pages = log.data?.pages;
  const entries = useMemo(() => pages?.flatMap((page) => page.entries) ?? [], [pages]);
  const sentences = useSentences(application, entries, useRecordTitles(application, collections, entries));
  const [opened, setOpened] = useState<RawActivityEntry>();
  const [exporting, setExporting] = useState(false);
  const [charts, setCharts] = useState(remembered('activity.figures') !== 'hidden');

  function narrow(changes: Readonly<Record<string, string | undefined>>): void {
    setOpened(undefined);
    const search = readActivityAddress({ ...address, ...changes });
    void navigate({ to: '/$application/activity', params: { application }, search });
  }

  const why = log.error === null ? undefined : unavailable(log.error);
  if (why !== undefined) {
    return (
      <main className="empty">
        <h1>{t(why)}</h1>
        <p>{t(`${why}Hint`)}</p>
      </main>
    );
  }
  const tired = (pages?.length ?? 0) >= FRUITLESS_MAX && pages?.slice(-FRUITLESS_MAX).every(isFruitless) === true;
  const reached = pages?.at(-1)?.reached;
  const goOn = () => {
    if (log.hasNextPage && !log.isFetchingNextPage) void log.fetchNextPage();
  };
  const finished = log.isSuccess && !log.hasNextPage;
  return (
    <main className="activity-page">
      <title>{`${t('title')} – ${definition?.name ?? ''}`}</title>
      <div className="activity-bar">
        <h1>{t('title')}</h1>
        <Tick
          label={t('previews')}
          isSelected={address.previews !== undefined}
          onChange={(shown) => narrow({ previews: shown ? 'shown' : undefined })}
        />
        <Button
          className="button quiet"
          aria-expanded={charts}
          onPress={() => {
            if (charts) remember('activity.figures', 'hidden');
            else forget('activity.figures');
            setCharts(!charts);
          }}
        >
          {t(charts ? 'hideCharts' : 'showCharts')}
        </Button>
        <Button className="button" onPress={() => setExporting(true)}>
          {t('export')}
        </Button>
      </div>
      <ActivityFilters
        application={application}
        collections={collections}
        address={address}
        sentences={sentences}
        onChange={narrow}
      />
      {charts && <Figures application={application} address={address} sentences={sentences} onNarrow={narrow} />}
      {log.isError && (
        <p role="alert" className="notice">
          {sentence(log.error)}
        </p>
      )}
      {entries.length > 0 && (
        <ActivityList
          entries={entries}
          sentences={sentences}
          onMore={tired || finished ? undefined : goOn}
          isLoading={log.isFetchingNextPage}
          onOpen={setOpened}
        />
      )}
      {entries.length === 0 && finished && (
        <div className="empty">
          <p>{t(Object.keys(address).length === 0 ? 'none' : 'noneFound')}</p>
          {Object.keys(address).length > 0 && <p>{t('noneHint')}</p>}
        </div>
      )}
      {entries.length === 0 && !finished && !tired && (
        <LookOn key={pages?.length} onLook={goOn} isError={log.isError} />
      )}
      {tired && !finished && (
        <p className="activity-reached" role="status">
          {reached !== undefined && t('reached', { date: format.dateTime(new Date(reached), { dateStyle: 'long' }) })}
          <Button className="button" onPress={goOn} isDisabled={log.isFetchingNextPage}>
            {t('lookFurther')}
          </Button>
        </p>
      )}
      {opened !== undefined && (
        <EntryDialog
          application={application}
          collections={collections}
          entry={opened}
          sentences={sentences}
          onClose={() => setOpened(undefined)}
          onNarrow={narrow}
        />
      )}
      {exporting && (
        <Suspense>
          <ExportDialog application={application} address={address} onClose={() => setExporting(false)} />
        </Suspense>
      )}
    </main>
  );
}

const isFruitless = ({ entries }: { readonly entries: readonly unknown[] }): boolean => entries.length === 0;

/** What the application does not have; undefined for what may pass. */
function unavailable(error: unknown): 'off' | 'notInPlan' | undefined {
  if (!(error instanceof CartularyError)) return undefined;
  if (error.is('FEATURE_DISABLED')) return 'off';
  return error.is('NOT_IN_PLAN') ? 'notInPlan' : undefined;
}

/** Nothing has been found yet: goes on by itself, as the end of a list does. */
function LookOn({ onLook, isError }: { readonly onLook: () => void; readonly isError: boolean }) {
  const t = useTranslations('activity');
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each page that was read
  useEffect(() => {
    if (!isError) onLook();
  }, []);
  return isError ? null : (
    <p className="activity-reached" role="status">
      {t('looking')}
    </p>
  );
}

interface FiguresProps {
  readonly application: string;
  readonly address: ActivityAddress;
  readonly sentences: Sentences;
  readonly onNarrow: (changes: Readonly<Record<string, string | undefined>>) => void;
}

function Figures({ application, address, sentences, onNarrow }: FiguresProps) {
  const t = useTranslations('activity');
  const sentence = useSentence();
  const format = useFormatter();
  const zone = useZone();
  const period = countedPeriod(address, new Date(), zone);
  const { data: figures, error } = useQuery({
    ...activityFiguresQuery(application, {
      ...filterOf(address),
      startDate: period.start.toISOString(),
      endDate: period.end.toISOString(),
      timezone: zone,
    }),
    placeholderData: (before) => before,
  });
  const shown = (at: Date) => format.dateTime(at, { dateStyle: 'medium' });
  const count = figures?.reduce((sum, figure) => sum + figure.count, 0) ?? 0;
  return (
    <section className="activity-figures" aria-label={t('charts')}>
      {error !== null && <p className="hint">{t('noFigures', { reason: sentence(error) })}</p>}
      {figures !== undefined && (
        <>
          <p className="activity-counted">
            {t('counted', { count, from: shown(period.start), to: shown(new Date(period.end.getTime() - 1)) })}
            {period.cut && <span className="hint"> {t('cut', { days: COUNTED_DAYS_MAX })}</span>}
          </p>
          <Suspense fallback={<div className="activity-charts" />}>
            <ActivityCharts figures={figures} period={period} sentences={sentences} onNarrow={onNarrow} />
          </Suspense>
        </>
      )}
    </section>
  );
}
