// Opens the list of columns, and says how many are hidden.

import { useTranslations } from 'use-intl';
import type { CollectionDefinition } from '../api/client.ts';
import { late } from '../frame/late.ts';
import { Opener } from '../frame/Opener.tsx';
import type { ColumnSettings } from './column-settings.ts';
import { useGridColumns } from './use-grid-columns.ts';

const ColumnsPopover = late(async () => (await import('./ColumnsPopover.tsx')).ColumnsPopover);

interface ColumnsButtonProps {
  readonly collection: CollectionDefinition;
  readonly settings: ColumnSettings;
  readonly onColumns: (columns: ColumnSettings) => void;
}

export function ColumnsButton({ collection, settings, onColumns }: ColumnsButtonProps) {
  const t = useTranslations('columns');
  const { all, shown } = useGridColumns(collection, settings);
  const count = all.length - shown.length;
  return (
    <Opener
      opens="dialog"
      className="button grid-columns-button"
      aria-label={count === 0 ? t('button') : t('buttonHidden', { count })}
      opened={(opened) => (
        <ColumnsPopover opened={opened} all={all} shown={shown} settings={settings} onColumns={onColumns} />
      )}
    >
      {t('button')}
      {count > 0 && <span className="hint">{t('hidden', { count })}</span>}
    </Opener>
  );
}
