// A glance at a record that is referred to: its title, its first values, and who updated it when.

import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import type { RawReferenceValue } from '../../api/client.ts';
import { collectionOf, definitionQuery } from '../../api/definition.ts';
import { recordQuery } from '../../api/records.ts';
import { titleOf } from '../../record/title.ts';
import { RecordFacts } from '../../views/RecordFacts.tsx';
import { Moment } from './date-time.tsx';
import { PersonName } from './user.tsx';

/** Moving over the same reference again asks nobody. */
const FRESH_MS = 60_000;
const FACTS = 4;

interface ReferenceCardProps {
  readonly application: string;
  readonly reference: RawReferenceValue;
}

export function ReferenceCard({ application, reference }: ReferenceCardProps) {
  const t = useTranslations('values');
  const common = useTranslations('common');
  const untitled = useTranslations('record')('untitled');
  const { collectionId, recordId } = reference;
  const definition = useQuery(definitionQuery(application)).data;
  const collection = definition && collectionOf(definition, collectionId);
  const record = useQuery({ ...recordQuery(application, collectionId, recordId), staleTime: FRESH_MS });
  if (record.isPending || collection === undefined) return <p className="hint">{common('loading')}</p>;
  if (record.data === undefined) return <p className="hint">{t('gone')}</p>;
  return (
    <>
      <span className="hint">{collection.name}</span>
      <strong className="reference-card-title">{titleOf(collection, record.data) ?? untitled}</strong>
      <RecordFacts application={application} collection={collection} record={record.data} max={FACTS} />
      <span className="reference-card-update">
        <PersonName person={record.data.updatedBy} />
        <Moment at={record.data.updatedAt} />
      </span>
    </>
  );
}
