// The users of the application, as a list of any length.

import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { clientOf, type ManagementUser } from '../api/client.ts';
import { groupsQuery } from '../api/people.ts';
import { useSentence } from '../messages/problem.ts';
import { PersonName } from '../values/show/user.tsx';
import { PAGE_SIZE } from './list-end.ts';
import { FIRST_PAGE, type PeopleSource, usePeoplePages } from './list-pages.ts';
import { type Manager, Managers } from './Managers.tsx';
import { type PeopleColumn, PeopleList } from './PeopleList.tsx';
import { PeopleSearch } from './PeopleSearch.tsx';
import { RIGHTS } from './rights.ts';

interface UsersTabProps {
  readonly application: string;
  readonly search: string;
}

export function UsersTab({ application, search }: UsersTabProps) {
  return <Managers application={application}>{(manager) => <Users manager={manager} search={search} />}</Managers>;
}

function Users({ manager, search }: { readonly manager: Manager; readonly search: string }) {
  const { application, caller, definition } = manager;
  const t = useTranslations('people');
  const sentence = useSentence();
  const navigate = useNavigate();
  // Every user has a profile, so the profiles count them all.
  const profiles = useQuery(groupsQuery(application, 'profiles')).data;
  const total = search === '' ? profiles?.reduce((sum, { users }) => sum + users, 0) : undefined;
  const source: PeopleSource<ManagementUser> = {
    key: [application, 'people', 'users', search],
    fetch: async (page, signal) => {
      const found = search === '' ? {} : { search };
      return (await clientOf(application).raw.listManagementUsers({ ...page, ...found }, { signal })).body;
    },
    total,
  };
  const rows = usePeoplePages(source, FIRST_PAGE);
  const columns: PeopleColumn<ManagementUser>[] = [
    { id: 'email', name: t('email'), show: ({ email }) => email },
    { id: 'profile', name: t('profile'), show: ({ profile }) => profile.name },
    ...(definition.teamsModeEnabled
      ? [{ id: 'team' as const, name: t('team'), show: (user: ManagementUser) => <Team user={user} /> }]
      : []),
    { id: 'rights', name: t('rights'), show: (user) => <RightMarks user={user} /> },
  ];
  const onSearch = (text: string) =>
    void navigate({
      to: '/$application/people',
      params: { application },
      search: text === '' ? {} : { search: text },
      replace: true,
    });
  return (
    <>
      <div className="people-bar">
        <PeopleSearch value={search} placeholder={t('searchPlaceholder')} onSearch={onSearch} />
        <span className="grid-count" role="status">
          {!rows.isPending &&
            rows.error === undefined &&
            (rows.complete ? t('count', { count: rows.count }) : t('more', { count: rows.count - PAGE_SIZE }))}
        </span>
        <Link to="/$application/people/many" params={{ application }} className="button">
          {t('createMany')}
        </Link>
        <Link to="/$application/people/new" params={{ application }} className="button primary">
          {t('create')}
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
          label={t('users')}
          nameLabel={t('name')}
          source={source}
          columns={columns}
          showName={(user) => (
            <>
              <Link
                to="/$application/people/users/$user"
                params={{ application, user: user.id }}
                className="people-link"
                tabIndex={-1}
              >
                <PersonName person={user} />
              </Link>
              {user.id === caller.user.id && <span className="mark">{t('you')}</span>}
              {user.disabled && <span className="mark wrong">{t('disabled')}</span>}
            </>
          )}
          onOpen={({ id }) =>
            void navigate({ to: '/$application/people/users/$user', params: { application, user: id } })
          }
        />
      )}
    </>
  );
}

function Team({ user }: { readonly user: ManagementUser }) {
  const t = useTranslations('people');
  return (
    <>
      <span className="people-team">{user.team?.name}</span>
      {user.teamLeader === true && <span className="mark">{t('leads')}</span>}
    </>
  );
}

/** What is unusual about a user: everybody has API access, so its absence is said instead. */
export function RightMarks({ user }: { readonly user: ManagementUser }) {
  const t = useTranslations('people');
  return (
    <span className="marks">
      {!user.apiAccess && <span className="mark quiet">{t('noApiAccess')}</span>}
      {RIGHTS.filter((right) => right !== 'apiAccess' && user[right]).map((right) => (
        <span key={right} className="mark">
          {t(`short.${right}`)}
        </span>
      ))}
    </span>
  );
}
