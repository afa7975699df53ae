// Says on a record's page that changes to it wait in this browser.

import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { forgetDraft, keptDraft } from './draft.ts';

export function DraftNotice({ place, onEdit }: { readonly place: string; readonly onEdit: () => void }) {
  const t = useTranslations('record');
  const [waiting, setWaiting] = useState(() => keptDraft(place) !== undefined);
  if (!waiting) return null;
  return (
    <div className="message record-draft">
      <p>{t('waiting')}</p>
      <Button className="button" onPress={onEdit}>
        {t('goOn')}
      </Button>
      <Button
        className="button quiet"
        onPress={() => {
          forgetDraft(place);
          setWaiting(false);
        }}
      >
        {t('discard')}
      </Button>
    </div>
  );
}
