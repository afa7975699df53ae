// Keeps a user out, or lets them in again. Both can be undone, so nothing is asked.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { clientOf, type ManagementUser } from '../api/client.ts';
import { forgetPeople, userQuery } from '../api/people.ts';
import type { Manager } from './Managers.tsx';
import { usePeopleProblem } from './people-problem.ts';
import { updateOf, valuesOf } from './user-form.ts';

interface EnableButtonProps {
  readonly manager: Manager;
  readonly user: ManagementUser;
  readonly isDisabled: boolean;
}

export function EnableButton({ manager: { application, definition }, user, isDisabled }: EnableButtonProps) {
  const t = useTranslations('people');
  const queries = useQueryClient();
  const problemOf = usePeopleProblem();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function turn(): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    try {
      const { raw } = clientOf(application);
      const { body: stored } = await raw.getManagementUser({ userId: user.id });
      const body = { ...updateOf(stored, valuesOf(stored), definition), disabled: !user.disabled };
      queries.setQueryData(
        userQuery(application, user.id).queryKey,
        (await raw.updateManagementUser({ userId: user.id, body })).body,
      );
      forgetPeople(queries, application);
    } catch (error) {
      setProblem(problemOf(error).text);
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <p role="alert" className="message wrong whole-line">
        {problem}
      </p>
      <Button className="button" isDisabled={isDisabled} isPending={busy} onPress={() => void turn()}>
        {t(user.disabled ? 'enable' : 'disable')}
      </Button>
    </>
  );
}
