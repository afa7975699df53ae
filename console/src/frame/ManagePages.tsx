// The pages of the rail that only some may see.

import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { maySeeActivity } from '../activity/may-see.ts';
import type { Session } from '../api/client.ts';
import { maySend } from '../notifications/may-send.ts';
import { maySeePeople } from '../people/may-see-people.ts';

interface ManagePagesProps {
  readonly application: string;
  readonly session: Session;
}

export function ManagePages({ application, session }: ManagePagesProps) {
  const t = useTranslations('frame');
  const pages = managePages(session);
  if (pages.length === 0) return null;
  return (
    <>
      <h2>{t('manage')}</h2>
      <ul>
        {pages.map(({ id, to }) => (
          <li key={id}>
            <Link
              to={to}
              params={{ application }}
              search={{}}
              className="rail-link"
              activeProps={{ className: 'active' }}
              activeOptions={{ includeSearch: false }}
            >
              {t(id)}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

/** A user whom the operator has named. */
const isOperator = ({ operator }: Session): boolean => operator === true;

const PAGES = [
  { id: 'people', to: '/$application/people', may: maySeePeople },
  { id: 'activity', to: '/$application/activity', may: maySeeActivity },
  { id: 'notifications', to: '/$application/notifications', may: maySend },
  { id: 'operate', to: '/operate', may: isOperator },
] as const;

export const managePages = (session: Session) => PAGES.filter(({ may }) => may(session));
