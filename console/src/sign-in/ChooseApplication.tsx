// The way to an application by its ID.

import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Button, FieldError, Input, Label, Text, TextField } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { Card } from './Card.tsx';

export function ChooseApplication({ initial }: { readonly initial: string }) {
  const t = useTranslations('signIn');
  const navigate = useNavigate();
  const [id, setId] = useState(initial);
  const [missing, setMissing] = useState(false);
  function go(event: FormEvent): void {
    event.preventDefault();
    const application = id.trim();
    setMissing(application === '');
    if (application !== '') void navigate({ to: '/$application', params: { application } });
  }
  return (
    <form onSubmit={go} noValidate>
      <TextField
        className="field"
        value={id}
        onChange={setId}
        isInvalid={missing}
        autoComplete="off"
        spellCheck="false"
      >
        <Label>{t('application')}</Label>
        <Input className="input" autoCapitalize="none" />
        <Text slot="description" className="hint">
          {t('applicationHint')}
        </Text>
        <FieldError className="message wrong">{t('enterApplication')}</FieldError>
      </TextField>
      <Button type="submit" className="button">
        {t('continue')}
      </Button>
    </form>
  );
}

export function ChooseApplicationPage() {
  const t = useTranslations('signIn');
  return (
    <Card title={t('chooseTitle')} said={undefined}>
      <ChooseApplication initial="" />
    </Card>
  );
}
