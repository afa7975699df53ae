// A list of people of any length: rows in sight only, moved through by the keyboard like the grid.

import { type ReactNode, useRef, useState } from 'react';
import { useNarrow } from '../frame/narrow.ts';
import { moved } from '../grid/keys.ts';
import { ROW_HEIGHT, useRowWindow } from '../grid/row-window.ts';
import { type PeopleSource, usePeoplePages } from './list-pages.ts';

/** On a phone, as in the style sheet: the name, and below it the rest in a second line. */
const NARROW_ROW_HEIGHT = 60;

export interface PeopleColumn<Person> {
  readonly id: 'email' | 'profile' | 'team' | 'rights' | 'state';
  readonly name: string;
  readonly show: (person: Person) => ReactNode;
}

interface PeopleListProps<Person> {
  readonly label: string;
  readonly nameLabel: string;
  readonly source: PeopleSource<Person>;
  readonly columns: readonly PeopleColumn<Person>[];
  /** A link to the person's page. */
  readonly showName: (person: Person) => ReactNode;
  readonly onOpen: (person: Person) => void;
}

export function PeopleList<Person extends { readonly id: string; readonly disabled: boolean }>({
  label,
  nameLabel,
  source,
  columns,
  showName,
  onOpen,
}: PeopleListProps<Person>) {
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const [seen, setSeen] = useState({ first: 0, last: 0 });
  const rows = usePeoplePages(source, seen);
  const rowHeight = useNarrow() ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
  const window = useRowWindow(scroller, rows.count, ROW_HEIGHT, rowHeight);
  // The window depends on the count and the pages on the window; this settles in one more round.
  if (window.first !== seen.first || window.last !== seen.last) setSeen({ first: window.first, last: window.last });

  function onKeyDown(event: React.KeyboardEvent): void {
    if (event.target !== event.currentTarget) return;
    const person = rows.at(active);
    if (event.key === 'Enter' && person !== undefined) {
      onOpen(person);
      return;
    }
    const pageRows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2);
    const next = moved({ row: active, column: 0 }, event, { rows: rows.count, columns: 1, pageRows });
    if (next === undefined) return;
    event.preventDefault();
    setActive(next.row);
    window.scrollTo(next.row);
  }

  const shown = Array.from(
    { length: Math.max(0, window.last - window.first + 1) },
    (_, offset) => window.first + offset,
  );
  const layout = `people-row ${columns.some(({ id }) => id === 'team') ? 'with-team' : ''} ${
    columns.some(({ id }) => id === 'profile') ? '' : 'short'
  }`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element cannot be windowed this way
    <div
      role="grid"
      ref={scroller}
      className="grid-scroller people-list"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rows.complete ? rows.count + 1 : -1}
      aria-activedescendant={`person-${active}`}
      onKeyDown={onKeyDown}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      <div role="row" className={`${layout} people-head`} tabIndex={-1}>
        <HeadCell id="name" name={nameLabel} />
        {columns.map(({ id, name }) => (
          <HeadCell key={id} id={id} name={name} />
        ))}
      </div>
      <div className="grid-body" style={{ height: window.height }}>
        <div className="people-rows" style={{ transform: `translateY(${window.top}px)` }}>
          {shown.map((row) => {
            const person = rows.at(row);
            return (
              // biome-ignore lint/a11y/useSemanticElements: see above
              <div
                key={row}
                role="row"
                id={`person-${row}`}
                aria-rowindex={row + 2}
                tabIndex={-1}
                className={`${layout} ${row === active ? 'active' : ''} ${person?.disabled === true ? 'disabled' : ''}`}
              >
                {person === undefined ? (
                  <Cell id="name">
                    <span className="grid-waiting" />
                  </Cell>
                ) : (
                  <>
                    <Cell id="name">{showName(person)}</Cell>
                    {columns.map(({ id, show }) => (
                      <Cell key={id} id={id}>
                        {show(person)}
                      </Cell>
                    ))}
                  </>
                )}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function HeadCell({ id, name }: { readonly id: string; readonly name: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    <div role="columnheader" tabIndex={-1} className={`people-cell ${id}`}>
      {name}
    </div>
  );
}

function Cell({ id, children }: { readonly id: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    <div role="gridcell" tabIndex={-1} className={`people-cell ${id}`}>
      {children}
    </div>
  );
}
