// Makes an API token and shows its secret, this once.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { clientOf } from '../api/client.ts';
import { tokensQuery } from '../api/own.ts';
import { useRefuse, useSentence } from '../messages/problem.ts';
import { CopyBox } from '../people/CopyBox.tsx';
import { NamedField } from '../people/UserFields.tsx';
import { Choice } from '../values/edit/Choice.tsx';
import { TextEditor } from '../values/edit/Field.tsx';
import { expiryOf, isFutureDay, LIFETIMES, type Lifetime } from './expiry.ts';

interface NewTokenProps {
  readonly application: string;
  readonly userId: string;
}

export function NewToken({ application, userId }: NewTokenProps) {
  const t = useTranslations('me');
  return (
    <DialogTrigger>
      <Button className="button">{t('newToken')}</Button>
      {/* A press beside the dialog must not lose the secret. */}
      <ModalOverlay className="shade">
        <Modal>
          <Dialog className="dialog">
            {({ close }) => <TokenForm application={application} userId={userId} onClose={close} />}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  );
}

function TokenForm({ application, userId, onClose }: NewTokenProps & { readonly onClose: () => void }) {
  const t = useTranslations('me');
  const common = useTranslations('common');
  const sentence = useSentence();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const [date, setDate] = useState('');
  const [problem, setProblem] = useState<string>();
  const refuse = useRefuse<string | undefined>(setProblem, (text) => text);
  const [secret, setSecret] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [tried, setTried] = useState(false);
  const dateProblem = lifetime === 'date' && !isFutureDay(date, Date.now()) ? t('futureDay') : undefined;
  const nameProblem = name.trim() === '' ? t('tokenNameMissing') : undefined;

  async function create(): Promise<void> {
    setTried(true);
    if (nameProblem !== undefined || dateProblem !== undefined) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const expiresAt = expiryOf(lifetime, date, Date.now());
      const body = { name: name.trim(), ...(expiresAt === undefined ? {} : { expiresAt }) };
      setSecret((await clientOf(application).raw.createToken({ userId, body })).body.token);
      void queries.invalidateQueries({ queryKey: tokensQuery(application, userId).queryKey });
    } catch (error) {
      refuse(error, sentence(error));
    } finally {
      setBusy(false);
    }
  }

  if (secret !== undefined) {
    return (
      <>
        <Heading slot="title">{t('tokenMade', { name: name.trim() })}</Heading>
        <p>{t('secretOnce')}</p>
        <CopyBox label={t('secret')} text={secret} />
        <div className="record-actions">
          <Button className="button primary" onPress={onClose}>
            {t('secretKept')}
          </Button>
        </div>
      </>
    );
  }
  return (
    <form
      className="dialog-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <Heading slot="title">{t('newToken')}</Heading>
      <p className="hint">{t('tokenAccess')}</p>
      <p role="alert" className="message wrong">
        {problem}
      </p>
      <NamedField
        label={t('tokenName')}
        type="text"
        value={name}
        hint={t('tokenNameHint')}
        problem={tried ? nameProblem : undefined}
        autoFocus
        onChange={setName}
      />
      <Choice
        label={t('lifetime')}
        value={lifetime}
        options={LIFETIMES.map((id) => ({ id, name: t(`lifetimes.${id}`) }))}
        placeholder=""
        onChange={(id) => setLifetime(id as Lifetime)}
      />
      {lifetime === 'date' && (
        <TextEditor
          kind="date"
          label={t('lastDay')}
          text={date}
          onText={setDate}
          problem={tried ? dateProblem : undefined}
        />
      )}
      <div className="record-actions">
        <Button type="submit" className="button primary" isPending={busy}>
          {t('makeToken')}
        </Button>
        <Button className="button" onPress={onClose}>
          {common('cancel')}
        </Button>
      </div>
    </form>
  );
}
