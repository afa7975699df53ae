// Creates many people from a pasted table: what will be created is shown first, then what became of each line.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Button, Label, TextArea, TextField } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { groupsQuery } from '../api/people.ts';
import { methodsQuery } from '../api/session.ts';
import { Choice } from '../values/edit/Choice.tsx';
import { useFormDraft } from './form-draft.ts';
import { type Manager, Managers } from './Managers.tsx';
import { ManyTable } from './ManyTable.tsx';
import { OutcomeActions } from './OutcomeActions.tsx';
import { PEOPLE_MAX, readPeople } from './pasted-people.ts';
import { useManyPeople } from './use-many-people.ts';
import { WayInFields } from './WayInFields.tsx';
import { type WayIn, waysIn } from './ways-in.ts';
import '../record/record.css';
import '../values/values.css';
import './people.css';

export function ManyPeoplePage({ application }: { readonly application: string }) {
  return <Managers application={application}>{(manager) => <ManyPeople manager={manager} />}</Managers>;
}

function ManyPeople({ manager }: { readonly manager: Manager }) {
  const { application, caller, definition } = manager;
  const t = useTranslations('people');
  const methods = useQuery(methodsQuery(application)).data;
  const profiles = useQuery(groupsQuery(application, 'profiles')).data;
  const teams = useQuery({ ...groupsQuery(application, 'teams'), enabled: definition.teamsModeEnabled }).data;
  const draft = useFormDraft<{ readonly text?: string }>(`${caller.user.id}.${application}.people`);
  const [chosenProfile, setProfile] = useState<string>();
  const [chosenTeam, setTeam] = useState<string>();
  const [chosenWay, setWay] = useState<WayIn>();
  const creating = useManyPeople(manager);

  const text = draft.changes.text ?? '';
  const profileNames = useMemo(() => publishedOf(profiles), [profiles]);
  const teamNames = useMemo(() => publishedOf(teams), [teams]);
  const profile = chosenProfile ?? profileNames[0] ?? '';
  const team = chosenTeam ?? teamNames[0] ?? '';
  const pasted = useMemo(
    () => readPeople(text, { ...definition, profiles: profileNames, teams: teamNames, profile, team }),
    [text, definition, profileNames, teamNames, profile, team],
  );
  if (methods === undefined || profiles === undefined) return null;
  // Typing a password for many would give them all the same.
  const ways = waysIn(methods, definition).filter((each) => each !== 'password');
  const way = chosenWay ?? ways[0] ?? 'none';
  const choices = ways.length === 0 ? ways : [...ways, 'none' as const];
  const ready = pasted.people.filter(({ problems }) => problems.length === 0);
  const rest = ready.filter(({ line }) => !creating.isSettled(line));
  const optionsOf = (names: readonly string[]) => names.map((name) => ({ id: name, name }));

  return (
    <main className="record-page">
      <title>{`${t('createMany')} – ${t('title')}`}</title>
      <div className="record-sheet wide">
        <Link to="/$application/people" params={{ application }} search={{}}>
          ← {t('back')}
        </Link>
        <h1>{t('createMany')}</h1>
        {!creating.begun && (
          <>
            <p>{t(definition.teamsModeEnabled ? 'manyHintTeams' : 'manyHint')}</p>
            <TextField className="field" value={text} onChange={(next) => draft.set(next === '' ? {} : { text: next })}>
              <Label>{t('manyText')}</Label>
              <TextArea className="input many-text" rows={8} spellCheck="false" placeholder={t('manyExample')} />
            </TextField>
            <div className="fields">
              <Choice
                label={t('defaultProfile')}
                value={profile}
                options={optionsOf(profileNames)}
                placeholder={t('choose')}
                onChange={setProfile}
              />
              {definition.teamsModeEnabled && (
                <Choice
                  label={t('defaultTeam')}
                  value={team}
                  options={optionsOf(teamNames)}
                  placeholder={t('choose')}
                  onChange={setTeam}
                />
              )}
            </div>
            {choices.length > 0 && <WayInFields ways={choices} way={way} onWay={setWay} />}
          </>
        )}
        {pasted.ignored.length > 0 && <p className="message">{t('ignored', { names: pasted.ignored.join(', ') })}</p>}
        {pasted.left > 0 && <p className="message wrong">{t('tooMany', { maximum: PEOPLE_MAX, left: pasted.left })}</p>}
        {pasted.people.length > 0 && (
          <>
            <div className="record-actions many-actions">
              {rest.length > 0 && (
                <Button
                  className="button primary"
                  isPending={creating.busy}
                  onPress={() => void creating.create(rest, way)}
                >
                  {t(creating.begun ? 'createRest' : 'createCount', { count: rest.length })}
                </Button>
              )}
              {creating.busy && (
                <Button className="button" onPress={creating.stop}>
                  {t('stop')}
                </Button>
              )}
              {creating.begun && !creating.busy && (
                <OutcomeActions
                  outcomes={creating.outcomes}
                  people={pasted.people}
                  onAgain={() => {
                    draft.clear();
                    creating.reset();
                  }}
                />
              )}
              <span role="status" className="hint">
                {creating.begun
                  ? t('progress', { done: creating.created, all: ready.length })
                  : t('preview', { count: ready.length, wrong: pasted.people.length - ready.length })}
              </span>
            </div>
            <p role="alert" className="message wrong">
              {creating.problem}
            </p>
            <ManyTable manager={manager} people={pasted.people} outcomes={creating.outcomes} />
          </>
        )}
      </div>
    </main>
  );
}

const publishedOf = (groups: readonly { readonly name: string; readonly removed?: true }[] | undefined): string[] =>
  (groups ?? []).filter(({ removed }) => removed !== true).map(({ name }) => name);
