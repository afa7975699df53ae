// The last step before anything is stored: check the whole file, or import it.

import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { Choices, Look } from './choices.ts';
import { Rejections } from './Rejections.tsx';
import type { Importing } from './use-import.ts';

interface StartBarProps {
  readonly importing: Importing;
  readonly look: Look;
  readonly choices: Choices;
}

export function StartBar({ importing, look, choices }: StartBarProps) {
  const t = useTranslations('moving');
  const { checked, remembered } = importing;
  const isMapped = Object.keys(choices.columns).length > 0;
  const goesOn = remembered !== undefined && remembered.finishedAt === undefined;
  const bad = checked === undefined ? 0 : checked.rejected.length + checked.more;
  return (
    <section className="moving-part">
      {!look.hasRows && <p className="message wrong">{t('empty')}</p>}
      {look.hasRows && !isMapped && <p className="message wrong">{t('nothingMapped')}</p>}
      <p role="status" className="message">
        {checked !== undefined && t('checked', { rows: checked.rows, good: checked.rows - bad, bad })}
      </p>
      {checked !== undefined && bad > 0 && <Rejections importing={importing} rejected={checked.rejected} all={bad} />}
      <div className="moving-buttons">
        <Button
          className="button primary"
          isDisabled={!look.hasRows || !isMapped}
          onPress={() => void importing.run('import')}
        >
          {t(goesOn ? 'goOn' : 'start')}
        </Button>
        <Button className="button" isDisabled={!look.hasRows || !isMapped} onPress={() => void importing.run('check')}>
          {t('check')}
        </Button>
      </div>
    </section>
  );
}
