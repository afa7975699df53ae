// Tests whether the provider of an organization can be used, and says what is wrong with it.

import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { type Examination, examineSingleSignOn } from '../../api/organizations.ts';
import { useSentence } from '../../messages/problem.ts';

export function ExaminationButton({ organization }: { readonly organization: string }) {
  const t = useTranslations('organizations');
  const sentence = useSentence();
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState<{ text: string; wrong: boolean }>();

  async function examine(): Promise<void> {
    setBusy(true);
    setSaid(undefined);
    try {
      setSaid(outcomeOf(await examineSingleSignOn(organization)));
    } catch (error) {
      setSaid({ text: sentence(error), wrong: true });
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <Button className="button" isPending={busy} onPress={() => void examine()}>
        {t('test')}
      </Button>
      <p
        role={said?.wrong === true ? 'alert' : 'status'}
        className={said?.wrong === true ? 'message wrong organization-said' : 'message right organization-said'}
      >
        {said?.text}
      </p>
    </>
  );

  function outcomeOf(examination: Examination | null): { text: string; wrong: boolean } {
    if (examination === null) return { text: t('off'), wrong: true };
    const { description, keys } = examination;
    if (!description.ok) return { text: t('noDescription', { reason: description.reason ?? '' }), wrong: true };
    if (keys?.ok !== true) return { text: t('noKeys', { reason: keys?.reason ?? '' }), wrong: true };
    return { text: t('fine'), wrong: false };
  }
}
