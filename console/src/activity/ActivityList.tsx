// The entries, newest first. Older ones come as the end of the list comes into sight.

import { GridList, GridListItem, GridListLoadMoreItem, ListLayout, Virtualizer } from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import type { RawActivityEntry } from '../api/client.ts';
import { useNarrow } from '../frame/narrow.ts';
import { PersonMark } from '../values/show/user.tsx';
import type { Sentences } from './sentence.ts';

const ROW_HEIGHT = 40;
/** On a phone a sentence takes several lines, and each row is measured. */
const USUAL_HEIGHT = 64;

interface ActivityListProps {
  readonly entries: readonly RawActivityEntry[];
  readonly sentences: Sentences;
  /** Undefined if there are no older entries, or somebody has to ask for them. */
  readonly onMore: (() => void) | undefined;
  readonly isLoading: boolean;
  readonly onOpen: (entry: RawActivityEntry) => void;
}

export function ActivityList({ entries, sentences, onMore, isLoading, onOpen }: ActivityListProps) {
  const t = useTranslations('activity');
  const format = useFormatter();
  const narrow = useNarrow();
  // Entries have no identifiers; none ever changes its place while the list grows at its end.
  const items = entries.map((entry, index) => ({ id: index, entry }));
  return (
    <Virtualizer
      layout={ListLayout}
      layoutOptions={narrow ? { estimatedRowHeight: USUAL_HEIGHT } : { rowHeight: ROW_HEIGHT }}
    >
      <GridList
        className="activity-list"
        aria-label={t('list')}
        selectionMode="none"
        onAction={(key) => {
          const entry = entries[Number(key)];
          if (entry !== undefined) onOpen(entry);
        }}
      >
        {items.map(({ id, entry }) => {
          const sentence = sentences.entry(entry);
          // What cannot be told by its title is told apart by its ID.
          const { recordId } = sentences.title(entry) === undefined ? entry.extra : {};
          return (
            <GridListItem key={id} id={id} textValue={sentence} className="activity-row">
              <time className="activity-time" dateTime={entry.date}>
                {format.dateTime(new Date(entry.date), {
                  month: 'short',
                  day: 'numeric',
                  hour: '2-digit',
                  minute: '2-digit',
                })}
              </time>
              <PersonMark person={{ id: entry.user.id, name: sentences.person(entry.user) }} />
              <span className="activity-sentence">
                {sentence}
                {recordId !== undefined && <code className="activity-id">{recordId}</code>}
              </span>
              <span className="activity-context">{t(`contexts.${entry.source.context}`)}</span>
            </GridListItem>
          );
        })}
        <GridListLoadMoreItem
          className="activity-more"
          isLoading={isLoading}
          {...(onMore === undefined ? {} : { onLoadMore: onMore })}
        >
          {t('looking')}
        </GridListLoadMoreItem>
      </GridList>
    </Virtualizer>
  );
}
