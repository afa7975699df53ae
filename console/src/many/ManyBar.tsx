// What can be done with the selected records. It stands below the grid, so that nothing moves under the mouse.

import { lazy, Suspense, useState } from 'react';
import { Button, Toolbar } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition } from '../api/client.ts';
import type { ListQuery } from '../api/list-query.ts';
import type { ColumnSettings } from '../grid/column-settings.ts';
import { EVERYTHING, isNothing, NOTHING, selectedCount } from './record-selection.ts';
import type { Selecting } from './use-selected-records.ts';
import './many.css';

const ManyDialog = lazy(async () => ({ default: (await import('./ManyDialog.tsx')).ManyDialog }));

const ExportDialog = lazy(async () => ({ default: (await import('../moving/ExportDialog.tsx')).ExportDialog }));

interface ManyBarProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly query: ListQuery;
  readonly columns: ColumnSettings;
  readonly total: number | undefined;
  readonly selecting: Selecting;
}

export function ManyBar({ application, collection, query, columns, total, selecting }: ManyBarProps) {
  const t = useTranslations('many');
  const [asking, setAsking] = useState<'edit' | 'delete'>();
  const [exporting, setExporting] = useState(false);
  const { selection, set } = selecting;
  if (isNothing(selection) && asking === undefined && !exporting) return null;
  const count = selectedCount(selection, total);
  const hits = query.search !== '';
  return (
    <>
      <Toolbar className="many-bar" aria-label={t('bar')}>
        <span className="many-count" role="status">
          {count === undefined ? t(hits ? 'selectedAllHits' : 'selectedAll') : t('selected', { count })}
        </span>
        {!selection.all && (
          <Button className="button quiet many-all" onPress={() => set(EVERYTHING)}>
            {total === undefined ? t('allUnknown') : t(hits ? 'allHits' : 'all', { count: total })}
          </Button>
        )}
        <span className="many-space" />
        <Button className="button" onPress={() => setAsking('edit')}>
          {t('edit')}
        </Button>
        <Button className="button" onPress={() => setExporting(true)}>
          {t('export')}
        </Button>
        <Button className="button" onPress={() => setAsking('delete')}>
          {t('delete')}
        </Button>
        <Button className="button quiet many-clear" onPress={() => set(NOTHING)}>
          {t('clear')}
        </Button>
      </Toolbar>
      {exporting && (
        <Suspense>
          <ExportDialog
            application={application}
            collection={collection}
            query={query}
            columns={columns}
            selection={selection}
            onClose={() => setExporting(false)}
          />
        </Suspense>
      )}
      {asking !== undefined && (
        <Suspense>
          <ManyDialog
            asking={asking}
            application={application}
            collection={collection}
            query={query}
            selection={selection}
            onClose={(deleted) => {
              setAsking(undefined);
              if (deleted) set(NOTHING);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
