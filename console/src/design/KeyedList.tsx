// A list of collections or columns: windowed, chosen by arrow keys or mouse, put in order by dragging or with Alt and the
// arrows.

import type { KeyboardEvent, ReactNode } from 'react';
import { Button, GridList, GridListItem, ListLayout, useDragAndDrop, Virtualizer } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { dropped, shifted } from './edits.ts';

const LAYOUT = { rowHeight: 40 };

export interface ListedItem {
  readonly key: string;
  readonly name: string;
}

interface KeyedListProps<Item extends ListedItem> {
  readonly label: string;
  readonly items: readonly Item[];
  /** All of them, of which `items` may be those that were found. */
  readonly all: readonly Item[];
  readonly chosen: string | undefined;
  readonly onChoose: (key: string) => void;
  readonly onOrder: (items: readonly Item[]) => void;
  readonly onRemove: (key: string) => void;
  /** What is shown beside the name. */
  readonly beside: (item: Item) => ReactNode;
  readonly hasProblem: (item: Item) => boolean;
  /** What the rows depend on besides their items. */
  readonly dependencies: readonly unknown[];
  readonly empty: string;
}

export function KeyedList<Item extends ListedItem>(props: KeyedListProps<Item>) {
  const { label, items, all, chosen, onChoose, onOrder, onRemove, beside, hasProblem, dependencies, empty } = props;
  const t = useTranslations('design');
  const isWhole = items.length === all.length;
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    isDisabled: !isWhole,
    onReorder: ({ keys, target }) => {
      if (target.dropPosition === 'on') return;
      onOrder(dropped(all, new Set([...keys].map(String)), { key: String(target.key), position: target.dropPosition }));
    },
  });

  function onKey(event: KeyboardEvent): void {
    if (chosen === undefined) return;
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined;
    if (event.altKey && by !== undefined && isWhole) onOrder(shifted(all, chosen, by));
    else if (event.key === 'Delete') onRemove(chosen);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    // The keys of the list come first here, because it would take Alt with an arrow for the arrow.
    <div className="design-list-frame" onKeyDownCapture={onKey}>
      <Virtualizer layout={ListLayout} layoutOptions={LAYOUT}>
        <GridList
          className="design-list"
          aria-label={label}
          items={items.map((item) => itemOf(item))}
          selectionMode="single"
          selectionBehavior="replace"
          disallowEmptySelection
          selectedKeys={chosen === undefined ? [] : [chosen]}
          onSelectionChange={(keys) => {
            const [key] = keys === 'all' ? [] : keys;
            if (key !== undefined) onChoose(String(key));
          }}
          dragAndDropHooks={dragAndDropHooks}
          dependencies={[...dependencies, chosen, isWhole]}
          renderEmptyState={() => <p className="hint design-nothing">{empty}</p>}
        >
          {({ item }) => {
            const name = item.name.trim() === '' ? t('untitled') : item.name;
            return (
              <GridListItem id={item.key} className="design-item" textValue={name}>
                <Button slot="drag" className="design-drag" aria-label={t('drag', { name })} isDisabled={!isWhole}>
                  ⠿
                </Button>
                <span className="design-item-name" title={item.name}>
                  <bdi>{name}</bdi>
                </span>
                {hasProblem(item) && (
                  <span className="design-mark" role="img" aria-label={t('hasProblem')}>
                    !
                  </span>
                )}
                <span className="design-item-beside">{beside(item)}</span>
              </GridListItem>
            );
          }}
        </GridList>
      </Virtualizer>
    </div>
  );
}

/** The list remembers what it made of an object; the same item gives the same one. */
const wrapped = new WeakMap<object, { readonly id: string; readonly item: never }>();

function itemOf<Item extends ListedItem>(item: Item): { readonly id: string; readonly item: Item } {
  const known = wrapped.get(item) as { readonly id: string; readonly item: Item } | undefined;
  if (known !== undefined) return known;
  const made = { id: item.key, item };
  wrapped.set(item, made as never);
  return made;
}
