// Opens the menu of a column, from its head.

import { useTranslations } from 'use-intl';
import { late } from '../frame/late.ts';
import { Opener } from '../frame/Opener.tsx';
import type { ColumnAction } from './column-changes.ts';

const ColumnActions = late(async () => (await import('./ColumnActions.tsx')).ColumnActions);

interface ColumnMenuProps {
  readonly name: string;
  readonly actions: readonly ColumnAction[];
  readonly isReachable: boolean;
  readonly onAction: (action: ColumnAction) => void;
}

export function ColumnMenu({ name, actions, isReachable, onAction }: ColumnMenuProps) {
  const t = useTranslations('columns');
  return (
    <Opener
      opens="menu"
      className="button icon grid-column-menu"
      aria-label={t('menu', { name })}
      excludeFromTabOrder={!isReachable}
      opened={(opened) => <ColumnActions opened={opened} name={name} actions={actions} onAction={onAction} />}
    >
      ▾
    </Opener>
  );
}
