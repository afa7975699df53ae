// The menu of the person who is signed in.

import { useNavigate } from '@tanstack/react-router';
import { Header, MenuItem, MenuSection } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { Session } from '../api/client.ts';
import { LANGUAGES, type Language, useLanguage } from '../messages/provider.tsx';
import { REQUEST_HASH } from '../requests/request-hash.ts';
import { MenuPopover } from './MenuPopover.tsx';
import type { Opened } from './Opener.tsx';

interface AccountMenuProps {
  readonly opened: Opened;
  readonly application: string;
  readonly session: Session;
  readonly onLeave: () => Promise<void>;
}

export function AccountMenu({ opened, application, session, onLeave }: AccountMenuProps) {
  const t = useTranslations('frame');
  const requests = useTranslations('requests');
  const navigate = useNavigate();
  const { language, choose } = useLanguage();
  return (
    <MenuPopover
      opened={opened}
      placement="top start"
      label={t('account', { name: session.user.name })}
      onAction={(key) => {
        if (key === 'sign-out') void onLeave();
        if (key === 'another') void navigate({ to: '/', search: { choose: true } });
        if (key === 'request') void navigate({ to: '.', search: true, hash: REQUEST_HASH });
        if (key === 'me') void navigate({ to: '/$application/me', params: { application } });
      }}
    >
      <MenuSection
        selectionMode="single"
        selectedKeys={[language]}
        onSelectionChange={(keys) => {
          const [chosen] = keys;
          if (chosen !== undefined) choose(chosen as Language);
        }}
      >
        <Header className="menu-heading">{t('language')}</Header>
        {(Object.keys(LANGUAGES) as Language[]).map((each) => (
          <MenuItem key={each} id={each} className="menu-item" textValue={LANGUAGES[each].name}>
            <span lang={each}>{LANGUAGES[each].name}</span>
          </MenuItem>
        ))}
      </MenuSection>
      <MenuSection>
        <Header className="menu-heading">{requests('programs')}</Header>
        <MenuItem id="request" className="menu-item">
          {requests('show')}
        </MenuItem>
        <MenuItem className="menu-item" href={`/docs/${application}`} target="_blank" rel="noreferrer">
          {requests('reference')}
        </MenuItem>
      </MenuSection>
      <MenuSection>
        <Header className="menu-heading">{t('signedInAs', { name: session.user.name })}</Header>
        <MenuItem id="me" className="menu-item">
          {t('myAccount')}
        </MenuItem>
        <MenuItem id="another" className="menu-item">
          {t('otherApplications')}
        </MenuItem>
        <MenuItem id="sign-out" className="menu-item">
          {t('signOut')}
        </MenuItem>
      </MenuSection>
    </MenuPopover>
  );
}
