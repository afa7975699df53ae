// The link that leads everybody to the application: its address is made of an ID, which nobody can guess or remember.

import { useTranslations } from 'use-intl';
import { CopyButton } from './CopyBox.tsx';

export function ApplicationLink({ application }: { readonly application: string }) {
  const t = useTranslations('people');
  const link = `${location.origin}/console/${application}`;
  return (
    <span className="application-link">
      <code>{link}</code>
      <CopyButton text={link} label={t('copyApplicationLink')} quiet />
    </span>
  );
}
