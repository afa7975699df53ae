// The collections, the columns of the chosen one, and the form of what is chosen.

import { useMemo, useState } from 'react';
import { Button, Input, SearchField, useFilter } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { CollectionForm } from './CollectionForm.tsx';
import { ColumnForm } from './ColumnForm.tsx';
import { type Design, type DesignedCollection, newCollection, newColumn } from './design.ts';
import type { Chosen } from './design-address.ts';
import {
  copyOf,
  freeName,
  inserted,
  removed,
  withCollection,
  withCollections,
  withColumn,
  withColumns,
} from './edits.ts';
import { KeyedList } from './KeyedList.tsx';
import type { Designing } from './use-design.ts';

interface CollectionsPartProps {
  readonly designing: Designing;
  readonly chosen: Chosen;
  readonly onChoose: (chosen: Chosen) => void;
}

export function CollectionsPart({ designing, chosen, onChoose }: CollectionsPartProps) {
  const t = useTranslations('design');
  const { design, problems, change } = designing;
  const { collections } = design;
  const index = Math.max(
    0,
    collections.findIndex(({ key }) => key === chosen.collection),
  );
  const collection = collections[index];
  const [fresh, setFresh] = useState<string>();

  function addCollection(): void {
    const added = newCollection(freeName(t('newCollection'), collections));
    change(withCollections(design, inserted(collections, added, collection?.key)));
    setFresh(added.key);
    onChoose({ collection: added.key });
  }

  function removeCollection(key: string): void {
    const at = collections.findIndex((each) => each.key === key);
    const next = collections[at + 1] ?? collections[at - 1];
    change(withCollections(design, removed(collections, key)));
    onChoose(next === undefined ? {} : { collection: next.key });
  }

  return (
    <div className="design-panes">
      <section className="design-pane" aria-labelledby="design-collections">
        <div className="design-pane-head">
          <h2 id="design-collections">{t('collections')}</h2>
          <Button className="button quiet" aria-label={t('addCollection')} onPress={addCollection}>
            + {t('add')}
          </Button>
        </div>
        <KeyedList
          label={t('collections')}
          items={collections}
          all={collections}
          chosen={collection?.key}
          onChoose={(key) => onChoose({ collection: key })}
          onOrder={(next) => change(withCollections(design, next))}
          onRemove={removeCollection}
          beside={({ columns }) => t('columnCount', { count: columns.length })}
          hasProblem={(item) => problems.has(`/collections/${collections.indexOf(item)}`)}
          dependencies={[problems]}
          empty={t('noCollections')}
        />
      </section>
      {collection !== undefined && (
        <Columns
          key={collection.key}
          {...{ designing, collection, chosen, onChoose, fresh }}
          path={`/collections/${index}`}
          onFresh={setFresh}
          onRemoveCollection={() => removeCollection(collection.key)}
        />
      )}
    </div>
  );
}

interface ColumnsProps extends CollectionsPartProps {
  readonly collection: DesignedCollection;
  readonly path: string;
  readonly fresh: string | undefined;
  readonly onFresh: (key: string) => void;
  readonly onRemoveCollection: () => void;
}

function Columns(props: ColumnsProps) {
  const { designing, collection, path, chosen, fresh, onChoose, onFresh, onRemoveCollection } = props;
  const t = useTranslations('design');
  const { design, problems, change } = designing;
  const { columns } = collection;
  const { contains } = useFilter({ sensitivity: 'base' });
  const [words, setWords] = useState('');
  const shown = useMemo(
    () => (words.trim() === '' ? columns : columns.filter(({ name }) => contains(name, words.trim()))),
    [columns, words, contains],
  );
  const places = useMemo(() => new Map(columns.map(({ key }, index) => [key, index])), [columns]);
  const column = columns.find(({ key }) => key === chosen.column);
  const columnPath = (key: string) => `${path}/columns/${places.get(key)}`;
  const choose = (key?: string) =>
    onChoose({ collection: collection.key, ...(key === undefined ? {} : { column: key }) });
  const to = (next: Design, field?: string) => change(next, field);

  function addColumn(after?: string): void {
    const added = newColumn(freeName(t('newColumn'), columns));
    setWords('');
    to(withColumns(design, collection.key, (all) => inserted(all, added, after)));
    onFresh(added.key);
    choose(added.key);
  }

  function removeColumn(key: string): void {
    const at = places.get(key) ?? 0;
    to(withColumns(design, collection.key, (all) => removed(all, key)));
    choose((columns[at + 1] ?? columns[at - 1])?.key);
  }

  return (
    <>
      <section className="design-pane" aria-labelledby="design-columns">
        <div className="design-pane-head">
          <h2 id="design-columns">{t('columnsOf', { name: collection.name })}</h2>
          <Button className="button quiet" aria-label={t('addColumn')} onPress={() => addColumn(column?.key)}>
            + {t('add')}
          </Button>
        </div>
        <SearchField aria-label={t('findColumn')} value={words} onChange={setWords}>
          <Input className="input" placeholder={t('findColumn')} />
        </SearchField>
        <KeyedList
          label={t('columnsOf', { name: collection.name })}
          items={shown}
          all={columns}
          chosen={column?.key}
          onChoose={choose}
          onOrder={(next) => to(withColumns(design, collection.key, () => next))}
          onRemove={removeColumn}
          beside={(item) => t(`types.${item.type}`)}
          hasProblem={({ key }) => problems.has(columnPath(key))}
          dependencies={[problems, places]}
          empty={t(columns.length === 0 ? 'noColumns' : 'noMatch')}
        />
        <p className="hint design-keys-hint">{t('moveKeys')}</p>
      </section>
      <section
        className="design-pane design-detail"
        aria-label={t(column === undefined ? 'editCollection' : 'editColumn')}
      >
        <div className="design-pane-head">
          <h2>{t(column === undefined ? 'editCollection' : 'editColumn')}</h2>
          {column !== undefined && (
            <Button className="button quiet" onPress={() => choose()}>
              {t('editCollection')}
            </Button>
          )}
        </div>
        {column === undefined ? (
          <CollectionForm
            {...{ design, collection, path, problems }}
            isNew={fresh === collection.key}
            onChange={(to, field) => change(withCollection(design, collection.key, to), field)}
            onRemove={onRemoveCollection}
            onNext={() => addColumn()}
          />
        ) : (
          <ColumnForm
            key={column.key}
            {...{ design, collection, column, problems }}
            path={columnPath(column.key)}
            isNew={fresh === column.key}
            onChange={(to, field) => change(withColumn(design, collection.key, column.key, to), field)}
            onNext={() => addColumn(column.key)}
            onCopy={() => {
              const copy = copyOf(column, freeName(t('copied', { name: column.name }), columns));
              to(withColumns(design, collection.key, (all) => inserted(all, copy, column.key)));
              onFresh(copy.key);
              choose(copy.key);
            }}
            onRemove={() => removeColumn(column.key)}
          />
        )}
      </section>
    </>
  );
}
