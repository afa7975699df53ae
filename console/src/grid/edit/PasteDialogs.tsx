// What a change of many cells will do, asked before; and which records were not created, said after.

import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { Reason } from './reason.ts';
import { useReasonText } from './reason-text.ts';

/** A change of many cells that waits for the person's word. */
export interface Asked {
  readonly kind: 'paste' | 'clear';
  readonly cells: number;
  readonly records: number;
  readonly creates: number;
  readonly unread: number;
  readonly unreadNew: number;
  readonly fixed: number;
  readonly leftOut: number;
  readonly go: () => void;
}

export function AskBefore({ asked, onClose }: { readonly asked: Asked; readonly onClose: () => void }) {
  const t = useTranslations('editing');
  const cancel = useTranslations('common')('cancel');
  const { kind, cells, records, creates, unread, unreadNew, fixed, leftOut } = asked;
  const lines = [
    cells > 0 && t(kind === 'paste' ? 'pasteChanges' : 'clearChanges', { cells, records }),
    creates > 0 && t('pasteCreates', { count: creates }),
    unread > 0 && t('pasteUnread', { count: unread }),
    unreadNew > 0 && t('pasteUnreadNew', { count: unreadNew }),
    fixed > 0 && t('pasteFixed', { count: fixed }),
    leftOut > 0 && t('pasteLeftOut', { count: leftOut }),
  ].filter((line) => line !== false);
  return (
    <ModalOverlay className="shade" isOpen isDismissable onOpenChange={onClose}>
      <Modal>
        <Dialog className="dialog" role="alertdialog">
          <Heading slot="title">{t(kind === 'paste' ? 'pasteTitle' : 'clearTitle')}</Heading>
          <ul className="grid-ask-lines">
            {lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          <div className="grid-editor-actions">
            <Button
              className="button primary"
              autoFocus
              onPress={() => {
                onClose();
                asked.go();
              }}
            >
              {t(kind === 'paste' ? 'paste' : 'clear')}
            </Button>
            <Button className="button" onPress={onClose}>
              {cancel}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

export interface NotCreated {
  readonly rows: readonly { readonly index: number; readonly reason: Reason }[];
  /** Goes on where the work ended too early. */
  readonly retry?: (() => void) | undefined;
  readonly stoppedBy?: Reason | undefined;
}

/** More would not be read. */
const LINES_MAX = 20;

export function SayNotCreated({ rows, stoppedBy, retry, onClose }: NotCreated & { readonly onClose: () => void }) {
  const t = useTranslations('editing');
  const common = useTranslations('common');
  const reasonText = useReasonText();
  return (
    <ModalOverlay className="shade" isOpen isDismissable onOpenChange={onClose}>
      <Modal>
        <Dialog className="dialog" role="alertdialog">
          <Heading slot="title">{t('notCreatedTitle')}</Heading>
          {stoppedBy !== undefined && <p>{`${reasonText(stoppedBy)} ${t('createStopped')}`}</p>}
          <ul className="grid-ask-lines">
            {rows.slice(0, LINES_MAX).map(({ index, reason }) => (
              <li key={index}>{t('notCreated', { row: index + 1, reason: reasonText(reason) })}</li>
            ))}
            {rows.length > LINES_MAX && <li>{t('notCreatedMore', { count: rows.length - LINES_MAX })}</li>}
          </ul>
          <div className="grid-editor-actions">
            {retry !== undefined && (
              <Button
                className="button primary"
                onPress={() => {
                  onClose();
                  retry();
                }}
              >
                {common('retry')}
              </Button>
            )}
            <Button className="button" onPress={onClose} autoFocus>
              {common('close')}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
