// What went wrong instead of a page, with the way to try again.

import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { useSentence } from '../messages/problem.ts';

interface ProblemPageProps {
  readonly error: unknown;
  readonly reset?: () => void;
}

export function ProblemPage({ error, reset }: ProblemPageProps) {
  const t = useTranslations('common');
  const sentence = useSentence();
  return (
    <main className="empty">
      <p role="alert">{sentence(error)}</p>
      <Button className="button" onPress={() => (reset === undefined ? location.reload() : reset())}>
        {t('retry')}
      </Button>
    </main>
  );
}
