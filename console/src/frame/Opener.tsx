// A button that opens a menu or a popover. What it opens is loaded after the page, since it is a good part of the code.

import { type ReactNode, Suspense, useRef, useState } from 'react';
import { Button, type ButtonProps } from 'react-aria-components';

/** For the popover: where it stands, and how it ends. */
export interface Opened {
  readonly triggerRef: React.RefObject<HTMLButtonElement | null>;
  readonly isOpen: true;
  readonly onOpenChange: (open: boolean) => void;
}

interface OpenerProps extends Pick<ButtonProps, 'aria-label' | 'excludeFromTabOrder'> {
  readonly opens: 'menu' | 'dialog';
  readonly className: string;
  readonly children: ReactNode;
  readonly opened: (opened: Opened) => ReactNode;
  readonly onOpenChange?: (open: boolean) => void;
}

export function Opener({ opens, opened, onOpenChange, ...button }: OpenerProps) {
  const [open, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const change = (next: boolean) => {
    setOpen(next);
    onOpenChange?.(next);
  };
  return (
    <>
      <Button
        {...button}
        ref={trigger}
        aria-haspopup={opens}
        aria-expanded={open}
        onPress={() => change(true)}
        onKeyDown={({ key }) => {
          if (opens === 'menu' && (key === 'ArrowDown' || key === 'ArrowUp')) change(true);
        }}
      />
      {open && <Suspense>{opened({ triggerRef: trigger, isOpen: true, onOpenChange: change })}</Suspense>}
    </>
  );
}
