// One lane of a board: its name, how many cards it has, and those of them that are in sight.

import { Link, useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import {
  Collection,
  GridList,
  GridListLoadMoreItem,
  ListLayout,
  useDragAndDrop,
  Virtualizer,
} from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition, ColumnDefinition, RawRecord } from '../../api/client.ts';
import type { ListQuery } from '../../api/records.ts';
import { useSentence } from '../../messages/problem.ts';
import { titleOf } from '../../record/title.ts';
import { PersonName } from '../../values/show/user.tsx';
import { useSeen } from '../in-sight.ts';
import { movedCount, type PendingChanges } from '../pending-changes.ts';
import { both, groupCondition } from '../search-terms.ts';
import { BoardCard } from './BoardCard.tsx';
import { useLaneCards } from './lane-cards.ts';
import type { NamedLane } from './lanes.ts';
import { isIn, withMoves } from './moved-cards.ts';

const RECORD_TYPE = 'application/x-cartulary-record';

/** Heights are measured; this is for what has not been on the page. */
const LAYOUT = { estimatedRowHeight: 112, gap: 8, padding: 8, loaderHeight: 32 };

interface LaneListProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly column: ColumnDefinition;
  readonly query: ListQuery;
  readonly lane: NamedLane;
  readonly lanes: readonly NamedLane[];
  readonly pending: PendingChanges;
  readonly dragged: React.RefObject<RawRecord | undefined>;
  readonly onMove: (record: RawRecord, lane: NamedLane) => void;
}

export function LaneList(props: LaneListProps) {
  const { application, collection, column, query, lane, lanes, pending, dragged, onMove } = props;
  const t = useTranslations('kinds');
  const sentence = useSentence();
  const navigate = useNavigate();
  const section = useRef<HTMLElement>(null);
  const search = both(query.search, groupCondition(column.id, lane.group));
  const cards = useLaneCards({
    application,
    collection: collection.id,
    query: { ...query, search },
    enabled: useSeen(section),
  });
  const isHere = isIn(lane.key, column);
  const records = withMoves(cards.records, pending, isHere);
  const count = Math.max(lane.count + movedCount(pending, isHere), 0);
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => records.filter(({ id }) => keys.has(id)).map((record) => itemOf(record)),
    acceptedDragTypes: [RECORD_TYPE],
    getDropOperation: () => 'move',
    onDragStart: ({ keys }) => {
      dragged.current = records.find(({ id }) => keys.has(id));
    },
    onRootDrop: () => {
      if (dragged.current !== undefined) onMove(dragged.current, lane);
    },
  });
  const itemOf = (record: RawRecord) => ({
    [RECORD_TYPE]: record.id,
    'text/plain': titleOf(collection, record) ?? record.id,
  });

  return (
    <section className="lane" ref={section} aria-label={t('lane', { lane: lane.name, count })}>
      <header className="lane-head">
        <h2 className="lane-name" title={lane.name}>
          {lane.group !== null && typeof lane.group === 'object' ? <PersonName person={lane.group} /> : lane.name}
        </h2>
        <LaneCount count={count} />
        {lane.newRecord !== undefined && (
          <Link
            to="/$application/$collection/new"
            params={{ application, collection: collection.id }}
            search={{ given: lane.newRecord }}
            className="button icon lane-new"
            aria-label={t('newIn', { lane: lane.name })}
          >
            +
          </Link>
        )}
      </header>
      {cards.error !== undefined && (
        <p role="alert" className="message wrong">
          {sentence(cards.error)}
        </p>
      )}
      <Virtualizer layout={ListLayout} layoutOptions={LAYOUT}>
        <GridList
          className="lane-cards"
          aria-label={lane.name}
          dragAndDropHooks={dragAndDropHooks}
          dependencies={[records, pending, lanes]}
          onAction={(key) => {
            const params = { application, collection: collection.id, record: String(key) };
            void navigate({ to: '/$application/$collection/$record', params });
          }}
          renderEmptyState={() =>
            cards.isPending && lane.count > 0 ? null : <p className="lane-empty">{t('emptyLane')}</p>
          }
        >
          <Collection items={records} dependencies={[records, pending, lanes]}>
            {(record) => (
              <BoardCard
                application={application}
                collection={collection}
                record={record}
                by={column.id}
                isPending={pending.has(record.id)}
                lanes={lanes.filter(({ key }) => key !== lane.key)}
                onMove={(to) => onMove(record, to)}
              />
            )}
          </Collection>
          <GridListLoadMoreItem onLoadMore={cards.loadMore} isLoading={cards.isLoadingMore} className="lane-loading">
            {t('loadingMore')}
          </GridListLoadMoreItem>
        </GridList>
      </Virtualizer>
      {cards.isCut && (
        <Link
          to="/$application/$collection"
          params={{ application, collection: collection.id }}
          search={{ search }}
          className="lane-rest"
        >
          {t('allInGrid', { count })}
        </Link>
      )}
    </section>
  );
}

function LaneCount({ count }: { readonly count: number }) {
  const t = useTranslations('kinds');
  return <span className="lane-count">{t('number', { count })}</span>;
}
