// The columns of a collection's grid as the view arranges them.

import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition } from '../api/client.ts';
import { type ColumnSettings, shownColumns } from './column-settings.ts';
import { type GridColumn, gridColumns, type MetadataKey } from './grid-columns.ts';

interface GridColumns {
  readonly all: readonly GridColumn[];
  readonly shown: readonly GridColumn[];
}

export function useGridColumns(collection: CollectionDefinition, settings: ColumnSettings): GridColumns {
  const t = useTranslations('grid');
  const all = useMemo(() => gridColumns(collection, (key) => t(METADATA_NAMES[key])), [collection, t]);
  const shown = useMemo(() => {
    const byId = new Map(all.map((column) => [column.id, column]));
    return shownColumns([...byId.keys()], settings).flatMap((id) => byId.get(id) ?? []);
  }, [all, settings]);
  return { all, shown };
}

const METADATA_NAMES = {
  createdAt: 'created',
  createdBy: 'createdBy',
  updatedAt: 'updated',
  updatedBy: 'updatedBy',
} as const satisfies Record<MetadataKey, string>;
