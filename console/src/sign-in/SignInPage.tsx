// Signing in to one application, by password or through the organization.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Dispatch, type FormEvent, type SetStateAction, useRef, useState } from 'react';
import { Button, Input, Label, TextField } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { CartularyError, clientOf } from '../api/client.ts';
import { methodsQuery, named, setSession } from '../api/session.ts';
import { useRefuse, useSentence } from '../messages/problem.ts';
import { Card, type Said } from './Card.tsx';
import { ChooseApplication } from './ChooseApplication.tsx';
import { takeExpectedUser } from './expected-user.ts';

export function SignInPage({ application, signedOut }: { readonly application: string; readonly signedOut: boolean }) {
  const t = useTranslations('signIn');
  const sentence = useSentence();
  const methods = useQuery(methodsQuery(application));
  const [said, setSaid] = useState<Said | undefined>(signedOut ? { text: t('signedOut'), wrong: false } : undefined);
  if (methods.isPending) return null;
  // What was read stays: a form that somebody fills in must not vanish because reading it again failed.
  if (methods.data?.name === undefined) {
    const text = methods.data === undefined ? refusalOf(methods.error) : t('unknown');
    return (
      <Card title={t('chooseTitle')} said={{ text, wrong: true }}>
        <ChooseApplication initial={application} />
      </Card>
    );
  }
  const { name, singleSignOn, passwordReset } = methods.data;
  return (
    <Card title={t('title', { name })} said={said}>
      {singleSignOn ? (
        <a className="button primary" href={`/v1/${encodeURIComponent(application)}/session/singleSignOn`}>
          {t('singleSignOn')}
        </a>
      ) : (
        <PasswordForm application={application} passwordReset={passwordReset} say={setSaid} />
      )}
      <Link to="/" search={{ choose: true }}>
        {t('another')}
      </Link>
    </Card>
  );

  function refusalOf(error: unknown): string {
    const isNoId = error instanceof CartularyError && error.code === 'INVALID_APPLICATION_ID';
    return isNoId ? t('notAnId') : sentence(error);
  }
}

interface PasswordFormProps {
  readonly application: string;
  readonly passwordReset: boolean;
  readonly say: Dispatch<SetStateAction<Said | undefined>>;
}

function PasswordForm({ application, passwordReset, say }: PasswordFormProps) {
  const t = useTranslations('signIn');
  const sentence = useSentence();
  const queries = useQueryClient();
  const refuseFor = useRefuse<Said | undefined>(say, (text) => ({ text, wrong: false }));
  const [user, setUser] = useState(takeExpectedUser);
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const userField = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);

  function refuse(text: string, field: HTMLInputElement | null): void {
    say({ text, wrong: true });
    field?.focus();
  }

  /** Runs one thing at a time, and says what went wrong. */
  async function attempt(work: () => Promise<void>, refusal: (error: unknown) => string): Promise<void> {
    say(undefined);
    setBusy(true);
    try {
      await work();
    } catch (error) {
      refuseFor(error, { text: refusal(error), wrong: true });
    } finally {
      setBusy(false);
    }
  }

  async function enter(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    if (user.trim() === '') return refuse(t('enterUser'), userField.current);
    if (password === '') return refuse(t('enterPassword'), passwordField.current);
    const isWrong = (error: unknown) => error instanceof CartularyError && error.status === 401;
    await attempt(
      async () => {
        const { body } = await clientOf(application).raw.signIn({ body: { ...named(user.trim()), password } });
        setSession(queries, application, body);
      },
      (error) => (isWrong(error) ? t('wrong') : sentence(error)),
    );
  }

  async function askForMail(): Promise<void> {
    if (user.trim() === '') return refuse(t('mailWhom'), userField.current);
    await attempt(async () => {
      await clientOf(application).raw.requestPasswordReset({ body: named(user.trim()) });
      say({ text: t('mailSent'), wrong: false });
    }, sentence);
  }

  return (
    <form onSubmit={enter} noValidate>
      <TextField
        className="field"
        value={user}
        onChange={setUser}
        autoComplete="username"
        spellCheck="false"
        autoFocus={user === ''}
      >
        <Label>{t('user')}</Label>
        <Input className="input" autoCapitalize="none" ref={userField} aria-describedby="message" />
      </TextField>
      <TextField
        className="field"
        value={password}
        onChange={setPassword}
        type="password"
        autoComplete="current-password"
        autoFocus={user !== ''}
      >
        <Label>{t('password')}</Label>
        <Input className="input" ref={passwordField} aria-describedby="message" />
      </TextField>
      <Button type="submit" className="button primary" isPending={busy}>
        {t('submit')}
      </Button>
      {passwordReset && (
        <Button className="button quiet" onPress={askForMail} isDisabled={busy}>
          {t('forgotten')}
        </Button>
      )}
    </form>
  );
}
