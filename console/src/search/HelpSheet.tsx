// How searches are written, with examples from the collection that is looked at.

import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition } from '../api/client.ts';
import { useZone } from '../messages/time-zone.tsx';
import { localDay } from '../views/days.ts';
import { examplesOf } from './examples.ts';
import { useSubjectName } from './names.ts';
import '../frame/sheet.css';

interface HelpSheetProps {
  readonly collection: CollectionDefinition;
  readonly onClose: () => void;
  readonly onChoose: (search: string) => void;
}

export function HelpSheet({ collection, onClose, onChoose }: HelpSheetProps) {
  const t = useTranslations('search.sheet');
  const close = useTranslations('common')('close');
  const subjectName = useSubjectName();
  const examples = examplesOf(collection.columns, t('sampleWord'), localDay(new Date(), useZone()));
  return (
    <ModalOverlay className="shade" isDismissable isOpen onOpenChange={onClose}>
      <Modal>
        <Dialog className="sheet">
          <div className="sheet-head">
            <Heading slot="title" className="sheet-title">
              {t('title', { name: collection.name })}
            </Heading>
            <Button className="button icon" aria-label={close} onPress={onClose}>
              ×
            </Button>
          </div>
          <p className="hint">{t('intro')}</p>
          <table className="sheet-table">
            <tbody>
              {examples.map(({ kind, subject, search }) => (
                <tr key={kind}>
                  <th scope="row">{t(kind, { column: subject === undefined ? '' : subjectName(subject) })}</th>
                  <td>
                    <Button className="button quiet sheet-example" onPress={() => onChoose(search)}>
                      <code>{search}</code>
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <p className="hint">{t('more')}</p>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
