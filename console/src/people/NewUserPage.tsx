// A new user: who it is, what they may do, and how they get in.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { ManagementUser, PasswordLink } from '../api/client.ts';
import { forgetPeople, groupsQuery } from '../api/people.ts';
import { methodsQuery } from '../api/session.ts';
import { useRefuse } from '../messages/problem.ts';
import { ApplicationLink } from './ApplicationLink.tsx';
import { createPerson } from './creating.ts';
import { useFormDraft } from './form-draft.ts';
import { type Manager, Managers } from './Managers.tsx';
import { Handover } from './PasswordActions.tsx';
import { type PeopleProblem, usePeopleProblem } from './people-problem.ts';
import { SharedUserFinder } from './SharedUserFinder.tsx';
import { NamedField, UserFields } from './UserFields.tsx';
import { NOBODY_YET, type UserValues } from './user-form.ts';
import { WayInFields } from './WayInFields.tsx';
import { type WayIn, waysIn } from './ways-in.ts';
import '../record/record.css';
import '../values/values.css';
import './people.css';

export function NewUserPage({ application }: { readonly application: string }) {
  return <Managers application={application}>{(manager) => <NewUserForm manager={manager} />}</Managers>;
}

interface Created {
  readonly user: ManagementUser;
  readonly link: PasswordLink | undefined;
  /** The user is there, but the link could not be made. */
  readonly linkProblem: unknown;
}

function NewUserForm({ manager }: { readonly manager: Manager }) {
  const { application, caller, definition } = manager;
  const t = useTranslations('people');
  const queries = useQueryClient();
  const problemOf = usePeopleProblem();
  const methods = useQuery(methodsQuery(application)).data;
  const profiles = useQuery(groupsQuery(application, 'profiles')).data;
  const draft = useFormDraft<Partial<UserValues>>(`${caller.user.id}.${application}.person`);
  const [chosenWay, setWay] = useState<WayIn>();
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<PeopleProblem>();
  const refuse = useRefuse<PeopleProblem | undefined>(setProblem, (text) => ({ field: undefined, text }));
  /** Whether somebody has tried to create the person. */
  const [asked, setAsked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [created, setCreated] = useState<Created>();
  if (methods === undefined || profiles === undefined) return null;

  const published = profiles.filter(({ removed }) => removed !== true);
  // Where there is one profile, there is nothing to choose.
  const profile = published.length === 1 ? (published[0]?.name ?? '') : '';
  const values: UserValues = { ...NOBODY_YET, profile, ...draft.changes };
  const ways = waysIn(methods, definition);
  const way = chosenWay ?? ways[0] ?? 'none';
  const { sharedUsersModeEnabled, teamsModeEnabled } = definition;

  function* findMissing(): Generator<PeopleProblem> {
    if (values.name.trim() === '') yield { field: 'name', text: t('problems.nameMissing') };
    if (!sharedUsersModeEnabled && values.email.trim() === '') {
      yield { field: 'email', text: t('problems.emailMissing') };
    }
    if (values.profile === '') yield { field: 'profile', text: t('problems.profileMissing') };
    if (teamsModeEnabled && values.team === '') yield { field: 'team', text: t('problems.teamMissing') };
  }
  // Once it was asked for, it is said until it is there.
  const missing = asked ? [...findMissing()] : [];

  async function submit(): Promise<void> {
    setProblem(undefined);
    setAsked(true);
    if (!findMissing().next().done) return;
    setBusy(true);
    try {
      const made = await createPerson(application, definition, { values, way, password });
      draft.clear();
      setPassword('');
      forgetPeople(queries, application);
      setCreated(made);
      setAsked(false);
    } catch (error) {
      refuse(error, problemOf(error));
    } finally {
      setBusy(false);
    }
  }

  const whole = problem?.field === undefined ? problem?.text : undefined;
  const nameProblem = [...missing, problem].find((each) => each?.field === 'name')?.text;
  const onName = (name: string) => draft.set({ ...draft.changes, name });
  return (
    <main className="record-page">
      <title>{`${t('create')} – ${t('title')}`}</title>
      <div className="record-sheet">
        <Link to="/$application/people" params={{ application }} search={{}}>
          ← {t('back')}
        </Link>
        <h1>{created === undefined ? t('create') : t('created', { name: created.user.name })}</h1>
        {created === undefined ? (
          <form
            className="record-form"
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              void submit();
            }}
          >
            <p role="alert" className="message wrong">
              {whole}
            </p>
            <p className="hint">{t('requiredHint')}</p>
            <UserFields
              manager={manager}
              values={values}
              guarded={false}
              problem={problem}
              missing={missing}
              onChange={(changes) => draft.set({ ...draft.changes, ...changes })}
            >
              {sharedUsersModeEnabled && caller.organizationManagementApiAccess ? (
                <SharedUserFinder application={application} name={values.name} problem={nameProblem} onName={onName} />
              ) : (
                <NamedField
                  label={t('name')}
                  type="text"
                  value={values.name}
                  hint={t(sharedUsersModeEnabled ? 'sharedNameHint' : 'nameHint')}
                  problem={nameProblem}
                  isRequired
                  autoFocus
                  onChange={onName}
                />
              )}
            </UserFields>
            {ways.length > 0 && (
              <WayInFields
                ways={ways}
                way={way}
                onWay={setWay}
                password={password}
                onPassword={setPassword}
                problem={problem?.field === 'password' ? problem.text : undefined}
              />
            )}
            <div className="record-actions">
              <Button type="submit" className="button primary" isPending={busy}>
                {t(way === 'mail' ? 'createAndMail' : 'createOne')}
              </Button>
            </div>
          </form>
        ) : (
          <>
            {created.link !== undefined && (
              <Handover name={created.user.name} email={created.user.email} made={created.link} />
            )}
            {way === 'password' && (
              <div className="message handover" role="status">
                <p>{t('tellLink', { name: created.user.name })}</p>
                <ApplicationLink application={application} />
              </div>
            )}
            {created.linkProblem !== undefined && (
              <p role="alert" className="message wrong">
                {t('linkFailed')} {problemOf(created.linkProblem).text}
              </p>
            )}
            <div className="record-actions">
              <Link
                to="/$application/people/users/$user"
                params={{ application, user: created.user.id }}
                className="button"
              >
                {t('openUser', { name: created.user.name })}
              </Link>
              <Button className="button" onPress={() => setCreated(undefined)}>
                {t('createAnother')}
              </Button>
            </div>
          </>
        )}
      </div>
    </main>
  );
}
