// What else can be done with a collection: bring records in, and take them along.

import { useLocation, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition } from '../api/client.ts';
import type { ListQuery } from '../api/records.ts';
import { late } from '../frame/late.ts';
import { Opener } from '../frame/Opener.tsx';
import type { ColumnSettings } from '../grid/column-settings.ts';
import { EXPORT_HASH } from './export-hash.ts';

const CollectionActions = late(async () => (await import('./CollectionActions.tsx')).CollectionActions);
const ExportDialog = lazy(async () => ({ default: (await import('./ExportDialog.tsx')).ExportDialog }));

interface CollectionMenuProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly query: ListQuery;
  readonly columns: ColumnSettings;
}

export function CollectionMenu({ application, collection, query, columns }: CollectionMenuProps) {
  const t = useTranslations('moving');
  const navigate = useNavigate();
  // In the address, so that it can be opened from anywhere.
  const exporting = useLocation().hash === EXPORT_HASH;
  return (
    <>
      <Opener
        opens="menu"
        className="button icon grid-more"
        aria-label={t('more')}
        opened={(opened) => <CollectionActions opened={opened} application={application} collection={collection.id} />}
      >
        <span aria-hidden="true">⋯</span>
      </Opener>
      {exporting && (
        <Suspense>
          <ExportDialog
            application={application}
            collection={collection}
            query={query}
            columns={columns}
            onClose={() => void navigate({ to: '.', search: true, hash: '', replace: true })}
          />
        </Suspense>
      )}
    </>
  );
}
