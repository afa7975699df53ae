// Stores what was changed in a form, and says which field is the reason when it cannot be stored.

import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { CartularyError, clientOf, type RawRecord } from '../api/client.ts';
import { useRefuse, useSentence } from '../messages/problem.ts';
import { problemAt, type ValueProblem } from '../values/edit/value-problem.ts';
import type { Changes } from './changes.ts';

interface Place {
  readonly application: string;
  readonly collection: string;
}

/** By column, and for the form as a whole. */
interface Problems {
  readonly fields: Readonly<Record<string, ValueProblem>>;
  readonly whole: string | undefined;
  /** Somebody else has changed the record since it was read, or has deleted it. */
  readonly outdated?: 'changed' | 'gone';
}

const NONE: Problems = { fields: {}, whole: undefined };

/** The record that the changes are based on; undefined for a new one. */
export type SaveBase = Pick<RawRecord, 'id' | 'hash'> | undefined;

interface Saving {
  readonly problems: Problems;
  readonly busy: boolean;
  /** The stored record, or undefined when it was refused. */
  readonly save: (changes: Changes, base: SaveBase) => Promise<RawRecord | undefined>;
}

export function useSaving({ application, collection }: Place): Saving {
  const t = useTranslations('record');
  const sentence = useSentence();
  const [problems, setProblems] = useState(NONE);
  const refuse = useRefuse<Problems>(setProblems, (text) => ({ ...NONE, whole: text }));
  const [busy, setBusy] = useState(false);

  function problemsOf(error: unknown, base: SaveBase): Problems {
    if (!(error instanceof CartularyError)) return { ...NONE, whole: sentence(error) };
    if (error.status === 412) return { ...NONE, whole: t('conflict'), outdated: 'changed' };
    if (error.status === 404 && base !== undefined) return { ...NONE, whole: t('gone'), outdated: 'gone' };
    if (error.is('DUPLICATED_VALUES')) {
      const fields = error.params.duplicatedValues.map(({ columnId }) => [columnId, problemAt(t('duplicated'))]);
      return { ...NONE, whole: t('refused'), fields: Object.fromEntries(fields) };
    }
    if (error.is('INVALID_VALUE')) {
      const { columnId, reason, path } = error.params;
      return { ...NONE, whole: t('refused'), fields: { [columnId]: problemAt(reason, path) } };
    }
    return { ...NONE, whole: sentence(error) };
  }

  async function save(changes: Changes, base: SaveBase): Promise<RawRecord | undefined> {
    setBusy(true);
    setProblems(NONE);
    const { raw } = clientOf(application);
    try {
      if (base === undefined) {
        const { body } = await raw.createRecords({ collectionId: collection, body: { values: present(changes) } });
        return body as RawRecord;
      }
      const place = { collectionId: collection, recordId: base.id, ifMatch: `"${base.hash}"` };
      return (await raw.updateRecord({ ...place, body: { values: changes, replace: false } })).body;
    } catch (error) {
      refuse(error, problemsOf(error, base));
      return undefined;
    } finally {
      setBusy(false);
    }
  }

  return { problems, busy, save };
}

const present = (changes: Changes): Changes =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null));
