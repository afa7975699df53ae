// The shared users of the organization, as a list of any length.

import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { clientOf, type SharedUser } from '../api/client.ts';
import { useSentence } from '../messages/problem.ts';
import { PersonName } from '../values/show/user.tsx';
import { PAGE_SIZE } from './list-end.ts';
import { FIRST_PAGE, type PeopleSource, usePeoplePages } from './list-pages.ts';
import { Managers } from './Managers.tsx';
import { PeopleList } from './PeopleList.tsx';
import { PeopleSearch } from './PeopleSearch.tsx';

interface SharedUsersTabProps {
  readonly application: string;
  readonly search: string;
}

export function SharedUsersTab(props: SharedUsersTabProps) {
  return (
    <Managers application={props.application} shared>
      {() => <SharedUsers {...props} />}
    </Managers>
  );
}

function SharedUsers({ application, search }: SharedUsersTabProps) {
  const t = useTranslations('people');
  const sentence = useSentence();
  const navigate = useNavigate();
  const source: PeopleSource<SharedUser> = {
    key: [application, 'people', 'sharedUsers', search],
    fetch: async (page, signal) => {
      const found = search === '' ? {} : { search };
      return (await clientOf(application).raw.listSharedUsers({ ...page, ...found }, { signal })).body;
    },
    total: undefined,
  };
  const rows = usePeoplePages(source, FIRST_PAGE);
  const onSearch = (text: string) =>
    void navigate({
      to: '/$application/people/shared',
      params: { application },
      search: text === '' ? {} : { search: text },
      replace: true,
    });
  return (
    <>
      <div className="people-bar">
        <PeopleSearch value={search} placeholder={t('sharedSearchPlaceholder')} onSearch={onSearch} />
        <span className="grid-count" role="status">
          {!rows.isPending &&
            rows.error === undefined &&
            (rows.complete ? t('count', { count: rows.count }) : t('more', { count: rows.count - PAGE_SIZE }))}
        </span>
        <Link to="/$application/people/shared/new" params={{ application }} className="button primary">
          {t('createShared')}
        </Link>
      </div>
      {rows.error !== undefined && (
        <p role="alert" className="notice">
          {sentence(rows.error)}
        </p>
      )}
      {rows.complete && rows.count === 0 && !rows.isPending ? (
        <div className="empty">
          <p>{t('nobodyFound', { search })}</p>
        </div>
      ) : (
        <PeopleList
          key={search}
          label={t('shared')}
          nameLabel={t('name')}
          source={source}
          columns={[{ id: 'email', name: t('email'), show: ({ email }) => email }]}
          showName={(user) => (
            <>
              <Link
                to="/$application/people/shared/$sharedUser"
                params={{ application, sharedUser: user.id }}
                className="people-link"
                tabIndex={-1}
              >
                <PersonName person={user} />
              </Link>
              {user.disabled && <span className="mark wrong">{t('disabled')}</span>}
            </>
          )}
          onOpen={({ id }) =>
            void navigate({ to: '/$application/people/shared/$sharedUser', params: { application, sharedUser: id } })
          }
        />
      )}
    </>
  );
}
