// A record's values, who refers to it, and its activity, as tabs that have addresses.

import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { ApplicationDefinition, CollectionDefinition, RawRecord, Session } from '../api/client.ts';
import { RecordValues } from './RecordValues.tsx';
import { hasActivityQuery } from './record-activity.ts';
import { TABS, type Tab as TabName } from './record-address.ts';
import { referringColumns } from './referrers.ts';

const RecordActivity = lazy(async () => ({ default: (await import('./RecordActivity.tsx')).RecordActivity }));
const Referrers = lazy(async () => ({ default: (await import('./Referrers.tsx')).Referrers }));

interface RecordTabsProps {
  readonly definition: ApplicationDefinition;
  readonly collection: CollectionDefinition;
  readonly record: RawRecord;
  readonly session: Session;
  readonly tab: TabName;
  readonly onTab: (tab: TabName) => void;
}

export function RecordTabs({ definition, collection, record, session, tab, onTab }: RecordTabsProps) {
  const t = useTranslations('record');
  const referring = referringColumns(definition, collection.id);
  const hasActivity = useQuery(hasActivityQuery(definition.id, session)).data === true;
  const there = { values: true, referrers: referring.length > 0, activity: hasActivity };
  const tabs = TABS.filter((each) => there[each]);
  const values = <RecordValues application={definition.id} collection={collection} record={record} />;
  if (tabs.length === 1) return values;
  return (
    <Tabs
      className="record-tabs"
      selectedKey={tabs.includes(tab) ? tab : 'values'}
      onSelectionChange={(key) => onTab(key as TabName)}
    >
      <TabList className="tabs" aria-label={t('tabs')}>
        {tabs.map((each) => (
          <Tab key={each} id={each} className="tab">
            {t(`tab_${each}`)}
          </Tab>
        ))}
      </TabList>
      {/* Always there: on paper all values are wanted, whatever tab is open. */}
      <TabPanel id="values" className="tab-values" shouldForceMount>
        {values}
      </TabPanel>
      <TabPanel id="referrers" className="tab-panel">
        <Suspense>
          <Referrers application={definition.id} columns={referring} record={record} />
        </Suspense>
      </TabPanel>
      <TabPanel id="activity" className="tab-panel">
        <Suspense>
          <RecordActivity application={definition.id} record={record.id} />
        </Suspense>
      </TabPanel>
    </Tabs>
  );
}
