// How much was done on each day, and what. A day and a kind can be chosen to narrow the list down.

import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Bar, BarChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { useFormatter, useTranslations } from 'use-intl';
import type { ActivityFigure } from '../api/client.ts';
import { useZone } from '../messages/time-zone.tsx';
import { dateOfDay, localDay } from '../views/days.ts';
import type { CountedPeriod } from './activity-address.ts';
import { totalsByDay, totalsByKind } from './figures.ts';
import type { Sentences } from './sentence.ts';

/** As many lines as stand beside the days. */
const KINDS_SHOWN = 5;

interface ActivityChartsProps {
  readonly figures: readonly ActivityFigure[];
  readonly period: CountedPeriod;
  readonly sentences: Sentences;
  readonly onNarrow: (changes: Readonly<Record<string, string | undefined>>) => void;
}

export function ActivityCharts({ figures, period, sentences, onNarrow }: ActivityChartsProps) {
  const t = useTranslations('activity');
  const kinds = totalsByKind(figures);
  const most = kinds[0]?.count ?? 1;
  const [isWhole, setWhole] = useState(false);
  // One more takes no more room than the button that would bring it.
  const whole = isWhole || kinds.length === KINDS_SHOWN + 1;
  const format = useFormatter();
  return (
    <div className="activity-charts">
      <section aria-labelledby="activity-by-day">
        <h3 id="activity-by-day">{t('byDay')}</h3>
        <DayChart figures={figures} period={period} onDay={(day) => onNarrow({ from: day, to: day })} />
      </section>
      <section aria-labelledby="activity-by-kind">
        <h3 id="activity-by-kind">{t('byKind')}</h3>
        <ul className="activity-kinds">
          {kinds.slice(0, whole ? kinds.length : KINDS_SHOWN).map(({ kind, count }) => (
            <li key={kind}>
              <Button className="activity-kind" onPress={() => onNarrow({ kind })}>
                <span className="activity-kind-name">{sentences.kind(kind)}</span>
                <span className="activity-kind-bar" aria-hidden="true">
                  <span style={{ width: `${(100 * count) / most}%` }} />
                </span>
                <span className="activity-kind-count">{format.number(count)}</span>
              </Button>
            </li>
          ))}
        </ul>
        {kinds.length > KINDS_SHOWN + 1 && (
          <Button className="button quiet activity-kinds-all" aria-expanded={whole} onPress={() => setWhole(!whole)}>
            {whole ? t('fewerKinds') : t('allKinds', { count: kinds.length })}
          </Button>
        )}
      </section>
    </div>
  );
}

interface DayChartProps extends Pick<ActivityChartsProps, 'figures' | 'period'> {
  readonly onDay: (day: string) => void;
}

function DayChart({ figures, period, onDay }: DayChartProps) {
  const t = useTranslations('activity');
  const format = useFormatter();
  const zone = useZone();
  const lastMoment = new Date(period.end.getTime() - 1);
  const days = totalsByDay(figures, localDay(period.start, zone), localDay(lastMoment, zone));
  const shown = (day: string) => format.dateTime(dateOfDay(day), { month: 'short', day: 'numeric', timeZone: 'UTC' });
  const whole = (day: string) => format.dateTime(dateOfDay(day), { dateStyle: 'full', timeZone: 'UTC' });
  return (
    <>
      <div className="activity-days" aria-hidden="true">
        <ResponsiveContainer width="100%" height="100%">
          <BarChart
            accessibilityLayer={false}
            data={days}
            margin={{ top: 4, right: 4, bottom: 0, left: 0 }}
            barCategoryGap="15%"
          >
            <XAxis dataKey="day" tickFormatter={shown} minTickGap={24} tickLine={false} interval="preserveStartEnd" />
            <YAxis width="auto" allowDecimals={false} tickLine={false} axisLine={false} tickCount={4} />
            <Tooltip
              isAnimationActive={false}
              cursor={false}
              content={({ active, payload }) => {
                const total = payload?.[0]?.payload as { day: string; count: number } | undefined;
                if (active !== true || total === undefined) return null;
                return (
                  <p className="activity-tip">
                    {whole(total.day)}
                    <strong>{format.number(total.count)}</strong>
                  </p>
                );
              }}
            />
            <Bar
              dataKey="count"
              isAnimationActive={false}
              onClick={({ payload }: { readonly payload?: unknown }) => onDay((payload as { day: string }).day)}
            />
          </BarChart>
        </ResponsiveContainer>
      </div>
      {/* The same for those who do not see the bars. */}
      <table className="unseen">
        <caption>{t('byDay')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('day')}</th>
            <th scope="col">{t('count')}</th>
          </tr>
        </thead>
        <tbody>
          {days
            .filter(({ count }) => count > 0)
            .map(({ day, count }) => (
              <tr key={day}>
                <th scope="row">
                  <button type="button" onClick={() => onDay(day)} aria-label={t('onlyDay', { day: whole(day) })}>
                    {whole(day)}
                  </button>
                </th>
                <td>{format.number(count)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </>
  );
}
