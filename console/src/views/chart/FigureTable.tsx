// The figures of a chart as a table, for those who want the numbers and for those who cannot see the chart.

import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import type { Group } from '../../api/group-figures.ts';
import type { Part } from './layers.ts';
import type { Point } from './series.ts';

/** Longer tables are shown in steps. */
const ROWS = 100;

interface FigureTableProps {
  readonly application: string;
  readonly collection: string;
  readonly groupName: string;
  /** Undefined where the number of records is all. */
  readonly measureName: string | undefined;
  readonly points: readonly Point[];
  /** Undefined where the chart is not split. */
  readonly parts: readonly Part[] | undefined;
  readonly nameOf: (group: Group) => string;
  readonly searchOf: (point: Point) => string | undefined;
}

export function FigureTable(props: FigureTableProps) {
  const { application, collection, groupName, measureName, points, parts = [], nameOf, searchOf } = props;
  const t = useTranslations('kinds');
  const format = useFormatter();
  const [rows, setRows] = useState(ROWS);
  return (
    <>
      <div className="figures-scroller">
        <table className={`figures ${parts.length > 0 ? 'split' : ''}`}>
          <caption className="unseen">{t('figures')}</caption>
          <thead>
            <tr>
              <th scope="col">{groupName}</th>
              {parts.map(({ key, name }) => (
                <th key={key} scope="col" className="numeric">
                  {name}
                </th>
              ))}
              {measureName !== undefined && (
                <th scope="col" className="numeric">
                  {measureName}
                </th>
              )}
              <th scope="col" className="numeric">
                {t('records')}
              </th>
            </tr>
          </thead>
          <tbody>
            {points.slice(0, rows).map((point) => {
              const search = searchOf(point);
              return (
                <tr key={point.key}>
                  <th scope="row">
                    {search === undefined ? (
                      nameOf(point.group)
                    ) : (
                      <Link to="/$application/$collection" params={{ application, collection }} search={{ search }}>
                        {nameOf(point.group)}
                      </Link>
                    )}
                  </th>
                  {parts.map(({ key, values }) => (
                    <td key={key} className="numeric">
                      {format.number(values.get(point.key) ?? 0, DIGITS)}
                    </td>
                  ))}
                  {measureName !== undefined && (
                    <td className="numeric">{point.value === null ? '–' : format.number(point.value, DIGITS)}</td>
                  )}
                  <td className="numeric">{format.number(point.count)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {points.length > rows && (
        <Button className="button figures-more" onPress={() => setRows(rows + ROWS)}>
          {t('moreRows', { count: points.length - rows })}
        </Button>
      )}
    </>
  );
}

/** Averages have endless digits. */
export const DIGITS = { maximumFractionDigits: 2 } as const;
