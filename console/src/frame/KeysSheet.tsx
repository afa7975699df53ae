// The keys of the console.

import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { Messages } from '../messages/en.ts';
import { MODIFIER } from './keys.ts';
import './sheet.css';

type Sentence = keyof Messages['keys'];

interface Group {
  readonly title: Sentence;
  readonly keys: readonly (readonly [keys: readonly string[], effect: Sentence])[];
}

const GROUPS: readonly Group[] = [
  {
    title: 'anywhere',
    keys: [
      [[`${MODIFIER} K`], 'find'],
      [['/'], 'search'],
      [['?'], 'show'],
      [['Esc'], 'leave'],
    ],
  },
  {
    title: 'inGrid',
    keys: [
      [['↑', '↓', '←', '→'], 'move'],
      [['Page Up', 'Page Down'], 'page'],
      [['Home', 'End'], 'ends'],
      [['Shift ↑', '↓', '←', '→'], 'range'],
      [[`${MODIFIER} A`], 'allCells'],
      [['Enter', 'F2'], 'edit'],
      [['Space', `${MODIFIER} Enter`], 'open'],
      [['Space'], 'yesNo'],
      [['Shift Space'], 'selectRecord'],
      [['Delete'], 'clear'],
      [[`${MODIFIER} C`, 'X', 'V'], 'clipboard'],
      [[`${MODIFIER} Z`], 'undo'],
      [[`${MODIFIER} Y`, `${MODIFIER} Shift Z`], 'redo'],
    ],
  },
  {
    title: 'inCell',
    keys: [
      [['Enter', 'Tab'], 'store'],
      [['Shift Enter'], 'newLine'],
      [['Esc'], 'undoTyping'],
    ],
  },
  {
    title: 'onRecord',
    keys: [
      [['e'], 'editRecord'],
      [[`${MODIFIER} S`], 'save'],
      [['j', '→'], 'next'],
      [['k', '←'], 'previous'],
      [['Esc'], 'back'],
    ],
  },
  {
    title: 'inSearch',
    keys: [
      [['↓'], 'suggestions'],
      [['Enter'], 'choose'],
      [['Esc'], 'leaveSearch'],
    ],
  },
];

export function KeysSheet({ onClose }: { readonly onClose: () => void }) {
  const t = useTranslations('keys');
  const close = useTranslations('common')('close');
  return (
    <ModalOverlay className="shade" isDismissable isOpen onOpenChange={onClose}>
      <Modal>
        <Dialog className="sheet">
          <div className="sheet-head">
            <Heading slot="title" className="sheet-title">
              {t('title')}
            </Heading>
            <Button className="button icon" aria-label={close} onPress={onClose}>
              ×
            </Button>
          </div>
          {GROUPS.map(({ title, keys }) => (
            <table key={title} className="sheet-table">
              <caption>{t(title)}</caption>
              <tbody>
                {keys.map(([names, effect]) => (
                  <tr key={effect}>
                    <th scope="row">
                      {names.map((name) => (
                        <kbd key={name}>{name}</kbd>
                      ))}
                    </th>
                    <td>{t(effect)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          ))}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
