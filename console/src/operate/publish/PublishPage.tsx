// Publishes a new application, or any other, from its document.

import { useTranslations } from 'use-intl';
import { PublishPanel } from './PublishPanel.tsx';

export function PublishPage() {
  const t = useTranslations('publish');
  return (
    <main className="operate-page scrolled">
      <title>{`${t('title')} – Cartulary`}</title>
      <div className="operate-head">
        <h1>{t('title')}</h1>
      </div>
      <PublishPanel />
    </main>
  );
}
