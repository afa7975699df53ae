// Notifications: one is written to people or teams, and what was sent is shown with what became of it.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { CartularyError } from '../api/client.ts';
import { definitionQuery } from '../api/definition.ts';
import { sentQuery } from '../api/notifications.ts';
import { sessionQuery } from '../api/session.ts';
import { NotAllowed } from '../frame/NotFound.tsx';
import { BrowserNotifications } from './BrowserNotifications.tsx';
import { Compose } from './Compose.tsx';
import { History } from './History.tsx';
import { maySend } from './may-send.ts';
import '../values/values.css';
import './notifications.css';

export function NotificationsPage({ application }: { readonly application: string }) {
  const t = useTranslations('notifications');
  const session = useQuery(sessionQuery(application)).data;
  const name = useQuery(definitionQuery(application)).data?.name ?? '';
  const allowed = session != null && maySend(session);
  const { error } = useInfiniteQuery({ ...sentQuery(application), enabled: allowed });
  if (session == null) return null;
  if (!allowed)
    return (
      <NotAllowed application={application} page="notifications" right={session.apiAccess ? 'admin' : 'apiAccess'} />
    );
  if (error instanceof CartularyError && error.is('FEATURE_DISABLED')) {
    return (
      <main className="empty">
        <h1>{t('off')}</h1>
        <p>{t('offHint')}</p>
      </main>
    );
  }
  return (
    <main className="notifications-page">
      <title>{`${t('title')} – ${name}`}</title>
      <h1>{t('title')}</h1>
      <Compose application={application} name={name} session={session} />
      <History application={application} />
      <BrowserNotifications application={application} session={session} />
    </main>
  );
}
