// One shared user of the organization: address, password, whether they get in anywhere, and the way out.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { CartularyError, clientOf, type SharedUser, type SharedUserUpdate } from '../api/client.ts';
import { forgetPeople, sharedUserQuery } from '../api/people.ts';
import { methodsQuery } from '../api/session.ts';
import { NotFound } from '../frame/NotFound.tsx';
import { ProblemPage } from '../frame/ProblemPage.tsx';
import { ConfirmByName } from './ConfirmByName.tsx';
import { type Manager, Managers } from './Managers.tsx';
import { type PeopleProblem, usePeopleProblem } from './people-problem.ts';
import { NamedField } from './UserFields.tsx';
import '../record/record.css';
import '../values/values.css';
import './people.css';

interface SharedUserPageProps {
  readonly application: string;
  readonly sharedUser: string;
}

export function SharedUserPage({ application, sharedUser }: SharedUserPageProps) {
  return (
    <Managers application={application} shared>
      {(manager) => <OneSharedUser manager={manager} id={sharedUser} />}
    </Managers>
  );
}

function OneSharedUser({ manager, id }: { readonly manager: Manager; readonly id: string }) {
  const user = useQuery({ ...sharedUserQuery(manager.application, id), refetchOnWindowFocus: false });
  if (user.isPending) return null;
  if (user.data === undefined) {
    const missing = user.error instanceof CartularyError && [400, 404].includes(user.error.status);
    return missing ? <NotFound /> : <ProblemPage error={user.error} reset={() => void user.refetch()} />;
  }
  return <Sheet application={manager.application} user={user.data} />;
}

function Sheet({ application, user }: { readonly application: string; readonly user: SharedUser }) {
  const t = useTranslations('people');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const problemOf = usePeopleProblem();
  const methods = useQuery(methodsQuery(application)).data;
  const [email, setEmail] = useState(user.email);
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<PeopleProblem>();
  const [busy, setBusy] = useState(false);
  const [saved, setSaved] = useState(false);
  const unchanged = email.trim() === user.email && password === '';

  async function update(changes: Partial<SharedUserUpdate>): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    setSaved(false);
    try {
      const body = { email: user.email, disabled: user.disabled, ...changes };
      const reply = await clientOf(application).raw.updateSharedUser({ sharedUserId: user.id, body });
      queries.setQueryData(sharedUserQuery(application, user.id).queryKey, reply.body);
      forgetPeople(queries, application);
      setPassword('');
      setSaved(true);
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  }

  async function remove(): Promise<void> {
    await clientOf(application).raw.deleteSharedUser({ sharedUserId: user.id });
    queries.removeQueries({ queryKey: sharedUserQuery(application, user.id).queryKey });
    forgetPeople(queries, application);
    await navigate({ to: '/$application/people/shared', params: { application }, search: {} });
  }

  return (
    <main className="record-page">
      <title>{`${user.name} – ${t('shared')}`}</title>
      <div className="record-sheet">
        <Link to="/$application/people/shared" params={{ application }} search={{}}>
          ← {t('backShared')}
        </Link>
        <header className="person-head">
          <h1 className="record-title">{user.name}</h1>
          {user.disabled && <span className="mark wrong">{t('disabled')}</span>}
        </header>
        <p className="hint">{t('sharedHint')}</p>
        <form
          className="record-form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void update({ email: email.trim(), ...(password === '' ? {} : { password }) });
          }}
        >
          <p role="alert" className="message wrong">
            {problem?.field === undefined ? problem?.text : ''}
          </p>
          <NamedField
            label={t('email')}
            type="email"
            value={email}
            problem={problem?.field === 'email' ? problem.text : undefined}
            onChange={setEmail}
          />
          {methods?.singleSignOn === false && (
            <NamedField
              label={t('newPassword')}
              type="password"
              autoComplete="new-password"
              value={password}
              hint={t('newPasswordHint')}
              problem={problem?.field === 'password' ? problem.text : undefined}
              onChange={setPassword}
            />
          )}
          <div className="record-actions">
            <Button type="submit" className="button primary" isPending={busy} isDisabled={unchanged}>
              {t('save')}
            </Button>
            <span role="status" className="done">
              {saved && unchanged && t('saved')}
            </span>
          </div>
        </form>
        <section className="section" aria-labelledby="out-title">
          <h2 id="out-title">{t('wayOut')}</h2>
          <p className="hint">{t('sharedWayOutHint')}</p>
          <div className="record-actions">
            <Button className="button" isPending={busy} onPress={() => void update({ disabled: !user.disabled })}>
              {t(user.disabled ? 'enable' : 'disable')}
            </Button>
            <ConfirmByName
              action={t('delete')}
              title={t('deleteAsk', { name: user.name })}
              consequences={[t('deleteSharedEnds'), t('deleteKeeps')]}
              name={user.name}
              isDisabled={false}
              onConfirm={remove}
            />
          </div>
        </section>
      </div>
    </main>
  );
}
