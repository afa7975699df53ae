// Asks before something that cannot be undone: the name has to be typed.

import { useState } from 'react';
import { Button, Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { usePeopleProblem } from './people-problem.ts';
import { NamedField } from './UserFields.tsx';

interface ConfirmByNameProps {
  readonly action: string;
  readonly title: string;
  readonly consequences: readonly string[];
  readonly name: string;
  readonly isDisabled: boolean;
  readonly onConfirm: () => Promise<void>;
}

export function ConfirmByName({ action, title, consequences, name, isDisabled, onConfirm }: ConfirmByNameProps) {
  const t = useTranslations('people');
  const cancel = useTranslations('common')('cancel');
  const problemOf = usePeopleProblem();
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const reset = () => {
    setTyped('');
    setProblem(undefined);
  };
  async function confirm(): Promise<void> {
    setBusy(true);
    try {
      await onConfirm();
    } catch (error) {
      setProblem(problemOf(error).text);
    } finally {
      setBusy(false);
    }
  }
  return (
    <DialogTrigger onOpenChange={reset}>
      <Button className="button danger-quiet" isDisabled={isDisabled}>
        {action}
      </Button>
      <ModalOverlay className="shade" isDismissable>
        <Modal>
          <Dialog className="dialog" role="alertdialog">
            {({ close }) => (
              <form
                className="dialog-form"
                noValidate
                onSubmit={(event) => {
                  event.preventDefault();
                  if (typed.trim() === name.trim()) void confirm();
                }}
              >
                <Heading slot="title">{title}</Heading>
                <ul className="consequences">
                  {consequences.map((consequence) => (
                    <li key={consequence}>{consequence}</li>
                  ))}
                </ul>
                <p role="alert" className="message wrong">
                  {problem}
                </p>
                <NamedField
                  label={t('typeName', { name })}
                  type="text"
                  value={typed}
                  problem={undefined}
                  autoFocus
                  onChange={setTyped}
                />
                <div className="record-actions">
                  <Button
                    type="submit"
                    className="button danger"
                    isPending={busy}
                    isDisabled={typed.trim() !== name.trim()}
                  >
                    {action}
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
  );
}
