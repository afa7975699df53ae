// The field of the palette while the palette itself is being loaded: what is typed meanwhile is handed to it.

import type { RefObject } from 'react';
import { useTranslations } from 'use-intl';

interface PaletteFieldProps {
  readonly typed: RefObject<string>;
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
            typed.current = target.value;
          }}
          onKeyDown={({ key }) => key === 'Escape' && onClose()}
        />
      </div>
    </div>
  );
}
