// Changes one's own password. All other sessions end with it.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { CartularyError, clientOf } from '../api/client.ts';
import { sessionsQuery } from '../api/own.ts';
import { methodsQuery } from '../api/session.ts';
import { useRefuse, useSentence } from '../messages/problem.ts';
import { NamedField } from '../people/UserFields.tsx';

type Field = 'current' | 'next' | 'again';
interface Problem {
  readonly field: Field | undefined;
  readonly text: string;
}

interface PasswordFormProps {
  readonly application: string;
  readonly userId: string;
}

export function PasswordForm({ application, userId }: PasswordFormProps) {
  const t = useTranslations('me');
  const people = useTranslations('people');
  const sentence = useSentence();
  const queries = useQueryClient();
  const methods = useQuery(methodsQuery(application)).data;
  const [typed, setTyped] = useState<Readonly<Record<Field, string>>>({ current: '', next: '', again: '' });
  const [problem, setProblem] = useState<Problem>();
  const refuse = useRefuse<Problem | undefined>(setProblem, (text) => ({ field: undefined, text }));
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(false);

  function refusalOf(error: unknown): Problem {
    if (error instanceof CartularyError && error.is('WEAK_PASSWORD')) {
      return { field: 'next', text: people('problems.weak') };
    }
    if (error instanceof CartularyError && error.is('INVALID_PROPERTY')) {
      return { field: 'current', text: t('wrongPassword') };
    }
    return { field: undefined, text: sentence(error) };
  }

  async function change(): Promise<void> {
    setDone(false);
    if (typed.current === '') return setProblem({ field: 'current', text: t('currentMissing') });
    if (typed.next !== typed.again) return setProblem({ field: 'again', text: t('different') });
    setProblem(undefined);
    setBusy(true);
    try {
      const body = { currentPassword: typed.current, newPassword: typed.next };
      await clientOf(application).raw.changePassword({ body });
      setTyped({ current: '', next: '', again: '' });
      setDone(true);
      void queries.invalidateQueries({ queryKey: sessionsQuery(application, userId).queryKey });
    } catch (error) {
      refuse(error, refusalOf(error));
    } finally {
      setBusy(false);
    }
  }

  const field = (id: Field, hint?: string) => (
    <NamedField
      label={t(`passwords.${id}`)}
      type="password"
      autoComplete={id === 'current' ? 'current-password' : 'new-password'}
      value={typed[id]}
      {...(hint === undefined ? {} : { hint })}
      problem={problem?.field === id ? problem.text : undefined}
      onChange={(text) => setTyped({ ...typed, [id]: text })}
    />
  );
  return (
    <section className="section" aria-labelledby="password-title">
      <h2 id="password-title">{t('password')}</h2>
      {methods?.singleSignOn === true ? (
        <p className="hint">{people('problems.singleSignOn')}</p>
      ) : (
        <form
          className="dialog-form own-password"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void change();
          }}
        >
          <p role="alert" className="message wrong">
            {problem?.field === undefined ? problem?.text : ''}
          </p>
          {field('current')}
          {field('next', people('passwordRule'))}
          {field('again')}
          <div className="record-actions">
            <Button type="submit" className="button" isPending={busy}>
              {t('changePassword')}
            </Button>
            <span role="status" className="done">
              {done && t('passwordChanged')}
            </span>
          </div>
        </form>
      )}
    </section>
  );
}
