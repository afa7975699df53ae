// Records as cards with pictures. As in the grid, only what is in sight is loaded and on the page.

import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { usePages } from '../../api/pages.ts';
import { useRowWindow } from '../../grid/row-window.ts';
import { Choice } from '../../values/edit/Choice.tsx';
import type { ViewProps } from '../view-props.ts';
import { Card } from './Card.tsx';
import { movedCard } from './keys.ts';
import { NO_PICTURE, pictureColumn, pictureColumns } from './picture.ts';
import '../kinds.css';
import './cards.css';

/** As in cards.css, with the gap between cards. */
const CARD_WIDTH = 240;
const GAP = 16;
const HEIGHTS = { plain: 140, pictured: 308 } as const;

export function Cards({ application, collection, query, total, address, onAddress }: ViewProps) {
  const t = useTranslations('kinds');
  const scroller = useRef<HTMLDivElement>(null);
  const perRow = useCardsPerRow(scroller);
  const [seen, setSeen] = useState({ first: 0, last: 0 });
  const [active, setActive] = useState(0);
  const focusing = useRef(false);

  const picture = pictureColumn(collection, address.by);
  const rowHeight = (picture === undefined ? HEIGHTS.plain : HEIGHTS.pictured) + GAP;
  const rows = usePages(application, collection.id, query, seen);
  const count = rows.complete ? rows.count : (total ?? rows.count);
  const window = useRowWindow(scroller, Math.ceil(count / perRow), 2 * GAP, rowHeight);
  const first = window.first * perRow;
  const last = Math.min(count, (window.last + 1) * perRow) - 1;
  if (first !== seen.first || last !== seen.last) setSeen({ first, last: Math.max(first, last) });

  // A card beyond the edge is on the page only after the scroll.
  useEffect(() => {
    if (!focusing.current) return;
    const link = scroller.current?.querySelector<HTMLElement>(`[data-card="${active}"] a`);
    if (link == null) return;
    focusing.current = false;
    link.focus({ preventScroll: true });
  });

  function onKeyDown(event: React.KeyboardEvent): void {
    const pageRows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight));
    const next = movedCard(active, event, { count, perRow, pageRows });
    if (next === undefined) return;
    event.preventDefault();
    focusing.current = true;
    setActive(next);
    window.scrollTo(Math.floor(next / perRow));
  }

  const pictures = pictureColumns(collection);
  const shown = Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset);
  return (
    <>
      {pictures.length > 0 && (
        <div className="view-bar">
          <Choice
            isInline
            label={t('picture')}
            value={picture?.id ?? NO_PICTURE}
            options={[...pictures, { id: NO_PICTURE, name: t('noPicture') }]}
            onChange={(id) => onAddress({ by: id })}
          />
        </div>
      )}
      <section className="cards-scroller" ref={scroller} aria-label={t('cards', { name: collection.name })}>
        <div className="cards-body" style={{ height: window.height }}>
          <ul
            className={`cards ${picture === undefined ? '' : 'pictured'}`}
            style={{
              transform: `translateY(${window.top}px)`,
              gridTemplateColumns: `repeat(${perRow}, minmax(0, 1fr))`,
            }}
            onKeyDown={onKeyDown}
          >
            {shown.map((index) => {
              const record = rows.at(index);
              return (
                <li key={index} data-card={index} aria-posinset={index + 1} aria-setsize={rows.complete ? count : -1}>
                  {record === undefined ? (
                    <div className="card waiting" />
                  ) : (
                    <Card
                      key={record.id}
                      application={application}
                      collection={collection}
                      record={record}
                      picture={picture}
                      tabIndex={index === clamp(active, first, last) ? 0 : -1}
                      onFocus={() => setActive(index)}
                    />
                  )}
                </li>
              );
            })}
          </ul>
        </div>
      </section>
    </>
  );
}

/** One card in sight can always be reached by Tab. */
const clamp = (active: number, first: number, last: number): number => Math.min(last, Math.max(first, active));

function useCardsPerRow(scroller: React.RefObject<HTMLElement | null>): number {
  const [perRow, setPerRow] = useState(4);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const read = () => setPerRow(Math.max(1, Math.floor((element.clientWidth - GAP) / (CARD_WIDTH + GAP))));
    read();
    const sizes = new ResizeObserver(read);
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [scroller]);
  return perRow;
}
