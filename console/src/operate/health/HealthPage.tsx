// How the server is: what it does now, the last hour as charts, its jobs and its busiest operations.

import { lazy, Suspense } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { ProblemPage } from '../../frame/ProblemPage.tsx';
import { useBytes } from '../../values/bytes.ts';
import { Jobs } from './Jobs.tsx';
import { Routes } from './Routes.tsx';
import { type Health, useHealth } from './use-samples.ts';
import './health.css';

const HealthCharts = lazy(async () => ({ default: (await import('./HealthCharts.tsx')).HealthCharts }));

export function HealthPage() {
  const t = useTranslations('health');
  const health = useHealth();
  if (health.data === undefined) {
    if (health.isPending) return <main aria-busy="true" className="operate-page" />;
    return <ProblemPage error={health.error} reset={() => void health.refetch()} />;
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by the keyboard
    <main className="operate-page scrolled" tabIndex={0}>
      <title>{`${t('title')} – Cartulary`}</title>
      <div className="operate-head">
        <h1>{t('title')}</h1>
        <State health={health.data} isAway={health.isError} />
      </div>
      <Now {...health.data} />
      <p className="hint">{t('since', { time: new Date(health.data.samples[0]?.at ?? Date.now()) })}</p>
      <Suspense fallback={<div className="health-charts" aria-busy="true" />}>
        <HealthCharts samples={health.data.samples} />
      </Suspense>
      <div className="health-tables">
        <Jobs reading={health.data.reading} />
        <Routes reading={health.data.reading} />
      </div>
    </main>
  );
}

/** The worst that can be said of the server now. */
function State({ health: { reading }, isAway }: { readonly health: Health; readonly isAway: boolean }) {
  const t = useTranslations('health');
  const isDatabaseUp = reading.sum('cartulary_database_up') !== 0;
  const age = reading.sum('cartulary_hearing_age_seconds') ?? 0;
  const [state, isWrong] = isAway
    ? (['away', true] as const)
    : !isDatabaseUp
      ? (['databaseAway', true] as const)
      : age > DEAF_SECONDS
        ? (['deaf', true] as const)
        : (['well', false] as const);
  return (
    <p role="status" className={isWrong ? 'health-state wrong' : 'health-state'}>
      <span aria-hidden="true">{isWrong ? '▲' : '●'}</span> {t(state)}
    </p>
  );
}

/** A server that hears nothing of the others for so long does not use its caches. */
const DEAF_SECONDS = 0.8;

function Now({ samples, reading }: Health) {
  const t = useTranslations('health');
  const format = useFormatter();
  const bytes = useBytes();
  const sample = samples.at(-1);
  const number = (value: number | undefined) => (value === undefined ? '–' : format.number(value));
  const started = reading.sum('process_start_time_seconds');
  const figures = [
    [t('inFlight'), number(sample?.inFlight)],
    [t('waiting'), number(sample?.waiting)],
    [t('connections'), number(sample?.connections)],
    [
      t('databaseConnections'),
      `${number(reading.sum('cartulary_database_connections'))} / ${number(reading.sum('cartulary_database_connections_max'))}`,
    ],
    [t('databaseSize'), bytes(sample?.databaseBytes)],
    [t('memory'), bytes(sample?.memory)],
    [t('tasks'), number(sample?.tasks)],
    [t('workersLost'), number(reading.sum('cartulary_workers_lost_total'))],
    [t('version'), reading.label('cartulary_build_info', 'version') ?? '–'],
    [t('database'), reading.label('cartulary_database_info', 'version') ?? '–'],
    [
      t('started'),
      started === undefined
        ? '–'
        : format.dateTime(new Date(1000 * started), { dateStyle: 'medium', timeStyle: 'short' }),
    ],
  ] as const;
  return (
    <dl className="health-now">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
