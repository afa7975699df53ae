// Turns the single sign-on of an organization on, changes it, or turns it off.

import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button, Checkbox, Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import {
  type Organization,
  organizationsQuery,
  type SignOnSettings,
  setSingleSignOn,
} from '../../api/organizations.ts';
import { useSentence } from '../../messages/problem.ts';
import { NamedField } from '../../people/UserFields.tsx';
import '../../people/people.css';

export function SignOnDialog({ organization: { name, singleSignOn } }: { readonly organization: Organization }) {
  const t = useTranslations('organizations');
  const cancel = useTranslations('common')('cancel');
  const sentence = useSentence();
  const queries = useQueryClient();
  const stored = {
    issuer: singleSignOn?.issuer ?? '',
    clientId: singleSignOn?.clientId ?? '',
    clientSecret: '',
    emailsAreVerified: singleSignOn?.emailsAreVerified ?? false,
  };
  const [isOpen, setOpen] = useState(false);
  const [values, setValues] = useState(stored);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const change = (changes: Partial<typeof stored>) => setValues({ ...values, ...changes });

  async function save(settings: SignOnSettings | null): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    try {
      await setSingleSignOn(name, settings);
      await queries.invalidateQueries({ queryKey: organizationsQuery.queryKey });
      setOpen(false);
    } catch (error) {
      setProblem(sentence(error));
    } finally {
      setBusy(false);
    }
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    const { clientSecret, ...others } = values;
    void save(clientSecret === '' ? others : { ...others, clientSecret });
  }

  return (
    <DialogTrigger
      isOpen={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        setValues(stored);
        setProblem(undefined);
      }}
    >
      <Button className="button">{t(singleSignOn === null ? 'turnOn' : 'change')}</Button>
      <ModalOverlay className="shade">
        <Modal>
          <Dialog className="dialog">
            <form className="dialog-form" noValidate onSubmit={submit}>
              <Heading slot="title">{t('titleOf', { name })}</Heading>
              <p className="hint">{t('effect')}</p>
              <p role="alert" className="message wrong">
                {problem}
              </p>
              <NamedField
                label={t('issuer')}
                hint={t('issuerHint')}
                type="text"
                value={values.issuer}
                problem={undefined}
                autoFocus
                onChange={(issuer) => change({ issuer })}
              />
              <NamedField
                label={t('clientId')}
                type="text"
                value={values.clientId}
                problem={undefined}
                onChange={(clientId) => change({ clientId })}
              />
              <NamedField
                label={t('clientSecret')}
                hint={t(singleSignOn === null ? 'secretOnce' : 'secretKept')}
                type="password"
                value={values.clientSecret}
                problem={undefined}
                onChange={(clientSecret) => change({ clientSecret })}
              />
              <Checkbox
                className="check"
                isSelected={values.emailsAreVerified}
                onChange={(emailsAreVerified) => change({ emailsAreVerified })}
              >
                {t('emailsAreVerified')}
              </Checkbox>
              <div className="dialog-actions">
                <Button type="submit" className="button primary" isPending={busy}>
                  {t('save')}
                </Button>
                {singleSignOn !== null && (
                  <Button className="button danger-quiet" isDisabled={busy} onPress={() => void save(null)}>
                    {t('turnOff')}
                  </Button>
                )}
                <Button className="button" slot="close">
                  {cancel}
                </Button>
              </div>
            </form>
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  );
}
