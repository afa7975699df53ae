// Somebody else was quicker: what is stored now stands beside what was typed, and a person chooses for each field.

import { useState } from 'react';
import { Button, Dialog, Heading, Label, Modal, ModalOverlay, Radio, RadioGroup } from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import type { RawRecord, RawValue } from '../api/client.ts';
import { ShownValue } from '../values/show/ShownValue.tsx';
import { type Where, whereIn } from '../values/where.ts';
import type { Changes } from './changes.ts';
import { type Difference, decided, type Side } from './conflict.ts';

interface ConflictDialogProps {
  readonly differences: readonly Difference[];
  /** As it is stored now. */
  readonly record: RawRecord;
  readonly where: Where;
  readonly onDecide: (changes: Changes) => void;
  readonly onClose: () => void;
}

export function ConflictDialog({ differences, record, where, onDecide, onClose }: ConflictDialogProps) {
  const t = useTranslations('conflict');
  const format = useFormatter();
  const [sides, setSides] = useState<Readonly<Record<string, Side>>>({});
  const sideOf = ({ column, disputed }: Difference): Side | undefined =>
    sides[column.id] ?? (disputed ? undefined : 'mine');
  const all = (side: Side) => setSides(Object.fromEntries(differences.map(({ column }) => [column.id, side])));
  const open = differences.filter((difference) => sideOf(difference) === undefined).length;
  const at = format.dateTime(new Date(record.updatedAt), { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <ModalOverlay className="shade" isOpen onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Modal>
        <Dialog className="dialog conflict">
          <Heading slot="title">{t('title')}</Heading>
          <p>{t('explained', { name: record.updatedBy.name, date: at })}</p>
          {differences.length === 0 ? (
            <p>{t('nothingLeft')}</p>
          ) : (
            <>
              <div className="conflict-fields">
                <div className="conflict-head" aria-hidden="true">
                  <span />
                  <span>
                    {t('stored')}
                    <span className="hint">{t('storedBy', { name: record.updatedBy.name, date: at })}</span>
                  </span>
                  <span>{t('mine')}</span>
                </div>
                {differences.map((difference) => (
                  <RadioGroup
                    key={difference.column.id}
                    className="conflict-field"
                    value={sideOf(difference) ?? null}
                    onChange={(side) => setSides({ ...sides, [difference.column.id]: side as Side })}
                    orientation="horizontal"
                  >
                    <Label>
                      {difference.column.name}
                      {!difference.disputed && <span className="hint">{t('onlyMine')}</span>}
                    </Label>
                    {(['stored', 'mine'] as const).map((side) => (
                      <Radio key={side} value={side} className="choice conflict-side">
                        <span className="unseen">{`${t(side)}: `}</span>
                        <SideValue value={difference[side]} where={whereIn(difference.column, where)} />
                      </Radio>
                    ))}
                  </RadioGroup>
                ))}
              </div>
              <div className="record-actions">
                <Button className="button quiet" onPress={() => all('stored')}>
                  {t('allStored')}
                </Button>
                <Button className="button quiet" onPress={() => all('mine')}>
                  {t('allMine')}
                </Button>
              </div>
            </>
          )}
          <div className="record-actions">
            <Button
              className="button primary"
              isDisabled={open > 0}
              onPress={() => onDecide(decided(differences, sides))}
            >
              {t('save')}
            </Button>
            <Button className="button" onPress={onClose}>
              {t('later')}
            </Button>
            {open > 0 && <span className="hint conflict-open">{t('open', { count: open })}</span>}
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function SideValue({ value, where }: { readonly value: RawValue | undefined; readonly where: Where }) {
  const t = useTranslations('record');
  if (value === undefined) return <span className="hint">{t('empty')}</span>;
  return (
    <span className="conflict-value">
      <ShownValue value={value} where={{ ...where, in: 'page', linked: true }} />
    </span>
  );
}
