// What went wrong, in words, and what to do about it.

import type { Dispatch, SetStateAction } from 'react';
import { useTranslations } from 'use-intl';
import { CartularyError, ConnectionError } from '../api/client.ts';
import { untilBack } from '../api/reach.ts';

export function useSentence(): (problem: unknown) => string {
  const t = useTranslations('problems');
  return (problem) => {
    if (problem instanceof ConnectionError) return t('unreachable');
    if (!(problem instanceof CartularyError)) return t('server');
    const { status } = problem;
    if (status === 429) return t('tooMany', { seconds: problem.retryAfterSeconds ?? 1 });
    if (status === 502 || status === 503 || status === 504) return t('busy');
    if (status >= 500) return t('server');
    if (status === 403) return t('forbidden');
    if (status === 404) return t('notFound');
    return t('other', { message: reasonOf(problem) });
  };
}

/** For forms: says a refusal. Of a server that was away it says that it is back, as soon as it is. */
export function useRefuse<Told>(say: Dispatch<SetStateAction<Told>>, toldOf: (text: string) => Told) {
  const back = useTranslations('problems')('back');
  return (error: unknown, refusal: Told) => {
    say(refusal);
    untilBack(error, () => say((now) => (now === refusal ? toldOf(back) : now)));
  };
}

function reasonOf({ code, params }: CartularyError): string {
  const { reason, message } = params as { reason?: unknown; message?: unknown };
  if (typeof reason === 'string') return reason;
  return typeof message === 'string' ? message : code;
}
