// What came of an import, and what stands in its way.

import { Link } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition } from '../api/client.ts';
import { Rejections } from './Rejections.tsx';
import type { Importing } from './use-import.ts';
import type { ImportOutcome } from './work.ts';

interface OutcomeProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly importing: Importing;
  readonly outcome: ImportOutcome;
}

export function Outcome({ application, collection, importing, outcome }: OutcomeProps) {
  const t = useTranslations('moving');
  const { stored, rejected, startedAt, isStopped } = outcome;
  return (
    <section className="moving-part">
      <p role="status" className="message moving-done">
        {t(isStopped ? 'stopped' : 'done', { stored })}{' '}
        {rejected.length > 0 && t('rejected', { count: rejected.length })}
      </p>
      <div className="moving-buttons">
        {isStopped && (
          <Button className="button primary" onPress={() => void importing.run('import')}>
            {t('goOn')}
          </Button>
        )}
        {stored > 0 && (
          <Link
            to="/$application/$collection"
            params={{ application, collection: collection.id }}
            search={{ search: `$updatedBy=me $updatedAt>="${startedAt}"` }}
            className={isStopped ? 'button' : 'button primary'}
          >
            {t('showImported')}
          </Link>
        )}
        <Button className="button" onPress={importing.leave}>
          {t('another')}
        </Button>
      </div>
      {rejected.length > 0 && <Rejections importing={importing} rejected={rejected} all={rejected.length} />}
    </section>
  );
}

/** An import that would store rows twice, or of which nobody knows how far it is. */
export function Refused({ importing }: { readonly importing: Importing }) {
  const t = useTranslations('moving');
  const { refused } = importing;
  if (refused === undefined) return null;
  const isImported = refused.kind === 'imported';
  return (
    <div role="alert" className="message wrong moving-part">
      <p>
        {refused.kind === 'forgotten'
          ? t('forgottenRefused', { rows: refused.rows.join(', ') })
          : t(isImported ? 'importedRefused' : 'otherOptionsRefused')}
      </p>
      <Button className="button moving-use" onPress={() => void importing.run('import', { restart: true })}>
        {t(isImported ? 'again' : 'anew')}
      </Button>
    </div>
  );
}
