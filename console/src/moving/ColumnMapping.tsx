// Which column of the file goes where, and what happens to records that exist already.

import { useTranslations } from 'use-intl';
import type { CollectionDefinition } from '../api/client.ts';
import { Choice } from '../values/edit/Choice.tsx';
import type { Choices, Look } from './choices.ts';
import { keyColumns, withColumn } from './choices.ts';
import { Tick } from './Tick.tsx';
import type { Importing } from './use-import.ts';

interface ColumnMappingProps {
  readonly importing: Importing;
  readonly look: Look;
  readonly choices: Choices;
  readonly collection: CollectionDefinition;
}

const NONE = 'none';

export function ColumnMapping({ importing, look, choices, collection }: ColumnMappingProps) {
  const t = useTranslations('moving');
  const options = [{ id: NONE, name: t('ignore') }, ...collection.columns.map(({ id, name }) => ({ id, name }))];
  return (
    <section className="moving-part" aria-labelledby="moving-columns">
      <h2 id="moving-columns">{t('columns')}</h2>
      <div className="moving-scroll">
        <table className="moving-table moving-mapping">
          <thead>
            <tr>
              <th scope="col">{t('inFile')}</th>
              <th scope="col">{t('examples')}</th>
              <th scope="col">{t('goesTo')}</th>
            </tr>
          </thead>
          <tbody>
            {look.header.map((name, index) => {
              const shown = name === '' ? t('unnamed', { number: index + 1 }) : name;
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: a heading may have empty names
                <tr key={index}>
                  <th scope="row">{shown}</th>
                  <td className="moving-examples">{look.examples[index]}</td>
                  <td className="moving-target">
                    {name !== '' && (
                      <Choice
                        isInline
                        label={t('columnFor', { name: shown })}
                        value={choices.columns[name] ?? NONE}
                        options={options}
                        onChange={(id) => importing.change(withColumn(choices, name, id === NONE ? undefined : id))}
                      />
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <Existing importing={importing} choices={choices} collection={collection} />
    </section>
  );
}

function Existing({ importing, choices, collection }: Omit<ColumnMappingProps, 'look'>) {
  const t = useTranslations('moving');
  const keys = keyColumns(collection, choices);
  if (keys.length === 0) return null;
  const { upsertKey, ...others } = choices;
  return (
    <div className="moving-picks">
      <Choice
        isInline
        label={t('existing')}
        value={upsertKey ?? NONE}
        options={[
          { id: NONE, name: t('createAll') },
          ...keys.map(({ id, name }) => ({ id, name: t('updateBy', { name }) })),
        ]}
        onChange={(id) =>
          importing.change(id === NONE ? { ...others, clearEmpty: false } : { ...choices, upsertKey: id })
        }
      />
      {upsertKey !== undefined && (
        <Tick
          label={t('clearEmpty')}
          isSelected={choices.clearEmpty}
          onChange={(clearEmpty) => importing.change({ ...choices, clearEmpty })}
        />
      )}
    </div>
  );
}
