// The people of an application: tabs with addresses, and the list of the one that is open.

import { Link, Outlet } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { ApplicationLink } from './ApplicationLink.tsx';
import { Managers, managesShared } from './Managers.tsx';
import '../grid/grid.css';
import '../record/record.css';
import '../values/values.css';
import './people.css';

const TABS = {
  users: '/$application/people',
  teams: '/$application/people/teams',
  profiles: '/$application/people/profiles',
  shared: '/$application/people/shared',
} as const;

export function PeoplePage({ application }: { readonly application: string }) {
  const t = useTranslations('people');
  return (
    <Managers application={application}>
      {(manager) => (
        <main className="grid-page">
          <title>{`${t('title')} – ${manager.definition.name}`}</title>
          <div className="people-top">
            <h1>{t('title')}</h1>
            <nav className="people-tabs" aria-label={t('title')}>
              {(Object.keys(TABS) as (keyof typeof TABS)[])
                .filter((tab) => tab !== 'teams' || manager.definition.teamsModeEnabled)
                .filter((tab) => tab !== 'shared' || managesShared(manager))
                .map((tab) => (
                  <Link
                    key={tab}
                    to={TABS[tab]}
                    params={{ application }}
                    className="people-tab"
                    activeOptions={{ exact: true, includeSearch: false }}
                  >
                    {t(tab)}
                  </Link>
                ))}
            </nav>
            <p className="people-address">
              <span className="hint">{t('applicationLink')}</span>
              <ApplicationLink application={application} />
            </p>
          </div>
          <Outlet />
        </main>
      )}
    </Managers>
  );
}
