// Pages for addresses that lead nowhere, or to what this person has no right to.

import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { Right } from '../people/rights.ts';

export function NotFound({ reason = 'notFound' }: { readonly reason?: 'notFound' | 'noCollections' }) {
  const t = useTranslations('frame');
  return (
    <main className="empty">
      <h1>{t(reason)}</h1>
      {reason === 'notFound' && <p>{t('notFoundHint')}</p>}
    </main>
  );
}

interface NotAllowedProps {
  readonly application: string;
  readonly page: 'people' | 'sharedUsers' | 'activity' | 'notifications';
  /** What is lacking. */
  readonly right: Right;
}

/** That the page exists is no secret, and who looks for it wants to know whom to ask. */
export function NotAllowed({ application, page, right }: NotAllowedProps) {
  const t = useTranslations('frame.notAllowed');
  const rights = useTranslations('people.right');
  return (
    <main className="empty">
      <h1>{t(page)}</h1>
      <p>{t('lacking', { right: rights(right) })}</p>
      <Link to="/$application/me" params={{ application }}>
        {t('yourRights')}
      </Link>
    </main>
  );
}
