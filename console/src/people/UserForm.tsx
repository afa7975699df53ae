// The form of a user. An update of the interface replaces everything, so it is looked first whether somebody else has
// changed the user meanwhile.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { clientOf, type ManagementUser } from '../api/client.ts';
import { forgetPeople, userQuery } from '../api/people.ts';
import { untilBack } from '../api/reach.ts';
import { sessionQuery } from '../api/session.ts';
import { useFormDraft } from './form-draft.ts';
import type { Manager } from './Managers.tsx';
import { type PeopleProblem, usePeopleProblem } from './people-problem.ts';
import { UserFields } from './UserFields.tsx';
import { isSameUser, type UserValues, updateOf, valuesOf } from './user-form.ts';

interface UserFormProps {
  readonly manager: Manager;
  readonly user: ManagementUser;
  readonly guarded: boolean;
}

export function UserForm({ manager, user, guarded }: UserFormProps) {
  const { application, caller, definition } = manager;
  const t = useTranslations('people');
  const queries = useQueryClient();
  const problemOf = usePeopleProblem();
  const draft = useFormDraft<Partial<UserValues>>(`${caller.user.id}.${user.id}`);
  const [problem, setProblem] = useState<PeopleProblem>();
  const [busy, setBusy] = useState(false);
  const [saved, setSaved] = useState(false);
  const stored = valuesOf(user);
  const values = { ...stored, ...draft.changes };
  const unchanged = Object.keys(draft.changes).length === 0;
  const { queryKey } = userQuery(application, user.id);

  function change(changes: Partial<UserValues>): void {
    setSaved(false);
    const entries = Object.entries({ ...draft.changes, ...changes }) as [keyof UserValues, unknown][];
    draft.set(Object.fromEntries(entries.filter(([key, value]) => stored[key] !== value)));
  }

  async function save(): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    try {
      const { raw } = clientOf(application);
      const { body: present } = await raw.getManagementUser({ userId: user.id });
      if (!isSameUser(present, user)) {
        queries.setQueryData(queryKey, present);
        setProblem({ field: undefined, text: t('problems.changed') });
        return;
      }
      const { body } = await raw.updateManagementUser({ userId: user.id, body: updateOf(user, values, definition) });
      draft.clear();
      queries.setQueryData(queryKey, body);
      forgetPeople(queries, application);
      if (user.id === caller.user.id) await queries.invalidateQueries({ queryKey: sessionQuery(application).queryKey });
      setSaved(true);
    } catch (error) {
      setProblem(problemOf(error));
      untilBack(error, () => setProblem(undefined));
    } finally {
      setBusy(false);
    }
  }

  const whole = problem?.field === undefined ? problem?.text : undefined;
  return (
    <form
      className="record-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <p role="alert" className={`message ${whole === undefined ? '' : 'wrong'}`}>
        {whole ?? (draft.restored && !unchanged ? t('restored') : undefined)}
      </p>
      <UserFields manager={manager} values={values} guarded={guarded} problem={problem} onChange={change} />
      <div className="record-actions">
        <Button type="submit" className="button primary" isPending={busy} isDisabled={unchanged}>
          {t('save')}
        </Button>
        {!unchanged && (
          <Button className="button quiet" onPress={draft.clear}>
            {t('discard')}
          </Button>
        )}
        <span role="status" className="done">
          {saved && unchanged && t('saved')}
        </span>
      </div>
    </form>
  );
}
