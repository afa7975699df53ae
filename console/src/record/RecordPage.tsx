// One record with all its values.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import { CartularyError, type CollectionDefinition, type RawRecord, type RawValue } from '../api/client.ts';
import { collectionOf, definitionQuery } from '../api/definition.ts';
import { forgetLists, recordQuery } from '../api/records.ts';
import { sessionQuery } from '../api/session.ts';
import { NotFound } from '../frame/NotFound.tsx';
import { ProblemPage } from '../frame/ProblemPage.tsx';
import { ShownValue } from '../values/show/ShownValue.tsx';
import { DeleteButton } from './DeleteButton.tsx';
import { RecordForm } from './RecordForm.tsx';
import './record.css';

interface RecordPageProps {
  readonly application: string;
  readonly collection: string;
  readonly record: string;
  /** Whether it is being edited. */
  readonly edit: boolean;
}

export function RecordPage({ application, collection: id, record: recordId, edit }: RecordPageProps) {
  const t = useTranslations('record');
  const definition = useQuery(definitionQuery(application));
  const record = useQuery({ ...recordQuery(application, id, recordId), refetchOnWindowFocus: !edit });
  const session = useQuery(sessionQuery(application)).data;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const collection = definition.data && collectionOf(definition.data, id);
  if (collection === undefined) return definition.isPending ? null : <NotFound />;
  if (record.isPending) return null;
  if (record.data === undefined) {
    const missing = record.error instanceof CartularyError && [400, 404].includes(record.error.status);
    if (!missing) return <ProblemPage error={record.error} reset={() => void record.refetch()} />;
    return (
      <main className="empty">
        <p>{t('notFound')}</p>
        <BackLink application={application} collection={collection} />
      </main>
    );
  }
  const params = { application, collection: id, record: recordId };
  const go = (editing: boolean) =>
    void navigate({ to: '/$application/$collection/$record', params, search: editing ? { edit: true } : {} });
  const title = titleOf(collection, record.data) ?? t('untitled');
  return (
    <main className="record-page">
      <title>{`${title} – ${collection.name}`}</title>
      <div className="record-sheet">
        <BackLink application={application} collection={collection} />
        <h1 className="record-title">{title}</h1>
        {edit && session != null ? (
          <RecordForm
            application={application}
            collection={collection}
            userId={session.user.id}
            record={record.data}
            onSaved={(stored) => {
              queries.setQueryData(recordQuery(application, id, recordId).queryKey, stored);
              forgetLists(queries, application, id);
              go(false);
            }}
            onLeave={() => go(false)}
            onConflict={() => void record.refetch()}
          />
        ) : (
          <>
            <div className="record-actions">
              <Button className="button" onPress={() => go(true)}>
                {t('edit')}
              </Button>
              <DeleteButton application={application} collection={id} record={record.data} />
            </div>
            <Values application={application} collection={collection} record={record.data} />
          </>
        )}
        <Foot record={record.data} />
      </div>
    </main>
  );
}

interface ValuesProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly record: RawRecord;
}

function Values({ application, collection, record }: ValuesProps) {
  const t = useTranslations('record');
  const where = { application, collection: collection.id, in: 'page' } as const;
  return (
    <dl className="record-values">
      {collection.columns.map((column) => {
        const value = record.values[column.id];
        return (
          <div key={column.id} className="record-value">
            <dt>{column.name}</dt>
            <dd>
              {value === undefined ? (
                <span className="hint">{t('empty')}</span>
              ) : (
                <ShownValue value={value} where={where} />
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

export function BackLink({
  application,
  collection,
}: {
  readonly application: string;
  readonly collection: CollectionDefinition;
}) {
  const t = useTranslations('record');
  return (
    <Link to="/$application/$collection" params={{ application, collection: collection.id }} search={{}}>
      ← {t('back', { name: collection.name })}
    </Link>
  );
}

function Foot({ record }: { readonly record: RawRecord }) {
  const t = useTranslations('record');
  const format = useFormatter();
  const moment = (at: string) => format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <footer className="record-foot">
      <span>{t('createdLine', { date: moment(record.createdAt), name: record.createdBy.name })}</span>
      <span>{t('updatedLine', { date: moment(record.updatedAt), name: record.updatedBy.name })}</span>
      <span>
        {t('id')} <code>{record.id}</code>
      </span>
    </footer>
  );
}

const TITLE_MAX = 120;

/** The first text of the record, which is what people call it. */
function titleOf({ columns }: CollectionDefinition, { values }: RawRecord): string | undefined {
  for (const { id } of columns) {
    const text = textOf(values[id]);
    if (text !== undefined) return text.slice(0, TITLE_MAX);
  }
  return undefined;
}

function textOf(value: RawValue | undefined): string | undefined {
  if (value?.type === 'String' && value.value.trim() !== '') return value.value.split('\n')[0];
  return value?.type === 'ReferenceString' && value.value?.type === 'String' ? value.value.value : undefined;
}
