// Sets the password of a user, which is typed here.

import { useState } from 'react';
import { Button, Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { clientOf, type ManagementUser } from '../api/client.ts';
import type { Manager } from './Managers.tsx';
import { type PeopleProblem, usePeopleProblem } from './people-problem.ts';
import { NamedField } from './UserFields.tsx';
import { updateOf, valuesOf } from './user-form.ts';

interface SetPasswordProps {
  readonly manager: Manager;
  readonly user: ManagementUser;
}

export function SetPassword({ manager: { application, definition }, user }: SetPasswordProps) {
  const t = useTranslations('people');
  const cancel = useTranslations('common')('cancel');
  const problemOf = usePeopleProblem();
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<PeopleProblem>();
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(false);

  async function set(close: () => void): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    try {
      const { raw } = clientOf(application);
      // An update is sent whole: with what is stored now, not with what was stored when the page was opened.
      const { body: stored } = await raw.getManagementUser({ userId: user.id });
      const body = { ...updateOf(stored, valuesOf(stored), definition), password };
      await raw.updateManagementUser({ userId: user.id, body });
      setDone(true);
      close();
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <DialogTrigger
        onOpenChange={(open) => {
          setPassword('');
          setProblem(undefined);
          if (open) setDone(false);
        }}
      >
        <Button className="button">{t('setPassword')}</Button>
        <ModalOverlay className="shade" isDismissable>
          <Modal>
            <Dialog className="dialog">
              {({ close }) => (
                <form
                  className="dialog-form"
                  noValidate
                  onSubmit={(event) => {
                    event.preventDefault();
                    void set(close);
                  }}
                >
                  <Heading slot="title">{t('setPasswordOf', { name: user.name })}</Heading>
                  <p className="hint">{t('setPasswordHint')}</p>
                  <p role="alert" className="message wrong">
                    {problem?.field === 'password' ? '' : problem?.text}
                  </p>
                  <NamedField
                    label={t('newPassword')}
                    type="password"
                    autoComplete="new-password"
                    value={password}
                    hint={t('passwordRule')}
                    problem={problem?.field === 'password' ? problem.text : undefined}
                    autoFocus
                    onChange={setPassword}
                  />
                  <div className="record-actions">
                    <Button type="submit" className="button primary" isPending={busy} isDisabled={password === ''}>
                      {t('setPassword')}
                    </Button>
                    <Button className="button" onPress={close}>
                      {cancel}
                    </Button>
                  </div>
                </form>
              )}
            </Dialog>
          </Modal>
        </ModalOverlay>
      </DialogTrigger>
      {done && (
        <span role="status" className="done">
          {t('passwordSet')}
        </span>
      )}
    </>
  );
}
