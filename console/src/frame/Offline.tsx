// Says when the server cannot be reached, and goes on when it is back.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import { ConnectionError } from '../api/client.ts';

const LOOK_AGAIN_MS = 3_000;

export function Offline() {
  const t = useTranslations('frame');
  const queries = useQueryClient();
  const [away, setAway] = useState(false);
  useEffect(
    () =>
      queries.getQueryCache().subscribe(({ type, query }) => {
        if (type === 'updated' && query.state.error instanceof ConnectionError) setAway(true);
      }),
    [queries],
  );
  useEffect(() => {
    if (!away) return;
    const look = async () => {
      const reply = await fetch('/healthz').catch(() => undefined);
      if (reply?.ok !== true) return;
      setAway(false);
      await queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
    };
    const timer = setInterval(() => void look(), LOOK_AGAIN_MS);
    addEventListener('online', look);
    return () => {
      clearInterval(timer);
      removeEventListener('online', look);
    };
  }, [away, queries]);
  if (!away) return null;
  return (
    <p className="notice" role="status">
      {t('offline')}
    </p>
  );
}
