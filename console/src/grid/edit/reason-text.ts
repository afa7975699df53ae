// Says why a change was not stored.

import { useTranslations } from 'use-intl';
import type { Reason } from './reason.ts';

/** A pasted text may be long. */
const TEXT_MAX = 60;

export function useReasonText(): (reason: Reason) => string {
  const t = useTranslations('editing');
  const problems = useTranslations('problems');
  return (reason) => {
    switch (reason.kind) {
      case 'duplicated':
      case 'signedOut':
        return t(reason.kind);
      case 'other':
        return problems('other', { message: reason.message });
      case 'paste': {
        const { text } = reason;
        return t(`unread.${reason.problem}`, { text: text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text });
      }
      default:
        return problems(reason.kind);
    }
  };
}
