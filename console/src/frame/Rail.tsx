// The rail on the left: the application's collections, the palette, and the account.

import { Link } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition, Session } from '../api/client.ts';
import { PersonName } from '../values/show/user.tsx';
import { MODIFIER } from './keys.ts';
import { late } from './late.ts';
import { ManagePages } from './ManagePages.tsx';
import { Mark } from './Mark.tsx';
import { Opener } from './Opener.tsx';

const AccountMenu = late(async () => (await import('./AccountMenu.tsx')).AccountMenu);

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
        <kbd>{MODIFIER} K</kbd>
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
        <ManagePages application={application} session={session} />
      </nav>
      <Account application={application} session={session} onLeave={onLeave} />
    </div>
  );
}

function Account({ application, session, onLeave }: Pick<RailProps, 'application' | 'session' | 'onLeave'>) {
  const t = useTranslations('frame');
  return (
    <Opener
      opens="menu"
      className="button rail-account"
      aria-label={t('account', { name: session.user.name })}
      opened={(opened) => <AccountMenu opened={opened} application={application} session={session} onLeave={onLeave} />}
    >
      <PersonName person={session.user} />
    </Opener>
  );
}
