// What was published, and where to go on. A new application needs its first user.

import { Link } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { PublishReply } from '../../api/operated-shapes.ts';
import { FirstUser } from '../users/FirstUser.tsx';
import { isNewApplication } from './changes.ts';

interface PublishedProps {
  readonly reply: PublishReply;
  /** Absent where one document alone is published. */
  readonly onAgain: (() => void) | undefined;
}

export function Published({ reply, onAgain }: PublishedProps) {
  const t = useTranslations('publish');
  const { id, name, version } = reply.application;
  return (
    <section className="publish-part">
      <p role="status" className="message right">
        {t('done', { name, version })}
      </p>
      {isNewApplication(reply) && <FirstUser application={id} />}
      <div className="dialog-actions">
        <Link className="button" to="/operate/applications/$application" params={{ application: id }} search={{}}>
          {t('toApplication')}
        </Link>
        {onAgain !== undefined && (
          <Button className="button" onPress={onAgain}>
            {t('another')}
          </Button>
        )}
      </div>
    </section>
  );
}
