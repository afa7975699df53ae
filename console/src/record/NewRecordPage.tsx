// The form for a new record.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { collectionOf, definitionQuery } from '../api/definition.ts';
import { forgetLists, recordQuery } from '../api/records.ts';
import { sessionQuery } from '../api/session.ts';
import { NotFound } from '../frame/NotFound.tsx';
import { readGiven } from '../views/given-value.ts';
import { BackLink } from './RecordBar.tsx';
import { RecordForm } from './RecordForm.tsx';
import './record.css';

interface NewRecordPageProps {
  readonly application: string;
  readonly collection: string;
  /** A value that the record begins with, as in the address. */
  readonly given: string | undefined;
}

export function NewRecordPage({ application, collection: id, given }: NewRecordPageProps) {
  const t = useTranslations('record');
  const definition = useQuery(definitionQuery(application));
  const session = useQuery(sessionQuery(application)).data;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const collection = definition.data && collectionOf(definition.data, id);
  if (collection === undefined || session == null) return definition.isPending ? null : <NotFound />;
  const title = t('createTitle', { name: collection.name });
  const leave = () =>
    void navigate({ to: '/$application/$collection', params: { application, collection: id }, search: {} });
  return (
    <main className="record-page">
      <title>{title}</title>
      <div className="record-sheet">
        <BackLink application={application} collection={collection} list={{}} />
        <h1 className="record-title">{title}</h1>
        <RecordForm
          application={application}
          collection={collection}
          draftPlace={`${session.user.id}.${id}`}
          record={undefined}
          given={readGiven(given, collection)}
          onSaved={(stored) => {
            queries.setQueryData(recordQuery(application, id, stored.id).queryKey, stored);
            forgetLists(queries, application, id);
            const params = { application, collection: id, record: stored.id };
            void navigate({ to: '/$application/$collection/$record', params });
          }}
          onLeave={leave}
        />
      </div>
    </main>
  );
}
