// A page for addresses that lead nowhere.

import { useTranslations } from 'use-intl';

export function NotFound({ reason = 'notFound' }: { readonly reason?: 'notFound' | 'noCollections' }) {
  const t = useTranslations('frame');
  return (
    <main className="empty">
      <h1>{t(reason)}</h1>
      {reason === 'notFound' && <p>{t('notFoundHint')}</p>}
    </main>
  );
}
