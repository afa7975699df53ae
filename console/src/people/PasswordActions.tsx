// A new password for a user: by a link that is mailed or handed over, or set here.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import { clientOf, type ManagementUser, type PasswordLink } from '../api/client.ts';
import { methodsQuery } from '../api/session.ts';
import { CopyBox } from './CopyBox.tsx';
import type { Manager } from './Managers.tsx';
import { usePeopleProblem } from './people-problem.ts';
import { isGuarded } from './rights.ts';
import { SetPassword } from './SetPassword.tsx';

interface PasswordActionsProps {
  readonly manager: Manager;
  readonly user: ManagementUser;
}

export function PasswordActions({ manager, user }: PasswordActionsProps) {
  const { application, caller, definition } = manager;
  const t = useTranslations('people');
  const problemOf = usePeopleProblem();
  const methods = useQuery(methodsQuery(application)).data;
  const [made, setMade] = useState<PasswordLink>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState<'mail' | 'link'>();
  if (methods === undefined) return null;
  if (methods.singleSignOn) return <p className="hint">{t('problems.singleSignOn')}</p>;
  const shared = definition.sharedUsersModeEnabled;
  if (isGuarded(caller, user) || (shared && !caller.organizationManagementApiAccess)) {
    return <p className="hint">{t(shared ? 'sharedPassword' : 'problems.guarded')}</p>;
  }

  async function make(mail: boolean): Promise<void> {
    setBusy(mail ? 'mail' : 'link');
    setProblem(undefined);
    try {
      setMade((await clientOf(application).raw.createPasswordLink({ userId: user.id, body: { mail } })).body);
    } catch (error) {
      setProblem(problemOf(error).text);
    } finally {
      setBusy(undefined);
    }
  }

  return (
    <>
      <p className="hint">{t('passwordHint')}</p>
      <div className="record-actions">
        {methods.passwordReset && (
          <Button className="button" isPending={busy === 'mail'} onPress={() => void make(true)}>
            {t('mailLink')}
          </Button>
        )}
        <Button className="button" isPending={busy === 'link'} onPress={() => void make(false)}>
          {t('makeLink')}
        </Button>
        {!shared && <SetPassword manager={manager} user={user} />}
      </div>
      <p role="alert" className="message wrong">
        {problem}
      </p>
      {made !== undefined && <Handover name={user.name} email={user.email} made={made} />}
    </>
  );
}

interface HandoverProps {
  readonly name: string;
  readonly email: string;
  readonly made: PasswordLink;
}

/** What to do with a link that was made. */
export function Handover({ name, email, made: { link, expiresAt } }: HandoverProps) {
  const t = useTranslations('people');
  const format = useFormatter();
  const until = format.dateTime(new Date(expiresAt), { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <div className="message handover" role="status">
      {link === undefined ? (
        <p>{t('mailed', { email, until })}</p>
      ) : (
        <>
          <p>{t('handOver', { name, until })}</p>
          <CopyBox label={t('link')} text={link} />
        </>
      )}
    </div>
  );
}
