// Records on a calendar, by a column of dates: a month, a week, or the list of a day.

import { useRef } from 'react';
import { Button } from 'react-aria-components';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { RawRecord } from '../../api/client.ts';
import { useSentence } from '../../messages/problem.ts';
import { useZone } from '../../messages/time-zone.tsx';
import { Choice } from '../../values/edit/Choice.tsx';
import { ChangeProblem } from '../ChangeProblem.tsx';
import { type Day, dateOfDay, firstWeekday, isDay, localDay } from '../days.ts';
import { isMember, MEMBER_NAMES, readBy } from '../grouping.ts';
import { useRecordChanges } from '../record-changes.ts';
import type { ViewProps } from '../view-props.ts';
import { calendarColumns, dayOf, movedValue } from './calendar-column.ts';
import { DayCell } from './DayCell.tsx';
import { DayList } from './DayList.tsx';
import { type SpanUnit, spanOf, stepped } from './span.ts';
import { useSpanRecords } from './span-records.ts';
import '../kinds.css';
import './calendar.css';

const UNITS = ['month', 'week', 'day'] as const satisfies readonly SpanUnit[];
/** As many as have room. */
const PER_DAY = { month: 3, week: 14, day: 1 } as const;

export function Calendar({ application, collection, query, address, onAddress }: ViewProps) {
  const t = useTranslations('kinds');
  const grid = useTranslations('grid');
  const format = useFormatter();
  const locale = useLocale();
  const sentence = useSentence();
  const changes = useRecordChanges(application, collection);
  const dragged = useRef<RawRecord>(undefined);

  const by = readBy(address.by);
  const columns = calendarColumns(collection);
  const column = columns.find(({ id }) => id === by?.key) ?? columns[0]!;
  const unit = UNITS.find((each) => each === by?.unit) ?? 'month';
  const zone = useZone();
  const today = localDay(new Date(), zone);
  const at = address.at !== undefined && isDay(address.at) ? address.at : today;
  const span = spanOf(unit, at, firstWeekday(locale));
  const found = useSpanRecords({
    application,
    collection,
    column,
    search: query.search,
    span,
    perDay: PER_DAY[unit],
    pending: changes.pending,
  });

  const show = (key: string, next: SpanUnit) => onAddress({ by: `${key}:${next}` });
  const go = (day: Day) => onAddress({ at: day === today ? undefined : day });
  function drop(day: Day): void {
    const record = dragged.current;
    if (record === undefined || dayOf(record, column, zone) === day) return;
    void changes.change(record, column.id, movedValue(record, column, day, zone));
  }

  const nameOf = (id: string) =>
    isMember(id) ? grid(MEMBER_NAMES[id]) : (collection.columns.find((each) => each.id === id)?.name ?? id);
  return (
    <>
      <div className="view-bar">
        <div className="calendar-steps">
          <Button className="button icon" aria-label={t('previous')} onPress={() => go(stepped(unit, at, -1))}>
            ‹
          </Button>
          <Button className="button" onPress={() => go(today)}>
            {t('today')}
          </Button>
          <Button className="button icon" aria-label={t('next')} onPress={() => go(stepped(unit, at, 1))}>
            ›
          </Button>
        </div>
        <h2 className="calendar-title" aria-live="polite">
          {titleOfSpan()}
        </h2>
        <div className="view-bar-end calendar-picks">
          <Choice
            isInline
            label={t('by')}
            value={column.id}
            options={columns.map(({ id }) => ({ id, name: nameOf(id) }))}
            onChange={(id) => show(id, unit)}
          />
          <Choice
            isInline
            label={t('unit')}
            value={unit}
            options={UNITS.map((id) => ({ id, name: t(id) }))}
            onChange={(id) => show(column.id, UNITS.find((each) => each === id) ?? 'month')}
          />
        </div>
      </div>
      <ChangeProblem {...changes} />
      {found.error !== undefined && unit !== 'day' && (
        <p role="alert" className="notice">
          {sentence(found.error)}
        </p>
      )}
      {unit === 'day' ? (
        <DayList
          key={at}
          application={application}
          collection={collection}
          column={column}
          search={query.search}
          day={at}
        />
      ) : (
        <section className={`calendar ${unit}`} aria-label={t('calendarOf', { name: collection.name })}>
          <div className="calendar-weekdays" aria-hidden="true">
            {span.days.slice(0, 7).map((day) => (
              <span key={day}>{format.dateTime(dateOfDay(day), { weekday: 'short', timeZone: 'UTC' })}</span>
            ))}
          </div>
          <div className="calendar-days">
            {span.days.map((day) => (
              <DayCell
                key={day}
                application={application}
                collection={collection}
                column={column}
                day={day}
                isToday={day === today}
                isOutside={unit === 'month' && day.slice(0, 7) !== at.slice(0, 7)}
                found={found.on(day)}
                max={PER_DAY[unit]}
                pending={changes.pending}
                onDrag={(record) => {
                  dragged.current = record;
                }}
                onDrop={drop}
                onOpen={(opened) => onAddress({ by: `${column.id}:day`, at: opened })}
              />
            ))}
          </div>
        </section>
      )}
    </>
  );

  function titleOfSpan(): string {
    const zone = { timeZone: 'UTC' } as const;
    if (unit === 'day') return format.dateTime(dateOfDay(at), { dateStyle: 'full', ...zone });
    if (unit === 'month') return format.dateTime(dateOfDay(at), { year: 'numeric', month: 'long', ...zone });
    const [from, to] = [dateOfDay(span.from), dateOfDay(span.days.at(-1) ?? span.from)];
    return format.dateTimeRange(from, to, { year: 'numeric', month: 'short', day: 'numeric', ...zone });
  }
}
