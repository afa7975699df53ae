// Asks for the operator key, unless this browser has another way in.

import { type FormEvent, type ReactNode, useState } from 'react';
import { Button, Input, Label, Text, TextField } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { isOperatorKey, setOperatorAccess } from '../api/operator.ts';
import { useSentence } from '../messages/problem.ts';
import { Card, type Said } from '../sign-in/Card.tsx';
import { useOperatorEntry } from './operator-entry.ts';

interface OperatorEntryProps {
  /** Said above the question for the key. */
  readonly why?: ReactNode;
  readonly children: ReactNode;
}

export function OperatorEntry({ why, children }: OperatorEntryProps) {
  const access = useOperatorEntry();
  if (access === undefined) return <main aria-busy="true" />;
  if (access !== null) return children;
  return (
    <>
      {why}
      <KeyPage />
    </>
  );
}

/** `onCancel`: the way back for those who have another. */
export function KeyPage({ onCancel }: { readonly onCancel?: () => void }) {
  const t = useTranslations('operate');
  const cancel = useTranslations('common')('cancel');
  const sentence = useSentence();
  const [key, setKey] = useState('');
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState<Said | undefined>();

  async function enter(event: FormEvent): Promise<void> {
    event.preventDefault();
    const trimmed = key.trim();
    if (trimmed === '') {
      setSaid({ text: t('enterKey'), wrong: true });
      return;
    }
    setBusy(true);
    setSaid(undefined);
    try {
      // What no header can hold is no key.
      if (/^[\x21-\x7e]+$/.test(trimmed) && (await isOperatorKey(trimmed))) {
        setOperatorAccess({ key: trimmed });
      } else setSaid({ text: t('wrongKey'), wrong: true });
    } catch (error) {
      setSaid({ text: sentence(error), wrong: true });
    } finally {
      setBusy(false);
    }
  }

  return (
    <Card title={t('title')} said={said}>
      <form onSubmit={enter} noValidate>
        <TextField
          className="field"
          type="password"
          value={key}
          onChange={setKey}
          autoComplete="off"
          autoFocus
          isInvalid={said?.wrong === true}
        >
          <Label>{t('key')}</Label>
          <Input className="input" aria-describedby="message" />
          <Text slot="description" className="hint">
            {t('keyHint')}
          </Text>
        </TextField>
        <Button type="submit" className="button primary" isPending={busy}>
          {t('enter')}
        </Button>
        {onCancel !== undefined && (
          <Button className="button" onPress={onCancel}>
            {cancel}
          </Button>
        )}
      </form>
    </Card>
  );
}
