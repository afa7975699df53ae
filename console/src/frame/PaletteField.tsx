// The field of the palette while the palette itself is being loaded: what is typed meanwhile is handed to it.

import type { RefObject } from 'react';
import { useTranslations } from 'use-intl';

export interface Typed {
  readonly text: string;
  /** Enter came after it: the first that fits is meant. */
  readonly isEntered: boolean;
}

export const NOTHING_TYPED: Typed = { text: '', isEntered: false };

interface PaletteFieldProps {
  readonly typed: RefObject<Typed>;
  readonly onClose: () => void;
}

export function PaletteField({ typed, onClose }: PaletteFieldProps) {
  const t = useTranslations('palette');
  return (
    <div className="shade">
      <div className="palette" role="dialog" aria-label={t('title')}>
        <input
          className="input"
          aria-label={t('title')}
          placeholder={t('placeholder')}
          // biome-ignore lint/a11y/noAutofocus: whoever asks for the palette types at once
          autoFocus
          onChange={({ target }) => {
            typed.current = { text: target.value, isEntered: false };
          }}
          onKeyDown={({ key }) => {
            if (key === 'Escape') onClose();
            if (key === 'Enter') typed.current = { ...typed.current, isEntered: true };
          }}
        />
      </div>
    </div>
  );
}
