// The chart itself: a line over time, bars for other groups. Colours come from the tokens, so it follows light and dark.

import { useRef } from 'react';
import {
  Bar,
  BarChart,
  CartesianGrid,
  Line,
  LineChart,
  ResponsiveContainer,
  Tooltip,
  type TooltipContentProps,
  XAxis,
  YAxis,
} from 'recharts';
import { useFormatter, useTranslations } from 'use-intl';
import type { Group } from '../../api/group-figures.ts';
import { DIGITS } from './FigureTable.tsx';
import type { Part } from './layers.ts';
import type { Point } from './series.ts';

interface DrawingProps {
  readonly title: string;
  readonly measureName: string;
  readonly points: readonly Point[];
  readonly isLine: boolean;
  /** What the bars are made up of, from below; undefined where they are whole. */
  readonly parts: readonly Part[] | undefined;
  readonly nameOf: (group: Group, short?: boolean) => string;
  /** Undefined where the records of a group cannot be searched for. */
  readonly onOpen: ((point: Point) => void) | undefined;
}

/** Few times are compared as bars; many make a line. */
const LINE_FROM = 3;
const DOTS_MAX = 60;
const MARGIN = { top: 8, right: 16, bottom: 0, left: 0 };

export function Drawing({ title, measureName, points, isLine, parts, nameOf, onOpen }: DrawingProps) {
  const t = useTranslations('kinds');
  const format = useFormatter();
  const told = useRef<Point>(undefined);
  const names = new Map(points.map(({ key, group }) => [key, nameOf(group, true)]));
  const compact = (value: number) => format.number(value, { notation: 'compact', maximumFractionDigits: 2 });
  const axes = [
    <CartesianGrid key="grid" vertical={false} stroke="var(--line)" />,
    <XAxis
      key="x"
      dataKey="key"
      tickFormatter={(key: string) => names.get(key) ?? ''}
      stroke="var(--line-strong)"
      tick={TICK}
      minTickGap={16}
      tickLine={false}
    />,
    <YAxis key="y" tickFormatter={compact} stroke="none" tick={TICK} width={56} tickLine={false} />,
    <Tooltip key="tooltip" isAnimationActive={false} cursor={CURSOR} content={shown} />,
  ];
  const data = points.map((point) => ({
    ...point,
    ...Object.fromEntries((parts ?? []).map(({ key, values }) => [key, values.get(point.key) ?? 0])),
  }));
  const props = { data, margin: MARGIN, title, desc: t('chartKeys') };
  const bar = {
    maxBarSize: 64,
    isAnimationActive: false,
    onClick: (_: unknown, index: number) => onOpen?.(points[index]!),
  };
  return (
    <>
      {parts !== undefined && (
        <ul className="chart-parts" aria-label={t('parts')}>
          {parts.map(({ key, name }, index) => (
            <li key={key}>
              <span className="chart-swatch" style={{ background: colourOf(index) }} />
              {name}
            </li>
          ))}
        </ul>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the chart inside has the focus and the arrow keys */}
      <div
        className={`chart-drawing ${onOpen === undefined ? '' : 'leads'}`}
        onKeyDown={({ key }) => key === 'Enter' && open()}
      >
        <ResponsiveContainer width="100%" height="100%">
          {isLine && parts === undefined && points.length >= LINE_FROM ? (
            <LineChart {...props} onClick={open}>
              {axes}
              <Line
                dataKey="value"
                name={measureName}
                stroke="var(--accent)"
                strokeWidth={2}
                dot={points.length <= DOTS_MAX}
                isAnimationActive={false}
              />
            </LineChart>
          ) : (
            <BarChart {...props}>
              {axes}
              {parts === undefined ? (
                <Bar dataKey="value" name={measureName} fill="var(--accent)" radius={[3, 3, 0, 0]} {...bar} />
              ) : (
                parts.map(({ key, name }, index) => (
                  <Bar key={key} dataKey={key} name={name} stackId="parts" fill={colourOf(index)} {...bar} />
                ))
              )}
            </BarChart>
          )}
        </ResponsiveContainer>
      </div>
    </>
  );

  /** What the tip tells is what opens. */
  function open(): void {
    if (told.current !== undefined) onOpen?.(told.current);
  }

  function shown({ active, payload }: TooltipContentProps) {
    const point = payload?.[0]?.payload as Point | undefined;
    told.current = active ? point : undefined;
    if (!active || point === undefined) return null;
    return (
      <div className="chart-tip">
        <strong>{nameOf(point.group)}</strong>
        <span>
          {measureName}: {point.value === null ? '–' : format.number(point.value, DIGITS)}
        </span>
        {parts?.map(({ key, name, values }, index) => (
          <span key={key}>
            <span className="chart-swatch" style={{ background: colourOf(index) }} />
            {name}: {format.number(values.get(point.key) ?? 0, DIGITS)}
          </span>
        ))}
      </div>
    );
  }
}

/** The seventh, all others together, is grey. */
const colourOf = (index: number): string => `var(--part-${index + 1})`;

const TICK = { fill: 'var(--ink-quiet)', fontSize: 12 };
const CURSOR = { fill: 'var(--hover)', stroke: 'var(--line-strong)' };
