// The grid of a collection with its search and its order, which stand in the address.

import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { CartularyError } from '../api/client.ts';
import { collectionOf, definitionQuery } from '../api/definition.ts';
import { NotFound } from '../frame/NotFound.tsx';
import { useSentence } from '../messages/problem.ts';
import { Grid } from './Grid.tsx';
import { type GridAddress, listQueryOf } from './grid-address.ts';
import { useListHead } from './list-head.ts';
import { SearchBox } from './SearchBox.tsx';
import './grid.css';

interface GridPageProps {
  readonly application: string;
  readonly collection: string;
  readonly address: GridAddress;
}

export function GridPage({ application, collection: id, address }: GridPageProps) {
  const t = useTranslations('grid');
  const create = useTranslations('record')('create');
  const sentence = useSentence();
  const definition = useQuery(definitionQuery(application));
  const navigate = useNavigate();
  const query = listQueryOf(address);
  const head = useListHead(application, id, query);
  const collection = definition.data && collectionOf(definition.data, id);
  if (collection === undefined) return definition.isPending ? null : <NotFound />;

  const go = (next: GridAddress) =>
    void navigate({ to: '/$application/$collection', params: { application, collection: id }, search: next });
  const search = (text: string) =>
    go({ ...(address.sort === undefined ? {} : { sort: address.sort }), ...searched(text) });
  const sort = (key: string) => go({ ...searched(query.search), sort: key });

  const problem = head.error;
  const badSearch = problem instanceof CartularyError && problem.is('INVALID_SEARCH') ? problem.params : undefined;
  const empty = head.complete && head.count === 0;
  return (
    <main className="grid-page">
      <title>{`${collection.name} – ${definition.data?.name ?? ''}`}</title>
      <div className="grid-bar">
        <h1>{collection.name}</h1>
        <span className="grid-count" role="status">
          {problem === undefined && !head.isPending && countOf()}
        </span>
        <Link
          to="/$application/$collection/new"
          params={{ application, collection: id }}
          className="button primary grid-create"
        >
          {create}
        </Link>
        <SearchBox key={query.search} value={query.search} problem={badSearch} onSearch={search} />
      </div>
      {problem !== undefined && badSearch === undefined && (
        <p role="alert" className="notice">
          {sentence(problem)}
        </p>
      )}
      {empty ? (
        <div className="empty">
          <p>{query.search === '' ? t('empty', { name: collection.name }) : t('noHits')}</p>
          {query.search === '' && (
            <>
              <p>{t('emptyHint')}</p>
              <code>cartulary import FILE --collection {collection.name}</code>
            </>
          )}
        </div>
      ) : (
        <Grid
          key={JSON.stringify(query)}
          application={application}
          collection={collection}
          query={query}
          total={head.complete ? head.count : undefined}
          onSort={sort}
        />
      )}
    </main>
  );

  function countOf(): string {
    if (!head.complete) return t('more', { count: head.count });
    return query.search === '' ? t('records', { count: head.count }) : t('hits', { count: head.count });
  }
}

const searched = (text: string): GridAddress => (text === '' ? {} : { search: text });
