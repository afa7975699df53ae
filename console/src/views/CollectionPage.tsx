// The records of a collection in one of its views, with the search and the order that stand in the address.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { CartularyError, type CollectionDefinition, ConnectionError } from '../api/client.ts';
import { collectionOf, definitionQuery } from '../api/definition.ts';
import { useListHead } from '../api/list-head.ts';
import { sessionQuery } from '../api/session.ts';
import { NotFound } from '../frame/NotFound.tsx';
import { ProblemPage } from '../frame/ProblemPage.tsx';
import { ColumnsButton } from '../grid/ColumnsButton.tsx';
import { useSentence } from '../messages/problem.ts';
import { CollectionMenu } from '../moving/CollectionMenu.tsx';
import { SearchBox } from '../search/SearchBox.tsx';
import { KINDS, type Kind } from './kinds.ts';
import { type OpenView, useView } from './use-view.ts';
import { ViewMenu } from './ViewMenu.tsx';
import { isKnownSort, listQueryOf, type ViewAddress } from './view-address.ts';
import '../grid/grid.css';

/** These show the list from its first page on. */
const LISTS: ReadonlySet<Kind> = new Set(['grid', 'cards']);

interface CollectionPageProps {
  readonly application: string;
  readonly collection: string;
  readonly address: ViewAddress;
}

export function CollectionPage({ application, collection: id, address }: CollectionPageProps) {
  const definition = useQuery(definitionQuery(application));
  const view = useView({ application, collection: id }, address);
  const collection = definition.data && collectionOf(definition.data, id);
  if (definition.data === undefined || collection === undefined) return definition.isPending ? null : <NotFound />;
  // Its search and order are not known yet.
  if (view.state === 'loading') return <main className="grid-page" aria-busy="true" />;
  if (view.state === 'failed') return <ProblemPage error={view.error} reset={view.retry} />;
  return (
    <ViewedRecords
      application={application}
      applicationName={definition.data.name}
      collection={collection}
      view={view}
    />
  );
}

interface ViewedRecordsProps {
  readonly application: string;
  readonly applicationName: string;
  readonly collection: CollectionDefinition;
  readonly view: OpenView;
}

function ViewedRecords({ application, applicationName, collection, view }: ViewedRecordsProps) {
  const t = useTranslations('grid');
  const views = useTranslations('views');
  const create = useTranslations('record')('create');
  const sentence = useSentence();
  const [outcome, setOutcome] = useState<{ readonly said?: string; readonly problem?: string }>({});
  const query = listQueryOf(view.address, collection);
  const head = useListHead(application, collection.id, query, LISTS.has(view.kind));
  const session = useQuery(sessionQuery(application)).data;

  const View = KINDS[view.kind];
  const problem = head.error;
  const badSearch = problem instanceof CartularyError && problem.is('INVALID_SEARCH') ? problem.params : undefined;
  // A calendar without records has days all the same, where one can be begun.
  const empty = head.complete && head.count === 0 && view.kind !== 'calendar';
  return (
    <main className="grid-page">
      <title>{`${collection.name} – ${applicationName}`}</title>
      <div className="grid-bar">
        <h1>{collection.name}</h1>
        <ViewMenu application={application} collection={collection} view={view} onOutcome={setOutcome} />
        <span className="unseen" role="status">
          {outcome.said}
        </span>
        <span className="grid-count" role="status">
          {problem === undefined && !head.isPending && countOf()}
        </span>
        {head.onCount !== undefined && (
          <Button className="button quiet grid-count-all" onPress={head.onCount}>
            {t('countAll')}
          </Button>
        )}
        <SearchBox
          application={application}
          collection={collection}
          userId={session?.user.id ?? ''}
          value={query.search}
          problem={badSearch}
          onSearch={(text) => view.onAddress({ search: text })}
        >
          {view.kind === 'grid' && (
            <ColumnsButton collection={collection} settings={view.columns} onColumns={view.onColumns} />
          )}
          <Link
            to="/$application/$collection/new"
            params={{ application, collection: collection.id }}
            className="button primary grid-create"
          >
            <span aria-hidden="true">+</span>
            <span className="grid-create-name">{create}</span>
          </Link>
          <CollectionMenu application={application} collection={collection} query={query} columns={view.columns} />
        </SearchBox>
      </div>
      {view.state === 'gone' && (
        <p role="alert" className="notice">
          {views('gone')}
        </p>
      )}
      {!isKnownSort(view.address.sort ?? '', collection) && (
        <p role="alert" className="notice">
          {views('unknownSort')}
        </p>
      )}
      {outcome.problem !== undefined && (
        <p role="alert" className="notice">
          {outcome.problem}
        </p>
      )}
      {problem !== undefined && badSearch === undefined && !(problem instanceof ConnectionError) && (
        <p role="alert" className="notice">
          {sentence(problem)}
        </p>
      )}
      {badSearch === undefined && empty && (
        <div className="empty">
          <p>{query.search === '' ? t('empty', { name: collection.name }) : t('noHits')}</p>
          {query.search === '' && (
            <>
              <p>{t('emptyHint')}</p>
              <Link
                to="/$application/$collection/import"
                params={{ application, collection: collection.id }}
                className="button"
              >
                {t('importFile')}
              </Link>
            </>
          )}
        </div>
      )}
      {badSearch === undefined && !empty && (
        <Suspense>
          <View
            key={JSON.stringify(query)}
            application={application}
            collection={collection}
            query={query}
            total={head.complete ? head.count : undefined}
            address={view.address}
            onAddress={view.onAddress}
            columns={view.columns}
            onColumns={view.onColumns}
          />
        </Suspense>
      )}
    </main>
  );

  function countOf(): string {
    if (!head.complete) return t('more', { count: head.count });
    return query.search === '' ? t('records', { count: head.count }) : t('hits', { count: head.count });
  }
}
