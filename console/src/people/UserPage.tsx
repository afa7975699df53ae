// One user: what they are and may do, how they get in, and the way out.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { CartularyError, clientOf, type ManagementUser } from '../api/client.ts';
import { forgetPeople, userQuery } from '../api/people.ts';
import { NotFound } from '../frame/NotFound.tsx';
import { ProblemPage } from '../frame/ProblemPage.tsx';
import { SessionsOf } from '../me/SessionsOf.tsx';
import { TokensOf } from '../me/TokensOf.tsx';
import { ConfirmByName } from './ConfirmByName.tsx';
import { EnableButton } from './EnableButton.tsx';
import { type Manager, Managers } from './Managers.tsx';
import { PasswordActions } from './PasswordActions.tsx';
import { isGuarded } from './rights.ts';
import { UserForm } from './UserForm.tsx';
import '../record/record.css';
import '../values/values.css';
import './people.css';

interface UserPageProps {
  readonly application: string;
  readonly user: string;
}

export function UserPage({ application, user }: UserPageProps) {
  return <Managers application={application}>{(manager) => <OneUser manager={manager} id={user} />}</Managers>;
}

function OneUser({ manager, id }: { readonly manager: Manager; readonly id: string }) {
  const { application } = manager;
  // What is typed must not be moved under the person's hands; a change of others is seen when it is stored.
  const user = useQuery({ ...userQuery(application, id), refetchOnWindowFocus: false });
  if (user.isPending) return null;
  if (user.data === undefined) {
    const missing = user.error instanceof CartularyError && [400, 404].includes(user.error.status);
    return missing ? <NotFound /> : <ProblemPage error={user.error} reset={() => void user.refetch()} />;
  }
  return <Sheet manager={manager} user={user.data} />;
}

function Sheet({ manager, user }: { readonly manager: Manager; readonly user: ManagementUser }) {
  const { application, caller, definition } = manager;
  const t = useTranslations('people');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const oneself = user.id === caller.user.id;
  const guarded = isGuarded(caller, user);

  async function remove(): Promise<void> {
    await clientOf(application).raw.deleteManagementUser({ userId: user.id });
    queries.removeQueries({ queryKey: userQuery(application, user.id).queryKey });
    forgetPeople(queries, application);
    await navigate({ to: '/$application/people', params: { application }, search: {} });
  }

  return (
    <main className="record-page">
      <title>{`${user.name} – ${t('title')}`}</title>
      <div className="record-sheet">
        <Link to="/$application/people" params={{ application }} search={{}}>
          ← {t('back')}
        </Link>
        <header className="person-head">
          <h1 className="record-title">{user.name}</h1>
          {oneself && <span className="mark">{t('you')}</span>}
          {user.disabled && <span className="mark wrong">{t('disabled')}</span>}
          <code className="hint">{user.id}</code>
        </header>
        {guarded && <p className="message">{t('guardedHint')}</p>}
        <UserForm manager={manager} user={user} guarded={guarded} />
        <section className="section" aria-labelledby="password-title">
          <h2 id="password-title">{t('password')}</h2>
          <PasswordActions manager={manager} user={user} />
        </section>
        {!guarded && (
          <>
            <SessionsOf application={application} userId={user.id} own={oneself} />
            <TokensOf application={application} userId={user.id} own={oneself} />
          </>
        )}
        <section className="section" aria-labelledby="out-title">
          <h2 id="out-title">{t('wayOut')}</h2>
          <p className="hint">
            {oneself ? t('problems.oneself') : definition.sharedUsersModeEnabled ? t('wayOutShared') : t('wayOutHint')}
          </p>
          <div className="record-actions">
            <EnableButton manager={manager} user={user} isDisabled={oneself || guarded} />
            {!definition.sharedUsersModeEnabled && (
              <ConfirmByName
                action={t('delete')}
                title={t('deleteAsk', { name: user.name })}
                consequences={[t('deleteEnds'), t('deleteKeeps'), t('deleteName')]}
                name={user.name}
                isDisabled={oneself || guarded}
                onConfirm={remove}
              />
            )}
          </div>
        </section>
      </div>
    </main>
  );
}
