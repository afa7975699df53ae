// The way to an application by its link or ID, and by name for those that were used in this browser. The server does not
// say which applications it has: strangers would learn the names of its customers.

import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Button, FieldError, Input, Label, Text, TextField } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { knownApplications } from '../frame/known-applications.ts';
import { Card } from './Card.tsx';
import { destinationOf } from './pasted-address.ts';

export function ChooseApplication({ initial }: { readonly initial: string }) {
  const t = useTranslations('signIn');
  const navigate = useNavigate();
  const [pasted, setPasted] = useState(initial);
  const [missing, setMissing] = useState(false);
  function go(event: FormEvent): void {
    event.preventDefault();
    const destination = destinationOf(pasted, location.origin);
    setMissing(destination === undefined);
    if (destination?.kind === 'page') location.assign(destination.path);
    if (destination?.kind === 'application') {
      void navigate({ to: '/$application', params: { application: destination.application } });
    }
  }
  return (
    <form onSubmit={go} noValidate>
      <TextField
        className="field"
        value={pasted}
        onChange={setPasted}
        isInvalid={missing}
        autoComplete="off"
        spellCheck="false"
      >
        <Label>{t('application')}</Label>
        <Input className="input" autoCapitalize="none" placeholder={`${location.origin}/console/p…`} />
        <Text slot="description" className="hint">
          {t('applicationHint')}
        </Text>
        <FieldError className="message wrong">{t('enterApplication')}</FieldError>
      </TextField>
      <Button type="submit" className="button primary">
        {t('continue')}
      </Button>
    </form>
  );
}

export function ChooseApplicationPage() {
  const t = useTranslations('signIn');
  const entry = useTranslations('operate')('entry');
  const design = useTranslations('design')('entry');
  const known = knownApplications();
  return (
    <Card title={t('chooseTitle')} said={undefined}>
      {known.length > 0 ? (
        <>
          <nav aria-labelledby="used-here" className="sign-in-known">
            <h2 id="used-here">{t('usedHere')}</h2>
            <ul>
              {known.map(({ id, name }) => (
                <li key={id}>
                  <Link to="/$application" params={{ application: id }} className="button">
                    {name}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <details>
            <summary>{t('another')}</summary>
            <ChooseApplication initial="" />
          </details>
        </>
      ) : (
        <ChooseApplication initial="" />
      )}
      <nav aria-labelledby="for-operators" className="sign-in-operators">
        <h2 id="for-operators">{t('forOperators')}</h2>
        <Link to="/operate">{entry}</Link>
        <Link to="/design">{design}</Link>
      </nav>
    </Card>
  );
}
