// The menu of a collection.

import { useNavigate } from '@tanstack/react-router';
import { MenuItem } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { MenuPopover } from '../frame/MenuPopover.tsx';
import type { Opened } from '../frame/Opener.tsx';
import { REQUEST_HASH } from '../requests/request-hash.ts';
import { EXPORT_HASH } from './export-hash.ts';

interface CollectionActionsProps {
  readonly opened: Opened;
  readonly application: string;
  readonly collection: string;
}

export function CollectionActions({ opened, application, collection }: CollectionActionsProps) {
  const t = useTranslations('moving');
  const request = useTranslations('requests')('show');
  const navigate = useNavigate();
  return (
    <MenuPopover opened={opened} placement="bottom end" label={t('more')}>
      <MenuItem
        className="menu-item"
        onAction={() => void navigate({ to: '/$application/$collection/import', params: { application, collection } })}
      >
        {t('import')}
      </MenuItem>
      <MenuItem className="menu-item" onAction={() => void navigate({ to: '.', search: true, hash: EXPORT_HASH })}>
        {t('export')}
      </MenuItem>
      <MenuItem className="menu-item" onAction={() => void navigate({ to: '.', search: true, hash: REQUEST_HASH })}>
        {request}
      </MenuItem>
    </MenuPopover>
  );
}
