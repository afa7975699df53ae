// An entry of the activity log as a sentence: who did what to what.

import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useTranslations } from 'use-intl';
import type { RawActivityEntry } from '../api/client.ts';
import { usersQuery } from '../api/users.ts';
import { isPreview } from './activity-address.ts';
import { isKind, kindOf } from './kinds.ts';
import type { TitleOf } from './record-titles.ts';

const DONE = ['create', 'update', 'delete'] as const;
const isDone = (subType: string): subType is (typeof DONE)[number] => DONE.some((each) => each === subType);

/** The operator is no user and has no name of their own. */
const OPERATOR = 'operator';

export interface Sentences {
  readonly person: (user: RawActivityEntry['user']) => string;
  /** Of somebody whom an entry only knows by ID. */
  readonly named: (userId: string) => string;
  readonly kind: (kind: string) => string;
  readonly entry: (entry: RawActivityEntry) => string;
  /** Of the record that an entry is about, where it is known. */
  readonly title: TitleOf;
}

export function useSentences(
  application: string,
  entries: readonly RawActivityEntry[],
  title: TitleOf = () => undefined,
): Sentences {
  const t = useTranslations('activity');
  const users = useQuery(usersQuery(application, '')).data;
  const names = useMemo(
    () => new Map([...(users ?? []), ...entries.map(({ user }) => user)].map(({ id, name }) => [id, name])),
    [users, entries],
  );
  const named = useCallback((id: string) => names.get(id) ?? id, [names]);
  const person = useCallback(({ id, name }: RawActivityEntry['user']) => (id === OPERATOR ? t('operator') : name), [t]);
  const kind = useCallback((text: string) => (isKind(text) ? t(`kinds.${text}`) : text), [t]);
  const entry = (of: RawActivityEntry) => {
    const doer = person(of.user);
    const what = kindOf(of);
    const collection = of.collection?.name ?? '';
    if (!isKind(what)) return t('sentences.other', { person: doer, kind: what });
    if (what === 'attachment.download' && isPreview(of)) return t('sentences.preview', { person: doer, collection });
    const called = title(of);
    if (called !== undefined && isDone(of.subType))
      return t(`sentences.titled.${of.subType}`, { person: doer, collection, title: called });
    return t(`sentences.${what}`, {
      person: doer,
      collection,
      other: named(of.extra.userId ?? of.extra.sharedUserId ?? ''),
      version: of.application.version,
    });
  };
  return { person, named, kind, entry, title };
}
