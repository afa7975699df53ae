// The menu of an opener.

import { Menu, type MenuProps, Popover, type PopoverProps } from 'react-aria-components';
import type { Opened } from './Opener.tsx';

interface MenuPopoverProps extends Pick<MenuProps<object>, 'children' | 'onAction' | 'selectionMode'> {
  readonly opened: Opened;
  readonly label: string;
  readonly className?: string;
  readonly placement: NonNullable<PopoverProps['placement']>;
}

export function MenuPopover({ opened, label, className = '', placement, ...menu }: MenuPopoverProps) {
  return (
    <Popover
      {...opened}
      trigger="MenuTrigger"
      className={`popover ${className}`}
      placement={placement}
      aria-label={label}
    >
      <Menu {...menu} autoFocus="first" aria-label={label} onClose={() => opened.onOpenChange(false)} />
    </Popover>
  );
}
