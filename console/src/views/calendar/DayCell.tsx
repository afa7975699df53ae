// One day of a month or a week: its first records, how many more there are, and a place to drop others.

import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { Button, useDrop } from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import type { CollectionDefinition, RawRecord } from '../../api/client.ts';
import { useZone } from '../../messages/time-zone.tsx';
import { type Day, dateOfDay } from '../days.ts';
import { writeGiven } from '../given-value.ts';
import type { PendingChanges } from '../pending-changes.ts';
import { type CalendarColumn, newValue } from './calendar-column.ts';
import { Entry, RECORD_TYPE } from './Entry.tsx';
import type { DayRecords } from './span-records.ts';

interface DayCellProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly column: CalendarColumn;
  readonly day: Day;
  readonly isToday: boolean;
  /** A day of the month before or after. */
  readonly isOutside: boolean;
  readonly found: DayRecords;
  readonly max: number;
  readonly pending: PendingChanges;
  readonly onDrag: (record: RawRecord) => void;
  readonly onDrop: (day: Day) => void;
  readonly onOpen: (day: Day) => void;
}

export function DayCell(props: DayCellProps) {
  const { application, collection, column, day, isToday, isOutside, found, max, pending } = props;
  const t = useTranslations('kinds');
  const format = useFormatter();
  const cell = useRef<HTMLDivElement>(null);
  const { dropProps, isDropTarget } = useDrop({
    ref: cell,
    getDropOperation: (types, allowed) => (types.has(RECORD_TYPE) && allowed.includes('move') ? 'move' : 'cancel'),
    onDrop: () => props.onDrop(day),
  });
  const date = dateOfDay(day);
  const whole = format.dateTime(date, { dateStyle: 'full', timeZone: 'UTC' });
  const shown = found.records.slice(0, found.count > max ? max - 1 : max);
  const rest = found.count - shown.length;
  const classes = ['day', isToday && 'today', isOutside && 'outside', isDropTarget && 'target'].filter(Boolean);
  const given = writeGiven(column.id, newValue(column, day, useZone()));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div
      ref={cell}
      {...dropProps}
      role="group"
      // The keyboard brings what it drags from day to day.
      tabIndex={-1}
      aria-label={t('dayRecords', { day: whole, count: found.count })}
      className={classes.join(' ')}
    >
      <div className="day-head">
        <Button className="day-number" aria-label={whole} onPress={() => props.onOpen(day)}>
          {format.number(date.getUTCDate())}
        </Button>
        {found.count > 0 && (
          <span className="day-count" aria-hidden="true">
            {t('number', { count: found.count })}
          </span>
        )}
        {column.movable && (
          <Link
            to="/$application/$collection/new"
            params={{ application, collection: collection.id }}
            search={given === undefined ? {} : { given }}
            className="day-new"
            aria-label={t('newOn', { day: whole })}
          >
            +
          </Link>
        )}
      </div>
      {shown.map((record) => (
        <Entry
          key={record.id}
          application={application}
          collection={collection}
          column={column}
          record={record}
          isPending={pending.has(record.id)}
          onDragStart={props.onDrag}
        />
      ))}
      {rest > 0 && (
        <Button className="day-rest" onPress={() => props.onOpen(day)}>
          {t('more', { count: rest })}
        </Button>
      )}
    </div>
  );
}
