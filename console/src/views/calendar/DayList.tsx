// All records of one day, of any number: those in sight are loaded.

import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { CollectionDefinition } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { useRowWindow } from '../../grid/row-window.ts';
import { useSentence } from '../../messages/problem.ts';
import { useZone } from '../../messages/time-zone.tsx';
import { titleOf } from '../../record/title.ts';
import { addDays, type Day, dateOfDay } from '../days.ts';
import { writeGiven } from '../given-value.ts';
import { RecordFacts } from '../RecordFacts.tsx';
import { both, fromUntil } from '../search-terms.ts';
import { type CalendarColumn, newValue, timeOf } from './calendar-column.ts';
import { EntryTime } from './Entry.tsx';
import { listed } from './span-records.ts';

/** As in calendar.css. */
const ROW = 44;
const FACTS = 3;

interface DayListProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly column: CalendarColumn;
  readonly search: string;
  readonly day: Day;
}

export function DayList({ application, collection, column, search, day }: DayListProps) {
  const t = useTranslations('kinds');
  const format = useFormatter();
  const sentence = useSentence();
  const scroller = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ first: 0, last: 0 });
  const query = listed(column, both(search, fromUntil(column.id, day, addDays(day, 1))));
  const rows = usePages(application, collection.id, query, seen);
  const count = rows.isPending ? 0 : rows.count;
  const { first, last, height, top } = useRowWindow(scroller, count, 0, ROW);
  if (count > 0 && (first !== seen.first || last !== seen.last)) setSeen({ first, last });
  const shown = count === 0 ? [] : Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  const given = writeGiven(column.id, newValue(column, day, useZone()));
  const whole = format.dateTime(dateOfDay(day), { dateStyle: 'full', timeZone: 'UTC' });
  return (
    <section className="day-list" ref={scroller} aria-label={whole}>
      {rows.error !== undefined && (
        <p role="alert" className="notice">
          {sentence(rows.error)}
        </p>
      )}
      {!rows.isPending && rows.error === undefined && count === 0 && (
        <div className="empty">
          <p>{t('nothingOn')}</p>
          {column.movable && (
            <Link
              to="/$application/$collection/new"
              params={{ application, collection: collection.id }}
              search={given === undefined ? {} : { given }}
              className="button"
            >
              {t('newOn', { day: whole })}
            </Link>
          )}
        </div>
      )}
      <div style={{ height }} className="day-list-body">
        <ul style={{ transform: `translateY(${top}px)` }}>
          {shown.map((row) => {
            const record = rows.at(row);
            return (
              <li key={row} aria-posinset={row + 1} aria-setsize={rows.complete ? count : -1}>
                {record !== undefined && (
                  <Link
                    to="/$application/$collection/$record"
                    params={{ application, collection: collection.id, record: record.id }}
                    className="day-list-row"
                  >
                    {column.type === 'DateTime' && <EntryTime at={timeOf(record, column) ?? ''} />}
                    <span className="entry-title">{titleOf(collection, record) ?? t('noRecord')}</span>
                    <RecordFacts
                      application={application}
                      collection={collection}
                      record={record}
                      max={FACTS}
                      without={column.id}
                    />
                  </Link>
                )}
              </li>
            );
          })}
        </ul>
      </div>
    </section>
  );
}
