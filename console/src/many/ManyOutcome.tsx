// What became of many records: how many were changed, which were refused and why, and what is left.

import { Link } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { CartularyError } from '../api/client.ts';
import { useSentence } from '../messages/problem.ts';
import type { Meant } from './collect.ts';
import type { Outcome } from './run-many.ts';

/** More would not be read. */
const LISTED_MAX = 200;

interface ManyOutcomeProps {
  readonly asking: 'edit' | 'delete';
  readonly application: string;
  readonly collection: string;
  readonly outcome: Outcome<Meant>;
  readonly onGoOn: () => void;
  readonly onClose: () => void;
}

export function ManyOutcome({ asking, application, collection, outcome, onGoOn, onClose }: ManyOutcomeProps) {
  const t = useTranslations('many');
  const close = useTranslations('common')('close');
  const sentence = useSentence();
  const { done, refused, left, halted } = outcome;
  const reason = (error: unknown) =>
    error instanceof CartularyError && error.status === 412 ? t('changedMeanwhile') : sentence(error);
  return (
    <>
      <p role="status">{t(asking === 'delete' ? 'deleted' : 'changed', { count: done })}</p>
      {refused.length > 0 && (
        <div>
          <p>{t('refused', { count: refused.length })}</p>
          <ul className="many-refused">
            {refused.slice(0, LISTED_MAX).map(({ target, error }) => (
              <li key={target.id}>
                <Link
                  to="/$application/$collection/$record"
                  params={{ application, collection, record: target.id }}
                  target="_blank"
                >
                  {target.title}
                </Link>{' '}
                <span className="hint">{reason(error)}</span>
              </li>
            ))}
          </ul>
          {refused.length > LISTED_MAX && (
            <p className="hint">{t('refusedMore', { count: refused.length - LISTED_MAX })}</p>
          )}
        </div>
      )}
      {left.length > 0 && (
        <p role="alert" className={`message ${halted === undefined ? '' : 'wrong'}`}>
          {halted !== undefined && `${sentence(halted)} `}
          {t('left', { count: left.length })}
        </p>
      )}
      <div className="dialog-actions">
        {left.length > 0 && (
          <Button className="button" onPress={onGoOn}>
            {t('goOn')}
          </Button>
        )}
        <Button className="button primary" onPress={onClose} autoFocus>
          {close}
        </Button>
      </div>
    </>
  );
}
