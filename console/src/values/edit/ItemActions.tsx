// The buttons beside an item of an array: up, down, away.

import { useRef } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';

interface ItemActionsProps {
  readonly number: number;
  readonly count: number;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

export function ItemActions({ number, count, onMove, onRemove }: ItemActionsProps) {
  const t = useTranslations('values');
  const actions = useRef<HTMLSpanElement>(null);
  function move(by: -1 | 1): void {
    onMove(by);
    // The item takes its buttons along; the focus goes with them, also where the end disables the one that was pressed.
    requestAnimationFrame(() => {
      const [up, down] = actions.current?.querySelectorAll('button') ?? [];
      const [pressed, other] = by < 0 ? [up, down] : [down, up];
      (pressed?.disabled ? other : pressed)?.focus();
    });
  }
  return (
    <span className="item-actions" ref={actions}>
      <Button
        className="button icon"
        aria-label={t('moveUp', { number })}
        isDisabled={number === 1}
        onPress={() => move(-1)}
      >
        ↑
      </Button>
      <Button
        className="button icon"
        aria-label={t('moveDown', { number })}
        isDisabled={number === count}
        onPress={() => move(1)}
      >
        ↓
      </Button>
      <Button className="button icon" aria-label={t('removeItem', { number })} onPress={onRemove}>
        ×
      </Button>
    </span>
  );
}
