// How a backup is restored. Not from here: an archive is sent to a server that is empty, and may be larger than a browser
// can send without a break.

import { useTranslations } from 'use-intl';

export function RestorePart() {
  const t = useTranslations('maintenance');
  return (
    <section className="operate-part" aria-labelledby="restore">
      <h2 id="restore">{t('restore')}</h2>
      <p>{t('restoreHint')}</p>
      <dl className="maintenance-commands">
        <dt>{t('restoreAll')}</dt>
        <dd>
          <code>node bin/cartulary.js restore {t('restoreFile')}</code>
        </dd>
        <dt>{t('restoreOne')}</dt>
        <dd>
          <code>
            node bin/cartulary.js restore {t('restoreFile')} --application &apos;{t('restoreName')}&apos; --as &apos;
            {t('restoreCopy')}&apos;
          </code>
        </dd>
      </dl>
      <p className="hint">{t('restoreAfter')}</p>
    </section>
  );
}
