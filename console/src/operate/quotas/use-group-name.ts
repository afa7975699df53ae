// The groups of operations that have a limit, in words.

import { useTranslations } from 'use-intl';

export type GroupKey =
  | 'records-read'
  | 'records-write'
  | 'attachments-read'
  | 'attachments-write'
  | 'management-read'
  | 'management-write';

export function useGroupName(): (group: GroupKey) => string {
  const t = useTranslations('quotas');
  return (group) => t(`groups.${group}`);
}
