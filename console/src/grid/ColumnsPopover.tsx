// The list of columns in its popover.

import { Dialog, Popover } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { Opened } from '../frame/Opener.tsx';
import { ColumnsList, type ColumnsListProps } from './ColumnsList.tsx';

export function ColumnsPopover({ opened, ...list }: ColumnsListProps & { readonly opened: Opened }) {
  const t = useTranslations('columns');
  return (
    <Popover {...opened} className="popover columns-popover" placement="bottom end">
      <Dialog className="columns" aria-label={t('title')}>
        <ColumnsList {...list} />
      </Dialog>
    </Popover>
  );
}
