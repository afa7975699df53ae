// A record on a day of the calendar. It is dragged with the mouse or, by its handle, with the keyboard.

import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { Button, ButtonContext, useDrag } from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import type { CollectionDefinition, RawRecord } from '../../api/client.ts';
import { titleOf } from '../../record/title.ts';
import { type CalendarColumn, timeOf } from './calendar-column.ts';

export const RECORD_TYPE = 'application/x-cartulary-record';

interface EntryProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly column: CalendarColumn;
  readonly record: RawRecord;
  readonly isPending: boolean;
  readonly onDragStart: (record: RawRecord) => void;
}

export function Entry({ application, collection, column, record, isPending, onDragStart }: EntryProps) {
  const t = useTranslations('kinds');
  const title = titleOf(collection, record) ?? t('noRecord');
  const preview = useRef(null);
  const { dragProps, dragButtonProps, isDragging } = useDrag({
    getItems: () => [{ [RECORD_TYPE]: record.id, 'text/plain': title }],
    getAllowedDropOperations: () => ['move'],
    onDragStart: () => onDragStart(record),
    hasDragButton: true,
    isDisabled: !column.movable,
    preview,
  });
  return (
    <div className={`entry ${isPending || isDragging ? 'pending' : ''}`} {...dragProps}>
      <Link
        to="/$application/$collection/$record"
        params={{ application, collection: collection.id, record: record.id }}
        className="entry-link"
        title={title}
        draggable={false}
      >
        {column.type === 'DateTime' && <EntryTime at={timeOf(record, column) ?? ''} />}
        <span className="entry-title">{title}</span>
      </Link>
      {column.movable && (
        <ButtonContext value={dragButtonProps}>
          <Button className="entry-drag" aria-label={t('drag', { title })}>
            ⠿
          </Button>
        </ButtonContext>
      )}
    </div>
  );
}

export function EntryTime({ at }: { readonly at: string }) {
  const format = useFormatter();
  return (
    <time dateTime={at} className="entry-time">
      {format.dateTime(new Date(at), { hour: '2-digit', minute: '2-digit' })}
    </time>
  );
}
