// Changes that a view makes by moving a card. They show at once; a refusal takes the card back and says why.

import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { CartularyError, type CollectionDefinition, clientOf, type RawRecord, type RawValue } from '../api/client.ts';
import { recordQuery, refreshLists } from '../api/records.ts';
import { useSentence } from '../messages/problem.ts';
import { titleOf } from '../record/title.ts';
import type { PendingChanges } from './pending-changes.ts';

export interface RecordChanges {
  /** Not yet stored, or not yet in the lists, by record. */
  readonly pending: PendingChanges;
  readonly problem: string | undefined;
  readonly dismiss: () => void;
  /** Null takes the value away. */
  readonly change: (record: RawRecord, columnId: string, value: RawValue | null) => Promise<void>;
}

export function useRecordChanges(application: string, collection: CollectionDefinition): RecordChanges {
  const t = useTranslations('kinds');
  const untitled = useTranslations('record')('untitled');
  const sentence = useSentence();
  const queries = useQueryClient();
  const [pending, setPending] = useState<PendingChanges>(new Map());
  const [problem, setProblem] = useState<string>();
  // A card that is moved twice is stored twice, one after the other: the second needs the hash of the first.
  const stored = useRef(new Map<string, Promise<RawRecord>>());
  // By the hash before: a card may be taken before its last move is stored, and dropped after.
  const successors = useRef(new Map<string, string>());

  async function change(record: RawRecord, columnId: string, value: RawValue | null): Promise<void> {
    const before = pending.get(record.id)?.before ?? record;
    setProblem(undefined);
    setPending((all) => new Map(all).set(record.id, { before, after: withValue(record, columnId, value) }));
    const base = stored.current.get(record.id) ?? Promise.resolve(record);
    const storing = base.then(({ hash }) => store(record.id, newest(hash), { [columnId]: value }));
    stored.current.set(record.id, storing);
    try {
      const now = await storing;
      queries.setQueryData(recordQuery(application, collection.id, record.id).queryKey, now);
    } catch (error) {
      if (isLast()) setProblem(said(record, error));
    }
    // The card keeps its place until the lists say the same.
    if (isLast()) await refreshLists(queries, application, collection.id);
    if (!isLast()) return;
    stored.current.delete(record.id);
    setPending((all) => new Map([...all].filter(([id]) => id !== record.id)));

    function isLast(): boolean {
      return stored.current.get(record.id) === storing;
    }
  }

  async function store(recordId: string, hash: string, values: Record<string, RawValue | null>): Promise<RawRecord> {
    const place = { collectionId: collection.id, recordId, ifMatch: `"${hash}"` };
    const now = (await clientOf(application).raw.updateRecord({ ...place, body: { values, replace: false } })).body;
    if (now.hash !== hash) successors.current.set(hash, now.hash);
    // A record that is as it was before may have the hash of before: nothing follows the newest.
    successors.current.delete(now.hash);
    return now;
  }

  function newest(hash: string): string {
    const next = successors.current.get(hash);
    return next === undefined ? hash : newest(next);
  }

  function said(record: RawRecord, error: unknown): string {
    const title = titleOf(collection, record) ?? untitled;
    if (error instanceof CartularyError && error.status === 412) return t('changedMeanwhile', { title });
    return t('notMoved', { title, reason: sentence(error) });
  }

  return { pending, problem, dismiss: () => setProblem(undefined), change };
}

function withValue(record: RawRecord, columnId: string, value: RawValue | null): RawRecord {
  const { [columnId]: _, ...values } = record.values;
  return { ...record, values: value === null ? values : { ...values, [columnId]: value } };
}
