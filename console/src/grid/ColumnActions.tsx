// The menu of a column.

import { MenuItem, Separator } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { MenuPopover } from '../frame/MenuPopover.tsx';
import type { Opened } from '../frame/Opener.tsx';
import type { ColumnAction } from './column-changes.ts';

/** A line stands before these. */
const SECTIONS: readonly ColumnAction[] = ['moveLeft', 'wider', 'hide'];
/** Often done several times in a row. */
const REPEATED: readonly ColumnAction[] = ['wider', 'narrower'];

interface ColumnActionsProps {
  readonly opened: Opened;
  readonly name: string;
  readonly actions: readonly ColumnAction[];
  readonly onAction: (action: ColumnAction) => void;
}

export function ColumnActions({ opened, name, actions, onAction }: ColumnActionsProps) {
  const t = useTranslations('columns');
  return (
    <MenuPopover
      opened={opened}
      placement="bottom end"
      label={t('menu', { name })}
      onAction={(key) => onAction(key as ColumnAction)}
    >
      {actions.flatMap((action, index) => [
        ...(index > 0 && SECTIONS.includes(action)
          ? [<Separator key={`before-${action}`} className="menu-line" />]
          : []),
        <MenuItem key={action} id={action} className="menu-item" shouldCloseOnSelect={!REPEATED.includes(action)}>
          {t(action)}
        </MenuItem>,
      ])}
    </MenuPopover>
  );
}
