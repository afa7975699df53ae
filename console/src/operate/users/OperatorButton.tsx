// Names a user as an operator of the server, after saying what that means, and ends it.

import { useState } from 'react';
import { Button, Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { ManagementUser } from '../../api/client.ts';
import type { PublishedDocument } from '../../api/operated-shapes.ts';
import { setOperator } from '../../api/operated-users.ts';
import { useSentence } from '../../messages/problem.ts';

interface OperatorButtonProps {
  readonly document: PublishedDocument;
  readonly user: ManagementUser;
  readonly isOperator: boolean;
  readonly onDone: (message: string) => void;
}

export function OperatorButton({ document, user: { id, name }, isOperator, onDone }: OperatorButtonProps) {
  const t = useTranslations('operate.users');
  const cancel = useTranslations('common')('cancel');
  const sentence = useSentence();
  const [isOpen, setOpen] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function change(): Promise<void> {
    setBusy(true);
    try {
      await setOperator(document.id, id, !isOperator);
      setOpen(false);
      onDone(isOperator ? t('done') : t('nameOperatorAgain', { name }));
    } catch (error) {
      setProblem(sentence(error));
    } finally {
      setBusy(false);
    }
  }

  const action = t(isOperator ? 'unnameOperator' : 'nameOperator');
  return (
    <DialogTrigger
      isOpen={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        setProblem(undefined);
      }}
    >
      <Button className="button quiet" aria-label={t(isOperator ? 'unnameOperatorOf' : 'nameOperatorOf', { name })}>
        {action}
      </Button>
      <ModalOverlay className="shade" isDismissable>
        <Modal>
          <Dialog className="dialog" role="alertdialog">
            <Heading slot="title">{t(isOperator ? 'unnameOperatorAsk' : 'nameOperatorAsk', { name })}</Heading>
            <p>{t(isOperator ? 'unnameOperatorHint' : 'nameOperatorHint', { name, application: document.name })}</p>
            <p role="alert" className="message wrong">
              {problem}
            </p>
            <div className="dialog-actions">
              <Button className="button primary" isPending={busy} autoFocus onPress={() => void change()}>
                {action}
              </Button>
              <Button className="button" slot="close">
                {cancel}
              </Button>
            </div>
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  );
}
