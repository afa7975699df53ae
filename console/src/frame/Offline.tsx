// Says when the server cannot be reached or has no time, and goes on when it is back. What was typed stays meanwhile.

import { type QueryFilters, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import { type Away, awayOf, noteBack, onAway } from '../api/reach.ts';

const LOOK_AGAIN_MS = 3_000;

export function Offline() {
  const t = useTranslations('frame');
  const queries = useQueryClient();
  const [away, setAway] = useState<Away | undefined>(navigator.onLine ? undefined : 'offline');
  useEffect(() => {
    const goOffline = () => setAway('offline');
    addEventListener('offline', goOffline);
    const unsubscribe = queries.getQueryCache().subscribe((event) => {
      // A failure that lasts is told again at each other change of the query.
      const failed = event.type === 'updated' && event.action.type === 'error';
      const now = failed ? awayOf(event.query.state.error) : undefined;
      if (now !== undefined) setAway(now);
    });
    const stopListening = onAway(setAway);
    return () => {
      removeEventListener('offline', goOffline);
      unsubscribe();
      stopListening();
    };
  }, [queries]);
  const isAway = away !== undefined;
  useEffect(() => {
    if (!isAway) return;
    const failed: QueryFilters = { type: 'active', predicate: ({ state }) => awayOf(state.error) !== undefined };
    let looking = false;
    const look = async () => {
      // A server that has just started may take longer than the pause: what it has begun is not begun anew.
      if (looking) return;
      looking = true;
      try {
        const reply = await fetch('/healthz', { signal: AbortSignal.timeout(LOOK_AGAIN_MS) });
        if (!reply.ok) return;
        await queries.refetchQueries(failed, { cancelRefetch: false });
        // It can be reached, whatever it has no time for.
        setAway(queries.getQueryCache().findAll(failed).length > 0 ? 'busy' : undefined);
        noteBack();
      } catch {
        // Still away: the next look tells.
      } finally {
        looking = false;
      }
    };
    const timer = setInterval(() => void look(), LOOK_AGAIN_MS);
    addEventListener('online', look);
    return () => {
      clearInterval(timer);
      removeEventListener('online', look);
    };
  }, [isAway, queries]);
  if (away === undefined) return null;
  return (
    <p className="notice" role="status">
      {t(away)}
    </p>
  );
}
