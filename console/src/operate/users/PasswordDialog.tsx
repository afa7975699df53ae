// Sets the password of a user.

import { type FormEvent, useState } from 'react';
import { Button, Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { ManagementUser } from '../../api/client.ts';
import { setOperatedUserPassword } from '../../api/operated-users.ts';
import { usePeopleProblem } from '../../people/people-problem.ts';
import { NamedField } from '../../people/UserFields.tsx';

interface PasswordDialogProps {
  readonly application: string;
  readonly user: ManagementUser;
  readonly onSet: () => void;
}

export function PasswordDialog({ application, user: { id, name }, onSet }: PasswordDialogProps) {
  const t = useTranslations('operate.users');
  const people = useTranslations('people');
  const cancel = useTranslations('common')('cancel');
  const problemOf = usePeopleProblem();
  const [isOpen, setOpen] = useState(false);
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function set(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    try {
      await setOperatedUserPassword(application, id, password);
      setOpen(false);
      onSet();
    } catch (error) {
      setProblem(problemOf(error).text);
    } finally {
      setBusy(false);
    }
  }

  return (
    <DialogTrigger
      isOpen={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        setPassword('');
        setProblem(undefined);
      }}
    >
      <Button className="button quiet" aria-label={t('setPasswordOf', { name })}>
        {t('setPassword')}
      </Button>
      <ModalOverlay className="shade" isDismissable>
        <Modal>
          <Dialog className="dialog">
            <form className="dialog-form" noValidate onSubmit={set}>
              <Heading slot="title">{t('setPasswordOf', { name })}</Heading>
              <p className="hint">{people('setPasswordHint')}</p>
              <NamedField
                label={people('newPassword')}
                type="password"
                autoComplete="new-password"
                value={password}
                hint={people('passwordRule')}
                problem={problem}
                autoFocus
                onChange={setPassword}
              />
              <div className="dialog-actions">
                <Button type="submit" className="button primary" isPending={busy} isDisabled={password === ''}>
                  {t('setPassword')}
                </Button>
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
