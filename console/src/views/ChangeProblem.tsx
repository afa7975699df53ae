// Says why a card went back to where it was.

import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { RecordChanges } from './record-changes.ts';
import './kinds.css';

export function ChangeProblem({ problem, dismiss }: Pick<RecordChanges, 'problem' | 'dismiss'>) {
  const close = useTranslations('common')('close');
  if (problem === undefined) return null;
  return (
    <div role="alert" className="notice view-problem">
      <span>{problem}</span>
      <Button className="button icon" aria-label={close} onPress={dismiss}>
        ×
      </Button>
    </div>
  );
}
