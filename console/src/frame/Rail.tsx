// The rail on the left: the application's collections, the palette, and the account.

import { Link } from '@tanstack/react-router';
import { Button, Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition, Session } from '../api/client.ts';
import { LANGUAGES, type Language, useLanguage } from '../messages/provider.tsx';
import { PersonName } from '../values/show/user.tsx';
import { Mark } from './Mark.tsx';

interface RailProps {
  readonly application: string;
  readonly name: string;
  readonly collections: readonly CollectionDefinition[];
  readonly session: Session;
  /** On narrow screens the rail is shown only when asked for. */
  readonly open: boolean;
  readonly onFind: () => void;
  readonly onLeave: () => Promise<void>;
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

export function Rail({ application, name, collections, session, open, onFind, onLeave }: RailProps) {
  const t = useTranslations('frame');
  return (
    <div className={`rail ${open ? 'open' : ''}`}>
      <div className="rail-title">
        <Mark />
        <span title={name}>{name}</span>
      </div>
      <Button className="button rail-find" onPress={onFind}>
        <span>{t('find')}</span>
        <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </Button>
      <nav aria-labelledby="rail-collections">
        <h2 id="rail-collections">{t('collections')}</h2>
        <ul>
          {collections.map(({ id, name: label }) => (
            <li key={id}>
              <Link
                to="/$application/$collection"
                params={{ application, collection: id }}
                search={{}}
                className="rail-link"
                activeProps={{ className: 'active' }}
                activeOptions={{ includeSearch: false }}
              >
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Account session={session} onLeave={onLeave} />
    </div>
  );
}

function Account({ session, onLeave }: Pick<RailProps, 'session' | 'onLeave'>) {
  const t = useTranslations('frame');
  const { language, choose } = useLanguage();
  return (
    <MenuTrigger>
      <Button className="button rail-account" aria-label={t('account', { name: session.user.name })}>
        <PersonName person={session.user} />
      </Button>
      <Popover className="popover" placement="top start">
        <Menu
          onAction={(key) => {
            if (key === 'sign-out') void onLeave();
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
            <Header className="menu-heading">{t('signedInAs', { name: session.user.name })}</Header>
            <MenuItem id="sign-out" className="menu-item">
              {t('signOut')}
            </MenuItem>
          </MenuSection>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
