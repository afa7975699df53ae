// The figures of the last hour as lines, all with the same time below.

import { CartesianGrid, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { useFormatter, useTranslations } from 'use-intl';
import { useBytes } from '../../values/bytes.ts';
import type { Sample } from './samples.ts';

type Figure = Exclude<keyof Sample, 'at'>;

interface ChartSpec {
  readonly name: 'requestRate' | 'times' | 'load' | 'pool' | 'databaseSize' | 'memory' | 'processor' | 'delay';
  readonly lines: readonly Figure[];
  readonly unit?: 'bytes' | 'percent' | 'milliseconds';
}

const CHARTS: readonly ChartSpec[] = [
  { name: 'requestRate', lines: ['requests', 'clientErrors', 'serverErrors'] },
  { name: 'times', lines: ['median', 'slow'], unit: 'milliseconds' },
  { name: 'load', lines: ['inFlight', 'connections', 'waiting'] },
  { name: 'pool', lines: ['lent', 'idle', 'poolWaiting'] },
  { name: 'databaseSize', lines: ['databaseBytes'], unit: 'bytes' },
  { name: 'memory', lines: ['memory'], unit: 'bytes' },
  { name: 'processor', lines: ['processor'], unit: 'percent' },
  { name: 'delay', lines: ['delay'], unit: 'milliseconds' },
];

export function HealthCharts({ samples }: { readonly samples: readonly Sample[] }) {
  return (
    <div className="health-charts">
      {CHARTS.map((chart) => (
        <Chart key={chart.name} {...chart} samples={samples} />
      ))}
    </div>
  );
}

function Chart({ name, lines, unit, samples }: ChartSpec & { readonly samples: readonly Sample[] }) {
  const t = useTranslations('health');
  const format = useFormatter();
  const bytes = useBytes();
  const shown = (value: number): string => {
    if (unit === 'bytes') return bytes(value);
    if (unit === 'percent') return format.number(value, { style: 'percent', maximumFractionDigits: 0 });
    const number = format.number(value, { maximumSignificantDigits: 3 });
    return unit === 'milliseconds' ? t('milliseconds', { value: number }) : number;
  };
  const time = (at: number) => format.dateTime(new Date(at), { timeStyle: 'medium' });
  const last = samples.at(-1);
  return (
    <figure className="health-chart">
      <figcaption>
        <strong>{t(`charts.${name}`)}</strong>
        <span className="health-legend">
          {lines.map((line, at) => (
            <span key={line}>
              <span className={`health-key line-${at}`} aria-hidden="true" />
              {t(`lines.${line}`)} <b>{last?.[line] === undefined ? '–' : shown(last[line])}</b>
            </span>
          ))}
        </span>
      </figcaption>
      <div className="health-plot" aria-hidden="true">
        <ResponsiveContainer width="100%" height="100%">
          <LineChart accessibilityLayer={false} data={[...samples]} margin={{ top: 6, right: 8, bottom: 0, left: 0 }}>
            <CartesianGrid vertical={false} />
            <XAxis
              dataKey="at"
              type="number"
              domain={['dataMin', 'dataMax']}
              tickFormatter={time}
              minTickGap={48}
              tickLine={false}
            />
            <YAxis
              width="auto"
              domain={[0, 'auto']}
              tickFormatter={shown}
              tickLine={false}
              axisLine={false}
              tickCount={4}
            />
            <Tooltip
              isAnimationActive={false}
              content={({ active, payload }) => {
                const sample = payload?.[0]?.payload as Sample | undefined;
                if (active !== true || sample === undefined) return null;
                return (
                  <div className="health-tip">
                    {time(sample.at)}
                    {lines.map((line) => (
                      <span key={line}>
                        {t(`lines.${line}`)} <strong>{sample[line] === undefined ? '–' : shown(sample[line])}</strong>
                      </span>
                    ))}
                  </div>
                );
              }}
            />
            {lines.map((line, at) => (
              <Line
                key={line}
                className={`health-line line-${at}`}
                dataKey={line}
                dot={samples.length < 3}
                isAnimationActive={false}
                type="linear"
              />
            ))}
          </LineChart>
        </ResponsiveContainer>
      </div>
    </figure>
  );
}
