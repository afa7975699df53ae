// What the menu of views has: the kinds, the views that are kept, and what can be done with the one that is open.

import { Header, MenuItem, MenuSection } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { View } from '../api/client.ts';
import { MenuPopover } from '../frame/MenuPopover.tsx';
import type { Opened } from '../frame/Opener.tsx';
import { KINDS, type Kind } from './kinds.ts';
import type { ViewAction } from './ViewMenu.tsx';

interface ViewChoicesProps {
  readonly opened: Opened;
  /** Of the view that is open. */
  readonly name: string;
  readonly kind: Kind;
  readonly saved: View | undefined;
  readonly views: readonly View[];
  readonly actions: readonly ViewAction[];
  /** Takes a kind, the ID of a view, or an action. */
  readonly onChoose: (key: string) => void;
}

export function ViewChoices({ opened, name, kind, saved, views, actions, onChoose }: ViewChoicesProps) {
  const t = useTranslations('views');
  return (
    <MenuPopover
      opened={opened}
      className="view-popover"
      placement="bottom start"
      label={t('menu', { name })}
      selectionMode="none"
      onAction={(key) => onChoose(String(key))}
    >
      <Choices heading={t('kind')} selected={saved === undefined ? kind : undefined}>
        {(Object.keys(KINDS) as Kind[]).map((each) => ({ id: each, name: t(`kinds.${each}`) }))}
      </Choices>
      <Choices heading={t('own')} selected={saved?.id}>
        {views.filter(({ shared }) => !shared)}
      </Choices>
      <Choices heading={t('shared')} selected={saved?.id}>
        {views.filter(({ shared }) => shared)}
      </Choices>
      <MenuSection className="view-actions" aria-label={t('menu', { name })}>
        {actions.map((action) => (
          <MenuItem key={action} id={action} className="menu-item">
            {t(action)}
          </MenuItem>
        ))}
      </MenuSection>
    </MenuPopover>
  );
}

interface ChoicesProps {
  readonly heading: string;
  readonly selected: string | undefined;
  readonly children: readonly { readonly id: string; readonly name: string }[];
}

function Choices({ heading, selected, children }: ChoicesProps) {
  if (children.length === 0) return null;
  return (
    <MenuSection selectionMode="single" selectedKeys={selected === undefined ? [] : [selected]}>
      <Header className="menu-heading">{heading}</Header>
      {children.map(({ id, name }) => (
        <MenuItem key={id} id={id} className="menu-item" textValue={name}>
          <span className="view-item" title={name}>
            {name}
          </span>
        </MenuItem>
      ))}
    </MenuSection>
  );
}
