// A new shared user of the organization.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { clientOf } from '../api/client.ts';
import { forgetPeople } from '../api/people.ts';
import { methodsQuery } from '../api/session.ts';
import { useRefuse } from '../messages/problem.ts';
import { useFormDraft } from './form-draft.ts';
import { type Manager, Managers } from './Managers.tsx';
import { type PeopleProblem, usePeopleProblem } from './people-problem.ts';
import { NamedField } from './UserFields.tsx';
import '../record/record.css';
import '../values/values.css';
import './people.css';

export function NewSharedUserPage({ application }: { readonly application: string }) {
  return (
    <Managers application={application} shared>
      {(manager) => <NewSharedUserForm manager={manager} />}
    </Managers>
  );
}

function NewSharedUserForm({ manager: { application, caller } }: { readonly manager: Manager }) {
  const t = useTranslations('people');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const problemOf = usePeopleProblem();
  const methods = useQuery(methodsQuery(application)).data;
  const draft = useFormDraft<{ readonly name?: string; readonly email?: string }>(
    `${caller.user.id}.${application}.shared-person`,
  );
  const { name = '', email = '' } = draft.changes;
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<PeopleProblem>();
  const refuse = useRefuse<PeopleProblem | undefined>(setProblem, (text) => ({ field: undefined, text }));
  const [busy, setBusy] = useState(false);
  const problemAt = (field: PeopleProblem['field']) => (problem?.field === field ? problem?.text : undefined);

  async function submit(): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    try {
      const secret = methods?.singleSignOn === true ? {} : { password };
      const body = { name: name.trim(), email: email.trim(), ...secret };
      const { body: user } = await clientOf(application).raw.createSharedUser({ body });
      draft.clear();
      forgetPeople(queries, application);
      await navigate({
        to: '/$application/people/shared/$sharedUser',
        params: { application, sharedUser: user.id },
      });
    } catch (error) {
      refuse(error, problemOf(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <main className="record-page">
      <title>{`${t('createShared')} – ${t('title')}`}</title>
      <div className="record-sheet">
        <Link to="/$application/people/shared" params={{ application }} search={{}}>
          ← {t('backShared')}
        </Link>
        <h1>{t('createShared')}</h1>
        <p className="hint">{t('sharedHint')}</p>
        <form
          className="record-form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <p role="alert" className="message wrong">
            {problemAt(undefined)}
          </p>
          <NamedField
            label={t('name')}
            type="text"
            value={name}
            hint={t('nameHint')}
            problem={problemAt('name')}
            autoFocus
            onChange={(text) => draft.set({ ...draft.changes, name: text })}
          />
          <NamedField
            label={t('email')}
            type="email"
            value={email}
            problem={problemAt('email')}
            onChange={(text) => draft.set({ ...draft.changes, email: text })}
          />
          {methods?.singleSignOn === false && (
            <NamedField
              label={t('password')}
              type="password"
              autoComplete="new-password"
              value={password}
              hint={t('passwordRule')}
              problem={problemAt('password')}
              onChange={setPassword}
            />
          )}
          <div className="record-actions">
            <Button type="submit" className="button primary" isPending={busy}>
              {t('createOne')}
            </Button>
          </div>
        </form>
      </div>
    </main>
  );
}
