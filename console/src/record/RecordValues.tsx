// All values of a record, as people read them.

import { lazy, Suspense } from 'react';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition, RawRecord } from '../api/client.ts';
import { ShownValue } from '../values/show/ShownValue.tsx';
import { whereIn } from '../values/where.ts';

const LocationMap = lazy(async () => ({ default: (await import('../values/map/LocationMap.tsx')).LocationMap }));

interface RecordValuesProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly record: RawRecord;
}

export function RecordValues({ application, collection, record }: RecordValuesProps) {
  const t = useTranslations('record');
  const where = { application, collection: collection.id, in: 'page' } as const;
  return (
    <dl className="record-values">
      {collection.columns.map((column) => {
        const value = record.values[column.id];
        return (
          <div key={column.id} className="record-value">
            <dt>{column.name}</dt>
            <dd>
              {value === undefined ? (
                <span className="hint">{t('empty')}</span>
              ) : (
                <ShownValue value={value} where={whereIn(column, where)} />
              )}
              {value?.type === 'Location' && (
                <Suspense>
                  <LocationMap label={column.name} location={value} />
                </Suspense>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
