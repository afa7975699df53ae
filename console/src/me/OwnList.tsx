// A list of what a user has opened, with a button that ends each. What is ended leaves the list at once, and comes back with
// the reason if the server refuses.

import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { Button } from 'react-aria-components';
import { useSentence } from '../messages/problem.ts';

interface OwnListProps<Item> {
  readonly title: string;
  readonly hint: string;
  readonly empty: string;
  readonly query: { readonly queryKey: QueryKey; readonly queryFn?: unknown };
  readonly show: (item: Item) => ReactNode;
  readonly end: (item: Item) => Promise<unknown>;
  /** Undefined where the item cannot be ended here. */
  readonly endLabel: (item: Item) => { readonly name: string; readonly action: string } | undefined;
  /** More actions, below the list. */
  readonly children?: (items: readonly Item[]) => ReactNode;
}

export function OwnList<Item extends { readonly id: string }>(props: OwnListProps<Item>) {
  const { title, hint, empty, query, show, end, endLabel, children } = props;
  const queries = useQueryClient();
  const sentence = useSentence();
  const list = useQuery<readonly Item[]>(query as { queryKey: QueryKey; queryFn: () => Promise<readonly Item[]> });
  const [problem, setProblem] = useState<string>();
  const id = useId();

  async function finish(item: Item): Promise<void> {
    setProblem(undefined);
    const before = list.data;
    queries.setQueryData<readonly Item[]>(query.queryKey, (known) => known?.filter((each) => each.id !== item.id));
    try {
      await end(item);
    } catch (error) {
      queries.setQueryData(query.queryKey, before);
      setProblem(sentence(error));
    }
    void queries.invalidateQueries({ queryKey: query.queryKey });
  }

  const items = list.data ?? [];
  return (
    <section className="section" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p className="hint">{hint}</p>
      <p role="alert" className="message wrong">
        {problem ?? (list.isError && list.data === undefined ? sentence(list.error) : '')}
      </p>
      {items.length === 0 && !list.isPending && <p className="hint">{empty}</p>}
      {items.length > 0 && (
        <ul className="own-list" aria-labelledby={id}>
          {items.map((item) => {
            const label = endLabel(item);
            return (
              <li key={item.id}>
                <div className="own-item">{show(item)}</div>
                {label !== undefined && (
                  <Button
                    className="button quiet"
                    aria-label={`${label.action}: ${label.name}`}
                    onPress={() => void finish(item)}
                  >
                    {label.action}
                  </Button>
                )}
              </li>
            );
          })}
        </ul>
      )}
      {children?.(items)}
    </section>
  );
}
