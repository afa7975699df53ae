// One application, as its operator sees it: what it has, publishing, limits and users, each as a tab with its address.

import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { CartularyError } from '../api/client.ts';
import { publishedQuery } from '../api/operated.ts';
import { applicationsQuery } from '../api/operator.ts';
import { NotFound } from '../frame/NotFound.tsx';
import { ProblemPage } from '../frame/ProblemPage.tsx';
import { APPLICATION_TABS, type ApplicationTab } from './addresses.ts';
import { Overview } from './Overview.tsx';

const PublishPanel = lazy(async () => ({ default: (await import('./publish/PublishPanel.tsx')).PublishPanel }));
const HistoryPanel = lazy(async () => ({ default: (await import('./history/HistoryPanel.tsx')).HistoryPanel }));
const QuotasPanel = lazy(async () => ({ default: (await import('./quotas/QuotasPanel.tsx')).QuotasPanel }));
const UsersPanel = lazy(async () => ({ default: (await import('./users/UsersPanel.tsx')).UsersPanel }));

interface ApplicationPageProps {
  readonly application: string;
  readonly tab: ApplicationTab;
}

export function ApplicationPage({ application, tab }: ApplicationPageProps) {
  const t = useTranslations('operate');
  const open = useTranslations('common')('open');
  const navigate = useNavigate();
  const published = useQuery(publishedQuery(application));
  const summary = useQuery(applicationsQuery).data?.find(({ id }) => id === application);
  if (published.data === undefined) {
    if (published.isPending) return <main aria-busy="true" className="operate-page" />;
    if (published.error instanceof CartularyError && published.error.status === 404) return <NotFound />;
    return <ProblemPage error={published.error} reset={() => void published.refetch()} />;
  }
  const { name } = published.data;
  return (
    <main className="operate-page scrolled">
      <title>{`${name} – Cartulary`}</title>
      <div className="operate-head">
        <h1>{name}</h1>
        {summary !== undefined && <span className="grid-count">{t('versionOf', { version: summary.version })}</span>}
        <Link className="button" to="/$application" params={{ application }}>
          {open}
        </Link>
      </div>
      <Tabs
        className="operate-part"
        selectedKey={tab}
        onSelectionChange={(key) =>
          void navigate({
            to: '/operate/applications/$application',
            params: { application },
            search: key === 'overview' ? {} : { tab: key as ApplicationTab },
          })
        }
      >
        <TabList aria-label={name} className="operate-tabs">
          {APPLICATION_TABS.map((id) => (
            <Tab key={id} id={id} className="operate-tab">
              {t(`tabs.${id}`)}
            </Tab>
          ))}
        </TabList>
        <Suspense fallback={<div aria-busy="true" />}>
          <TabPanel id="overview">
            <Overview document={published.data} version={summary?.version} />
          </TabPanel>
          <TabPanel id="publish">
            <PublishPanel application={application} />
          </TabPanel>
          <TabPanel id="history">
            <HistoryPanel application={application} />
          </TabPanel>
          <TabPanel id="quotas">
            <QuotasPanel application={application} />
          </TabPanel>
          <TabPanel id="users">
            <UsersPanel document={published.data} />
          </TabPanel>
        </Suspense>
      </Tabs>
    </main>
  );
}
