// The period of the log: two days by keyboard or calendar, or one of the usual periods.

import { parseDate } from '@internationalized/date';
import {
  Button,
  CalendarCell,
  CalendarGrid,
  DateInput,
  DateRangePicker,
  DateSegment,
  Dialog,
  Group,
  Heading,
  Label,
  Popover,
  RangeCalendar,
} from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { useZone } from '../messages/time-zone.tsx';
import { addDays, localDay } from '../views/days.ts';

interface Days {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

interface PeriodPickerProps extends Days {
  readonly onChoose: (days: Days) => void;
}

const USUAL_DAYS = [1, 7, 30, 90];

export function PeriodPicker({ from, to, onChoose }: PeriodPickerProps) {
  const t = useTranslations('activity');
  const today = localDay(new Date(), useZone());
  const value = from === undefined ? null : { start: parseDate(from), end: parseDate(to ?? today) };
  const usual = (days: number): Days => ({ from: addDays(today, 1 - days), to: today });
  return (
    <DateRangePicker
      className="field period"
      value={value}
      onChange={(range) => onChoose({ from: range?.start.toString(), to: range?.end.toString() })}
    >
      <Label>{t('period')}</Label>
      <Group className="input period-box">
        <DateInput slot="start" className="period-day">
          {(segment) => <DateSegment segment={segment} className="period-segment" />}
        </DateInput>
        <span aria-hidden="true">–</span>
        <DateInput slot="end" className="period-day">
          {(segment) => <DateSegment segment={segment} className="period-segment" />}
        </DateInput>
        <Button className="button icon period-open" aria-label={t('openCalendar')}>
          ▾
        </Button>
      </Group>
      <Popover className="popover">
        <Dialog className="period-dialog">
          {({ close }) => (
            <>
              <div className="period-usual">
                {USUAL_DAYS.map((days) => (
                  <Button
                    key={days}
                    className="button quiet"
                    onPress={() => {
                      onChoose(usual(days));
                      close();
                    }}
                  >
                    {days === 1 ? t('today') : t('lastDays', { days })}
                  </Button>
                ))}
                <Button
                  className="button quiet"
                  onPress={() => {
                    onChoose({ from: undefined, to: undefined });
                    close();
                  }}
                >
                  {t('allTime')}
                </Button>
              </div>
              <RangeCalendar>
                <header className="period-head">
                  <Button slot="previous" className="button icon" aria-label={t('previousMonth')}>
                    ‹
                  </Button>
                  <Heading />
                  <Button slot="next" className="button icon" aria-label={t('nextMonth')}>
                    ›
                  </Button>
                </header>
                <CalendarGrid className="period-grid">
                  {(date) => <CalendarCell date={date} className="period-cell" />}
                </CalendarGrid>
              </RangeCalendar>
            </>
          )}
        </Dialog>
      </Popover>
    </DateRangePicker>
  );
}
