// The requests to an application over time, with those that were refused and those that failed.

import { useState } from 'react';
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { useFormatter, useTranslations } from 'use-intl';
import type { HourlyUse } from '../../api/operated-shapes.ts';
import { Choice } from '../../values/edit/Choice.tsx';
import { barsOf, type Bar as Counted, PERIODS, type Period, sumOf } from './periods.ts';
import '../health/health.css';
import './use.css';

const PARTS = ['answered', 'refused', 'failed'] as const;
const TOTALS = ['requests', 'refused', 'failed'] as const;

interface UseChartProps {
  readonly hours: HourlyUse['hours'];
  /** When they were read. */
  readonly now: number;
}

export function UseChart({ hours, now }: UseChartProps) {
  const t = useTranslations('operate.use');
  const format = useFormatter();
  const [period, setPeriod] = useState<Period>('day');
  const bars = barsOf(hours, period, now);
  const time = (at: number) =>
    format.dateTime(new Date(at), period === 'day' ? { timeStyle: 'short' } : { month: 'numeric', day: 'numeric' });
  return (
    <figure className="health-chart use-chart" aria-labelledby="use-requests">
      <figcaption>
        <span className="use-head">
          <strong id="use-requests">{t('requests')}</strong>
          <Choice
            isInline
            label={t('period')}
            value={period}
            options={PERIODS.map((id) => ({ id, name: t(`periods.${id}`) }))}
            onChange={(id) => setPeriod(id as Period)}
          />
        </span>
        <span className="health-legend">
          {TOTALS.map((total, at) => (
            <span key={total}>
              <span className={`use-key part-${at}`} aria-hidden="true" />
              {t(`totals.${total}`)} <b>{format.number(sumOf(bars, total))}</b>
            </span>
          ))}
        </span>
      </figcaption>
      <div className="health-plot" aria-hidden="true">
        <ResponsiveContainer width="100%" height="100%">
          <BarChart accessibilityLayer={false} data={[...bars]} margin={{ top: 6, right: 8, bottom: 0, left: 0 }}>
            <CartesianGrid vertical={false} />
            <XAxis dataKey="at" tickFormatter={time} minTickGap={32} tickLine={false} />
            <YAxis
              width="auto"
              allowDecimals={false}
              tickFormatter={(value: number) => format.number(value, { notation: 'compact' })}
              tickLine={false}
              axisLine={false}
              tickCount={4}
            />
            <Tooltip
              isAnimationActive={false}
              content={({ active, payload }) => {
                const bar = payload?.[0]?.payload as Counted | undefined;
                return active === true && bar !== undefined ? <Tip bar={bar} time={time(bar.at)} /> : null;
              }}
            />
            {PARTS.map((part, at) => (
              <Bar key={part} className={`use-bar part-${at}`} dataKey={part} stackId="all" isAnimationActive={false} />
            ))}
          </BarChart>
        </ResponsiveContainer>
      </div>
      <p className="hint">{t('totalsHint')}</p>
      <UseTable bars={bars.filter(({ requests }) => requests > 0)} time={time} />
    </figure>
  );
}

function Tip({ bar, time }: { readonly bar: Counted; readonly time: string }) {
  const t = useTranslations('operate.use.totals');
  const format = useFormatter();
  return (
    <div className="health-tip">
      {time}
      {TOTALS.map((total) => (
        <span key={total}>
          {t(total)} <strong>{format.number(bar[total])}</strong>
        </span>
      ))}
    </div>
  );
}

interface UseTableProps {
  readonly bars: readonly Counted[];
  readonly time: (at: number) => string;
}

/** The same numbers for those who cannot see the bars, or want to read them. */
function UseTable({ bars, time }: UseTableProps) {
  const t = useTranslations('operate.use');
  const format = useFormatter();
  if (bars.length === 0) return <p className="hint">{t('noRequests')}</p>;
  return (
    <details>
      <summary>{t('numbers')}</summary>
      <div className="operate-scroller">
        <table className="operate-table">
          <thead>
            <tr>
              <th scope="col">{t('time')}</th>
              {TOTALS.map((total) => (
                <th key={total} scope="col" className="number">
                  {t(`totals.${total}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {bars.toReversed().map((bar) => (
              <tr key={bar.at}>
                <th scope="row">{time(bar.at)}</th>
                {TOTALS.map((total) => (
                  <td key={total} className="number">
                    {format.number(bar[total])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
