// The frame around the operator's pages.

import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { setOperatorAccess, useOperatorAccess } from '../api/operator.ts';
import { Mark } from '../frame/Mark.tsx';
import { Offline } from '../frame/Offline.tsx';
import { KeyPage, OperatorEntry } from './OperatorEntry.tsx';
import './operate.css';

/** The pages of the operator, in the order of the rail. */
const PAGES = [
  { to: '/operate', name: 'applications' },
  { to: '/operate/publish', name: 'publish' },
  { to: '/operate/quotas', name: 'quotas' },
  { to: '/operate/organizations', name: 'organizations' },
  { to: '/operate/health', name: 'health' },
  { to: '/operate/maintenance', name: 'maintenance' },
] as const;

export function OperatorFrame() {
  return (
    <OperatorEntry>
      <Frame />
    </OperatorEntry>
  );
}

function Frame() {
  const t = useTranslations('operate');
  const design = useTranslations('design')('entry');
  const queries = useQueryClient();
  const access = useOperatorAccess();
  const [isKeyAsked, setKeyAsked] = useState(false);
  const pages = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // On a phone the names of the pages scroll sideways.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another name
  useEffect(() => {
    pages.current?.querySelector('.active')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [pathname]);
  const isKey = access !== undefined && 'key' in access;
  if (isKeyAsked && !isKey) return <KeyPage onCancel={() => setKeyAsked(false)} />;
  const forget = () => {
    setKeyAsked(false);
    setOperatorAccess(undefined);
    queries.removeQueries({ queryKey: ['operator'] });
  };
  return (
    <div className="operate">
      <header className="operate-bar">
        <Mark />
        <strong>{t('title')}</strong>
        <nav ref={pages} aria-label={t('title')}>
          {PAGES.map(({ to, name }) => (
            <Link
              key={to}
              to={to}
              className="rail-link"
              activeOptions={{ exact: to === '/operate' }}
              activeProps={{ className: 'active' }}
            >
              {t(`pages.${name}`)}
            </Link>
          ))}
          <Link to="/design" className="rail-link">
            {design}
          </Link>
        </nav>
        {access !== undefined && 'application' in access && (
          <>
            <Button className="button quiet" onPress={() => setKeyAsked(true)}>
              {t('useKey')}
            </Button>
            <Link to="/$application" params={access} className="button quiet">
              {t('back')}
            </Link>
          </>
        )}
        {isKey && (
          <Button className="button quiet" onPress={forget}>
            {t('leave')}
          </Button>
        )}
      </header>
      <Offline />
      <Suspense>
        <Outlet />
      </Suspense>
    </div>
  );
}
