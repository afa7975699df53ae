// How far a publishing has come. It goes on at the server, whatever becomes of this page.

import { useQuery } from '@tanstack/react-query';
import { Label, ProgressBar } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { publishingQuery } from '../../api/operated.ts';

/** `application`: absent for a new one, which has no steps to wait for. */
export function PublishProgress({ application }: { readonly application: string | undefined }) {
  const t = useTranslations('publish');
  const publishing = useQuery(publishingQuery(application ?? '', application !== undefined)).data;
  const { step = 'checking', collectionName, done = 0, total = 0 } = publishing ?? {};
  return (
    <section className="publish-part" aria-busy="true">
      <ProgressBar
        className="publish-progress"
        value={total === 0 ? 0 : (100 * done) / total}
        isIndeterminate={total === 0}
      >
        {({ percentage, isIndeterminate }) => (
          <>
            <Label>{t(`steps.${step}`, { collection: collectionName ?? '' })}</Label>
            <span className={isIndeterminate ? 'operate-track moving' : 'operate-track'}>
              <span style={{ width: isIndeterminate ? '30%' : `${percentage ?? 0}%` }} />
            </span>
          </>
        )}
      </ProgressBar>
      {total > 0 && <p className="hint">{t('counted', { done, total })}</p>}
      <p className="hint">{t('goesOn')}</p>
    </section>
  );
}
