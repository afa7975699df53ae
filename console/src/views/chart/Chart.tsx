// Figures of the records as a chart, and as a table of the same numbers. A group leads to its records.

import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Button } from 'react-aria-components';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import { figuresQuery } from '../../api/figures.ts';
import type { Group } from '../../api/group-figures.ts';
import { useSentence } from '../../messages/problem.ts';
import { Choice } from '../../values/edit/Choice.tsx';
import { dateOfDay } from '../days.ts';
import { isMember, isUnit, MEMBER_NAMES, UNITS, type Unit, writeBy } from '../grouping.ts';
import { both, groupCondition } from '../search-terms.ts';
import type { ViewProps } from '../view-props.ts';
import { groupChoices, groupingOf, type Measure, measureChoices, measureOf, measureText } from './chart-choices.ts';
import { FigureTable } from './FigureTable.tsx';
import { fittingUnit } from './fitting-unit.ts';
import { splitChoices, splitOf } from './layers.ts';
import { BARS_MAX, drawn, firstDay, type Point, seriesOf } from './series.ts';
import { useLayers } from './use-layers.ts';
import '../kinds.css';
import './chart.css';

const Drawing = lazy(async () => ({ default: (await import('./Drawing.tsx')).Drawing }));

interface NameForm {
  /** Of a time. */
  readonly unit?: Unit | undefined;
  /** For an axis. */
  readonly short?: boolean | undefined;
}

export function Chart({ application, collection, query, address, onAddress }: ViewProps) {
  const t = useTranslations('kinds');
  const grid = useTranslations('grid');
  const common = useTranslations('common');
  const format = useFormatter();
  const locale = useLocale();
  const sentence = useSentence();
  const navigate = useNavigate();

  const chosen = groupingOf(collection, address.by);
  const measure = measureOf(collection, address.measure);
  const asked = (groupBy: string, measured: string) =>
    figuresQuery(application, collection.id, { search: query.search, groupBy, measure: measured });
  const isOpen = chosen.isTime && chosen.unit === undefined;
  const months = useQuery({ ...asked(writeBy({ key: chosen.key, unit: 'month' }), 'count'), enabled: isOpen });
  const unit = isOpen ? months.data && fittingUnit(months.data.groups) : chosen.unit;
  const grouping = { ...chosen, unit };
  const figures = useQuery({
    ...asked(writeBy(grouping), measureText(measure)),
    enabled: !isOpen || unit !== undefined,
    // The groups of another column have other names.
    placeholderData: (before) => (before?.groupBy === writeBy(grouping) ? before : undefined),
  });
  const points = seriesOf(figures.data?.groups ?? [], grouping.unit, measure.kind === 'count', locale);
  const shown = drawn(points, grouping.unit);
  const split = splitOf(collection, { split: address.split, key: grouping.key, measure });
  const { layers, error: splitError } = useLayers({
    ...{ application, collection: collection.id, search: query.search, split, points },
    groupBy: writeBy(grouping),
    measure: measureText(measure),
  });
  const problem = figures.error ?? months.error ?? splitError ?? null;

  const keyName = (key: string) =>
    isMember(key) ? grid(MEMBER_NAMES[key]) : (collection.columns.find(({ id }) => id === key)?.name ?? key);
  const measureName = ({ kind, column }: Measure) =>
    kind === 'count' || column === undefined ? t('count') : t(kind, { name: column.name });
  const searchOf = (point: Point): string | undefined =>
    grouping.searchable && point.count > 0
      ? both(query.search, groupCondition(grouping.key, point.group, grouping.unit))
      : undefined;
  function open(point: Point): void {
    const search = searchOf(point);
    if (search === undefined) return;
    void navigate({
      to: '/$application/$collection',
      params: { application, collection: collection.id },
      search: { search },
    });
  }

  const named = { measure: measureName(measure), group: keyName(grouping.key) };
  const title = split === undefined ? t('chartOf', named) : t('splitChartOf', { ...named, split: keyName(split) });
  const isSplit = split !== undefined;
  const parts = isSplit
    ? layers?.map(({ group, ...layer }) => ({ ...layer, name: group === undefined ? t('others') : nameOf(group) }))
    : undefined;
  return (
    <div className="chart-view">
      <div className="view-bar">
        <Choice
          isInline
          label={t('measure')}
          value={measureText(measure)}
          options={measureChoices(collection).map((each) => ({ id: measureText(each), name: measureName(each) }))}
          onChange={(id) => onAddress({ measure: id === 'count' ? undefined : id })}
        />
        <Choice
          isInline
          label={t('by')}
          value={grouping.key}
          options={groupChoices(collection).map(({ key }) => ({ id: key, name: keyName(key) }))}
          onChange={(key) => onAddress({ by: key })}
        />
        {grouping.unit !== undefined && (
          <Choice
            isInline
            label={t('per')}
            value={grouping.unit}
            options={UNITS.map((id) => ({ id, name: t(id) }))}
            onChange={(unit) => isUnit(unit) && onAddress({ by: writeBy({ key: grouping.key, unit }) })}
          />
        )}
        {(measure.kind === 'count' || measure.kind === 'sum') && (
          <Choice
            isInline
            label={t('splitBy')}
            value={split ?? ''}
            options={[
              { id: '', name: t('notSplit') },
              ...splitChoices(collection, grouping.key).map((key) => ({ id: key, name: keyName(key) })),
            ]}
            onChange={(key) => onAddress({ split: key === '' ? undefined : key })}
          />
        )}
        <Button className="button view-bar-end" onPress={() => print()}>
          {t('print')}
        </Button>
      </div>
      {problem !== null && (
        <p role="alert" className="notice">
          {sentence(problem)}
        </p>
      )}
      {figures.data !== undefined && (!isSplit || parts !== undefined) && (
        <div className="chart-page">
          <h2>{title}</h2>
          {figures.data.more && <p className="hint">{t('moreGroups')}</p>}
          {grouping.unit === undefined && points.length > BARS_MAX && (
            <p className="hint">{t('largest', { count: BARS_MAX })}</p>
          )}
          <Suspense fallback={<div className="chart-drawing" />}>
            <Drawing
              title={title}
              measureName={measureName(measure)}
              points={shown}
              isLine={grouping.unit !== undefined}
              parts={parts}
              nameOf={(group, short) => nameOf(group, { unit: grouping.unit, short })}
              onOpen={grouping.searchable ? open : undefined}
            />
          </Suspense>
          <FigureTable
            application={application}
            collection={collection.id}
            groupName={keyName(grouping.key)}
            measureName={measure.kind === 'count' ? undefined : measureName(measure)}
            points={points}
            parts={parts}
            nameOf={(group) => nameOf(group, { unit: grouping.unit })}
            searchOf={searchOf}
          />
        </div>
      )}
    </div>
  );

  function nameOf(group: Group, { unit, short = false }: NameForm = {}): string {
    if (group === null) return t('noValue');
    if (typeof group === 'boolean') return common(group ? 'yes' : 'no');
    if (typeof group === 'number') return format.number(group);
    if (typeof group === 'object') return group.name;
    if (unit === undefined) return group === '' ? t('emptyText') : group;
    const day = dateOfDay(firstDay(group, unit));
    const year = { year: 'numeric', timeZone: 'UTC' } as const;
    if (unit === 'year') return format.dateTime(day, year);
    if (unit === 'month') return format.dateTime(day, { ...year, month: short ? 'short' : 'long' });
    const text = format.dateTime(day, { ...year, month: 'short', day: 'numeric' });
    return unit === 'week' && !short ? t('weekFrom', { day: text }) : text;
  }
}
