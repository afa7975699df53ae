// The list of columns: which are shown, in which order, and how many are frozen. It is windowed: there may be hundreds.

import { useMemo, useState } from 'react';
import {
  Button,
  Checkbox,
  GridList,
  GridListItem,
  Group,
  Input,
  Label,
  ListLayout,
  NumberField,
  SearchField,
  useDragAndDrop,
  useFilter,
  Virtualizer,
} from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { Arrangement } from './column-changes.ts';
import {
  arrangeColumns,
  type ColumnSettings,
  chooseColumns,
  DEFAULT_COLUMNS,
  FROZEN_MAX,
  movedBeside,
  shownColumns,
} from './column-settings.ts';
import './columns.css';

const LAYOUT = { rowHeight: 36 };

export interface ColumnsListProps extends Arrangement {
  readonly onColumns: (columns: ColumnSettings) => void;
}

export function ColumnsList({ all, shown, settings, onColumns }: ColumnsListProps) {
  const t = useTranslations('columns');
  const { contains } = useFilter({ sensitivity: 'base' });
  const [words, setWords] = useState('');
  const ids = useMemo(() => all.map(({ id }) => id), [all]);
  // While it is open a column stays where it is, also when it is hidden.
  const [list, setList] = useState(() => shownColumns(ids, { ...settings, hidden: [], rest: true }));
  const byId = useMemo(() => new Map(all.map((column) => [column.id, column])), [all]);
  const items = useMemo(
    () => list.flatMap((id) => byId.get(id) ?? []).filter(({ name }) => words === '' || contains(name, words)),
    [list, byId, words, contains],
  );
  const chosen = new Set(shown.map(({ id }) => id));

  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': byId.get(String(key))?.name ?? '' })),
    // Between the columns that were found there may be others.
    isDisabled: words !== '',
    onReorder: ({ keys, target }) => {
      if (target.dropPosition === 'on') return;
      const beside = { id: String(target.key), position: target.dropPosition };
      const next = movedBeside(list, new Set([...keys].map(String)), beside);
      setList(next);
      onColumns(
        arrangeColumns(
          ids,
          settings,
          next.filter((id) => chosen.has(id)),
        ),
      );
    },
  });

  const choose = (next: ReadonlySet<string>) => onColumns(chooseColumns(ids, settings, next));
  const without = (some: readonly string[]) => new Set([...chosen].filter((id) => !some.includes(id)));
  const toggle = (id: string) => choose(chosen.has(id) ? without([id]) : new Set([...chosen, id]));
  // Only those that are listed; the others stay.
  const found = items.map(({ id }) => id);

  return (
    <>
      <SearchField aria-label={t('find')} value={words} onChange={setWords} autoFocus>
        <Input className="input" placeholder={t('find')} />
      </SearchField>
      <Virtualizer layout={ListLayout} layoutOptions={LAYOUT}>
        <GridList
          className="columns-list"
          aria-label={t('title')}
          items={items}
          // Not selection of the list's own: a selected item would take all others along when it is dragged.
          onAction={(key) => toggle(String(key))}
          dragAndDropHooks={dragAndDropHooks}
          dependencies={[chosen, words]}
          renderEmptyState={() => <p className="hint columns-nothing">{t('nothing')}</p>}
        >
          {({ id, name }) => (
            <GridListItem id={id} className="columns-item" textValue={name}>
              <Checkbox className="check" aria-label={name} isSelected={chosen.has(id)} onChange={() => toggle(id)} />
              <span className="columns-name" title={name}>
                {name}
              </span>
              {words === '' && (
                <Button slot="drag" className="button icon columns-drag" aria-label={t('drag', { name })}>
                  ⠿
                </Button>
              )}
            </GridListItem>
          )}
        </GridList>
      </Virtualizer>
      <div className="columns-actions">
        <Button className="button quiet" onPress={() => choose(new Set([...chosen, ...found]))}>
          {t('showAll')}
        </Button>
        <Button className="button quiet" onPress={() => choose(without(found))}>
          {t('hideAll')}
        </Button>
        <Button
          className="button quiet"
          onPress={() => {
            setList(ids);
            onColumns(DEFAULT_COLUMNS);
          }}
        >
          {t('reset')}
        </Button>
      </div>
      <NumberField
        className="columns-frozen"
        value={settings.frozen}
        minValue={0}
        maxValue={FROZEN_MAX}
        onChange={(frozen) => Number.isInteger(frozen) && onColumns({ ...settings, frozen })}
      >
        <Label>{t('frozen')}</Label>
        <Group className="columns-stepper">
          <Button slot="decrement" className="button icon" aria-label={t('fewer')}>
            −
          </Button>
          <Input className="input" />
          <Button slot="increment" className="button icon" aria-label={t('more')}>
            +
          </Button>
        </Group>
      </NumberField>
    </>
  );
}
