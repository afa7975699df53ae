// The first user of a new application, and the way into it: until there is one, nobody can sign in.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { clientOf } from '../../api/client.ts';
import { publishedQuery } from '../../api/operated.ts';
import type { CreatedUser } from '../../api/operated-users.ts';
import { setSession } from '../../api/session.ts';
import { useSentence } from '../../messages/problem.ts';
import { offeredTo } from '../../moving/offered-files.ts';
import { NewUserDialog } from './NewUserDialog.tsx';

export function FirstUser({ application }: { readonly application: string }) {
  const t = useTranslations('operate.users');
  const document = useQuery(publishedQuery(application)).data;
  const [created, setCreated] = useState<CreatedUser>();
  if (document === undefined) return null;
  if (created !== undefined) return <EnterAs application={application} user={created} />;
  return (
    <>
      <p>{t('firstHint', { name: document.name })}</p>
      <div className="dialog-actions">
        <NewUserDialog document={document} isFirst onCreated={setCreated} />
      </div>
    </>
  );
}

interface EnterAsProps {
  readonly application: string;
  readonly user: CreatedUser;
}

/** Signs in with the password that was just given, and goes on with the file that the application was designed from. */
export function EnterAs({ application, user: { id, name, password } }: EnterAsProps) {
  const t = useTranslations('operate.users');
  const sentence = useSentence();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const offered = offeredTo(application);
  const label = offered === undefined ? t('enter', { name }) : t('enterAndImport', { name, file: offered.file.name });
  const go = () =>
    offered === undefined
      ? navigate({ to: '/$application', params: { application } })
      : navigate({
          to: '/$application/$collection/import',
          params: { application, collection: offered.collection },
        });

  async function enter(secret: string): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    try {
      const { body } = await clientOf(application).raw.signIn({ body: { userId: id, password: secret } });
      setSession(queries, application, body);
      await go();
    } catch (error) {
      setProblem(sentence(error));
      setBusy(false);
    }
  }

  return (
    <>
      <p role="status" className="message right">
        {t('created', { name })}
      </p>
      <p>{t('nextHint', { name })}</p>
      <p role="alert" className="message wrong">
        {problem}
      </p>
      <div className="dialog-actions">
        {password === undefined ? (
          <Link className="button primary" to="/$application" params={{ application }}>
            {t('open')}
          </Link>
        ) : (
          <Button className="button primary" isPending={busy} onPress={() => void enter(password)}>
            {label}
          </Button>
        )}
      </div>
    </>
  );
}
