// Records on a board: a lane for each value of a column. Moving a card changes the value.

import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { useLocale, useTranslations } from 'use-intl';
import type { RawRecord } from '../../api/client.ts';
import { figuresQuery } from '../../api/figures.ts';
import type { Group } from '../../api/group-figures.ts';
import { useSentence } from '../../messages/problem.ts';
import { Choice } from '../../values/edit/Choice.tsx';
import { ChangeProblem } from '../ChangeProblem.tsx';
import { writeGiven } from '../given-value.ts';
import { useRecordChanges } from '../record-changes.ts';
import type { ViewProps } from '../view-props.ts';
import { LaneList } from './LaneList.tsx';
import { type Lane, laneColumn, laneColumns, lanesOf, laneValue, type NamedLane, shownLanes } from './lanes.ts';
import { NewLane } from './NewLane.tsx';
import '../kinds.css';
import './board.css';

export function Board({ application, collection, query, address, onAddress }: ViewProps) {
  const t = useTranslations('kinds');
  const common = useTranslations('common');
  const locale = useLocale();
  const sentence = useSentence();
  const column = laneColumn(collection, address.by);
  const figures = useQuery({
    ...figuresQuery(application, collection.id, { search: query.search, groupBy: column?.id ?? '' }),
    enabled: column !== undefined,
  });
  const changes = useRecordChanges(application, collection);
  const dragged = useRef<RawRecord>(undefined);
  const [known, setKnown] = useState<readonly Group[]>([]);
  const [asked, setAsked] = useState<ReadonlySet<string>>(new Set());
  if (column === undefined) {
    return (
      <div className="empty">
        <p>{t('noLanes', { name: collection.name })}</p>
      </div>
    );
  }

  const named = (lane: Lane): NamedLane => {
    const value = laneValue(lane.group);
    return { ...lane, name: nameOf(lane.group), newRecord: value === null ? undefined : writeGiven(column.id, value) };
  };
  const lanes = figures.data === undefined ? [] : lanesOf(figures.data.groups, known, column.type, locale).map(named);
  const shown = shownLanes(lanes, asked) as readonly NamedLane[];
  const hidden = lanes.filter((lane) => !shown.includes(lane));

  function move(record: RawRecord, lane: NamedLane): void {
    if (column === undefined) return;
    // A lane that becomes empty stays, so that a card can be moved back.
    setKnown((before) => [...before, ...lanes.map(({ group }) => group)].slice(-LANES_KNOWN));
    void changes.change(record, column.id, laneValue(lane.group));
  }

  return (
    <>
      <div className="view-bar">
        <Choice
          isInline
          label={t('by')}
          value={column.id}
          options={laneColumns(collection)}
          onChange={(id) => {
            setKnown([]);
            setAsked(new Set());
            onAddress({ by: id });
          }}
        />
        {column.type === 'String' && <NewLane onAdd={(text) => setKnown((before) => [...before, text])} />}
        {hidden.length > 0 && (
          <MenuTrigger>
            <Button className="button view-bar-end">{t('moreLanes', { count: hidden.length })}</Button>
            <Popover className="popover board-menu">
              <Menu onAction={(key) => setAsked((before) => new Set([...before, String(key)]))}>
                {hidden.map(({ key, name, count }) => (
                  <MenuItem key={key} id={key} className="menu-item" textValue={name}>
                    <span className="select-name">{name}</span>
                    <span className="lane-count">{t('number', { count })}</span>
                  </MenuItem>
                ))}
              </Menu>
            </Popover>
          </MenuTrigger>
        )}
      </div>
      <ChangeProblem {...changes} />
      {figures.error !== null && (
        <p role="alert" className="notice">
          {sentence(figures.error)}
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by the keyboard */}
      <section className="board" tabIndex={0} aria-label={t('boardOf', { name: collection.name })}>
        {shown.map((lane) => (
          <LaneList
            key={`${column.id} ${lane.key}`}
            application={application}
            collection={collection}
            column={column}
            query={query}
            lane={lane}
            lanes={shown}
            pending={changes.pending}
            dragged={dragged}
            onMove={move}
          />
        ))}
      </section>
    </>
  );

  function nameOf(group: Group): string {
    if (group === null) return t('noValue');
    if (typeof group === 'boolean') return common(group ? 'yes' : 'no');
    if (typeof group === 'object') return group.name;
    return group === '' ? t('emptyText') : String(group);
  }
}

/** As many as the figures have. */
const LANES_KNOWN = 1_000;
