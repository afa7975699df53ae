// One record: its values or its form, who refers to it, and what was done with it.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { maySeeActivity } from '../activity/may-see.ts';
import {
  type ApplicationDefinition,
  CartularyError,
  type CollectionDefinition,
  type RawRecord,
  type Session,
} from '../api/client.ts';
import { collectionOf, definitionQuery } from '../api/definition.ts';
import { forgetLists, recordQuery } from '../api/records.ts';
import { sessionQuery } from '../api/session.ts';
import { NotFound } from '../frame/NotFound.tsx';
import { ProblemPage } from '../frame/ProblemPage.tsx';
import { REQUEST_HASH } from '../requests/request-hash.ts';
import { listQueryOf, readViewAddress } from '../views/view-address.ts';
import { DeleteButton } from './DeleteButton.tsx';
import { DraftNotice } from './DraftNotice.tsx';
import { keepDraft } from './draft.ts';
import type { RecordKeys } from './key-meanings.ts';
import { mayWrite } from './may-write.ts';
import { NotifyButton } from './NotifyButton.tsx';
import { useNeighbours } from './neighbours.ts';
import { BackLink, RecordBar } from './RecordBar.tsx';
import { RecordFoot } from './RecordFoot.tsx';
import { RecordForm } from './RecordForm.tsx';
import { RecordTabs } from './RecordTabs.tsx';
import type { RecordAddress, Tab } from './record-address.ts';
import { useRecordKeys } from './record-keys.ts';
import { titleOf } from './title.ts';
import { WaitingSheet } from './WaitingSheet.tsx';
import './record.css';

const DeletedRecord = lazy(async () => ({ default: (await import('../activity/DeletedRecord.tsx')).DeletedRecord }));

interface RecordPageProps {
  readonly application: string;
  readonly collection: string;
  readonly record: string;
  readonly address: RecordAddress;
}

export function RecordPage({ application, collection: id, record: recordId, address }: RecordPageProps) {
  const t = useTranslations('record');
  const definition = useQuery(definitionQuery(application));
  const editing = address.edit === true;
  const record = useQuery({ ...recordQuery(application, id, recordId), refetchOnWindowFocus: !editing });
  const session = useQuery(sessionQuery(application)).data;
  const collection = definition.data && collectionOf(definition.data, id);
  if (definition.data === undefined || collection === undefined) return definition.isPending ? null : <NotFound />;
  if (record.isPending || session == null) return <WaitingSheet />;
  if (record.data === undefined) {
    const missing = record.error instanceof CartularyError && [400, 404].includes(record.error.status);
    if (!missing) return <ProblemPage error={record.error} reset={() => void record.refetch()} />;
    return (
      <main className="empty">
        <h1>{t('notFound')}</h1>
        {maySeeActivity(session) && (
          <Suspense>
            <DeletedRecord application={application} record={recordId} />
          </Suspense>
        )}
        <BackLink application={application} collection={collection} list={readViewAddress({ ...address })} />
      </main>
    );
  }
  return (
    <OneRecord
      definition={definition.data}
      collection={collection}
      session={session}
      record={record.data}
      address={address}
      onOutdated={() => record.refetch()}
    />
  );
}

interface OneRecordProps {
  readonly definition: ApplicationDefinition;
  readonly collection: CollectionDefinition;
  readonly session: Session;
  readonly record: RawRecord;
  readonly address: RecordAddress;
  readonly onOutdated: () => Promise<unknown>;
}

function OneRecord({ definition, collection, session, record, address, onOutdated }: OneRecordProps) {
  const t = useTranslations('record');
  const request = useTranslations('requests')('show');
  const readOnly = useTranslations('editing')('readOnlyRecord');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [application, id] = [definition.id, collection.id];
  const list = readViewAddress({ ...address });
  const neighbours = useNeighbours(application, id, record.id, listQueryOf(list, collection));
  const draftPlace = `${session.user.id}.${record.id}`;

  const goTo = (recordId: string | undefined, rest: Omit<RecordAddress, keyof typeof list> = {}) => {
    if (recordId === undefined) return;
    const params = { application, collection: id, record: recordId };
    void navigate({ to: '/$application/$collection/$record', params, search: { ...list, ...rest } });
  };
  const view = () => goTo(record.id);
  const writable = mayWrite({ collection, session }, record);
  const edit = () => goTo(record.id, { edit: true });
  const toList = () =>
    void navigate({ to: '/$application/$collection', params: { application, collection: id }, search: list });
  const editing = writable && address.edit === true;
  const called = titleOf(collection, record);
  const title = called ?? t('untitled');
  return (
    <main className="record-page">
      <title>{`${title} – ${collection.name}`}</title>
      <div className="record-sheet">
        <RecordBar application={application} collection={collection} list={list} neighbours={neighbours} />
        <h1 className="record-title">{title}</h1>
        {editing ? (
          <RecordForm
            application={application}
            collection={collection}
            draftPlace={draftPlace}
            record={record}
            onSaved={(stored) => {
              queries.setQueryData(recordQuery(application, id, record.id).queryKey, stored);
              forgetLists(queries, application, id);
              view();
            }}
            onLeave={view}
            onOutdated={onOutdated}
            onGone={(changes) => {
              keepDraft(`${session.user.id}.${id}`, changes);
              void navigate({ to: '/$application/$collection/new', params: { application, collection: id } });
            }}
          />
        ) : (
          <>
            <ViewKeys
              onEdit={writable ? edit : () => undefined}
              onPrevious={() => goTo(neighbours.previous, tabOf(address))}
              onNext={() => goTo(neighbours.next, tabOf(address))}
              onLeave={toList}
            />
            <div className="record-actions">
              {writable && (
                <Button className="button" onPress={edit}>
                  {t('edit')}
                </Button>
              )}
              <Button className="button quiet" onPress={() => print()}>
                {t('print')}
              </Button>
              <NotifyButton application={application} session={session} title={title} />
              <Button
                className="button quiet"
                onPress={() => void navigate({ to: '.', search: true, hash: REQUEST_HASH })}
              >
                {request}
              </Button>
              {writable && (
                <DeleteButton application={application} collection={id} record={record} title={called} list={list} />
              )}
            </div>
            {!writable && <p className="hint">{readOnly}</p>}
            <DraftNotice place={draftPlace} onEdit={edit} />
            <RecordTabs
              definition={definition}
              collection={collection}
              record={record}
              session={session}
              tab={address.tab ?? 'values'}
              onTab={(tab: Tab) => goTo(record.id, tab === 'values' ? {} : { tab })}
            />
          </>
        )}
        <RecordFoot record={record} />
      </div>
    </main>
  );
}

const tabOf = ({ tab }: RecordAddress): Pick<RecordAddress, 'tab'> => (tab === undefined ? {} : { tab });

/** The keys while a record is looked at; its form has others. */
function ViewKeys(keys: RecordKeys) {
  useRecordKeys(keys);
  return null;
}
