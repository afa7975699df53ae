// Sets a password with the token of a link that was mailed or handed over: the first one, or a new one.

import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button, Checkbox, Input, Label, Text, TextField } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { CartularyError, clientOf } from '../api/client.ts';
import { methodsQuery } from '../api/session.ts';
import { useRefuse, useSentence } from '../messages/problem.ts';
import { Card, type Said } from './Card.tsx';
import { expectUser } from './expected-user.ts';
import type { MailedLink } from './mailed-link.ts';

export function NewPasswordPage({ link: { application, token, user } }: { readonly link: MailedLink }) {
  const t = useTranslations('newPassword');
  const sentence = useSentence();
  const rule = useTranslations('people')('passwordRule');
  const name = useQuery({ ...methodsQuery(application), enabled: application !== '' }).data?.name;
  const incomplete = application === '' || token === '';
  const [said, setSaid] = useState<Said | undefined>(incomplete ? { text: t('incomplete'), wrong: true } : undefined);
  const [done, setDone] = useState(false);
  const [shown, setShown] = useState(false);
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');

  const refuseFor = useRefuse<Said | undefined>(setSaid, (text) => ({ text, wrong: false }));
  const refuse = (text: string) => setSaid({ text, wrong: true });

  function refusalOf(error: unknown): string {
    if (!(error instanceof CartularyError)) return sentence(error);
    if (error.is('WEAK_PASSWORD')) return error.params.reason ?? sentence(error);
    if (error.code === 'INVALID_PROPERTY') return t('used');
    return error.code === 'FEATURE_DISABLED' ? t('disabled') : sentence(error);
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (password === '') return refuse(t('enter'));
    if (password !== again) return refuse(t('different'));
    setSaid(undefined);
    try {
      await clientOf(application).raw.resetPassword({ body: { token, password } });
    } catch (error) {
      return refuseFor(error, { text: refusalOf(error), wrong: true });
    }
    if (user !== '') expectUser(user);
    setDone(true);
    setSaid({ text: t('done'), wrong: false });
  }

  const field = (label: string, value: string, onChange: (text: string) => void, hint?: string) => (
    <TextField
      className="field"
      value={value}
      onChange={onChange}
      type={shown ? 'text' : 'password'}
      autoComplete="new-password"
    >
      <Label>{label}</Label>
      <Input className="input" aria-describedby="message" />
      {hint !== undefined && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
    </TextField>
  );

  return (
    <Card title={name === undefined ? t('title') : t('titleOf', { name })} said={said}>
      {done ? (
        <a className="button primary" href={`/console/${encodeURIComponent(application)}`}>
          {t('toSignIn')}
        </a>
      ) : (
        !incomplete && (
          <form onSubmit={submit} noValidate>
            {/* So that the browser's store of passwords knows whose it is. */}
            {user !== '' && <input type="email" autoComplete="username" value={user} readOnly hidden />}
            {field(t('password'), password, setPassword, rule)}
            {field(t('again'), again, setAgain)}
            <Checkbox isSelected={shown} onChange={setShown} className="check">
              {t('show')}
            </Checkbox>
            <Button type="submit" className="button primary">
              {t('submit')}
            </Button>
          </form>
        )
      )}
    </Card>
  );
}
