// Asks what shall happen to many records, says it before it happens, shows how far it is, and what became of it.

import { useState } from 'react';
import { Button, Dialog, Heading, Label, Modal, ModalOverlay, ProgressBar } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition, ColumnDefinition, RawValue } from '../api/client.ts';
import type { ListQuery } from '../api/list-query.ts';
import { useSentence } from '../messages/problem.ts';
import { ShownValue } from '../values/show/ShownValue.tsx';
import { whereIn } from '../values/where.ts';
import { ChooseValue } from './ChooseValue.tsx';
import { deleteRecord, setValue } from './change-record.ts';
import { MEANT_MAX, type Meant } from './collect.ts';
import { ManyOutcome } from './ManyOutcome.tsx';
import type { RecordSelection } from './record-selection.ts';
import { type Many, useMany } from './use-many.ts';

interface ManyDialogProps {
  readonly asking: 'edit' | 'delete';
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly query: ListQuery;
  readonly selection: RecordSelection;
  /** `deleted`: some of the selected records are no longer there. */
  readonly onClose: (deleted: boolean) => void;
}

export function ManyDialog(props: ManyDialogProps) {
  const { asking, application, collection, query, selection, onClose } = props;
  const t = useTranslations('many');
  const many = useMany({ application, collection, query, selection });
  const [chosen, setChosen] = useState<{ column?: ColumnDefinition; value?: RawValue | undefined }>({});
  const { stage } = many;
  const place = { application, collectionId: collection.id };
  const work = async (target: Meant) => {
    if (asking === 'delete') await deleteRecord(place, target);
    else if (chosen.column !== undefined) await setValue(place, target, chosen.column.id, chosen.value ?? null);
  };
  const busy = stage.name === 'running';
  const close = () => onClose(asking === 'delete' && stage.name === 'over' && stage.outcome.done > 0);
  return (
    <ModalOverlay
      className="shade"
      isOpen
      isDismissable={!busy}
      isKeyboardDismissDisabled={busy}
      onOpenChange={(open) => !open && close()}
    >
      <Modal>
        <Dialog className="dialog many-dialog" role={asking === 'delete' ? 'alertdialog' : 'dialog'}>
          <Heading slot="title">{t(asking === 'delete' ? 'deleteTitle' : 'editTitle')}</Heading>
          {stage.name === 'over' ? (
            <ManyOutcome
              asking={asking}
              application={application}
              collection={collection.id}
              outcome={stage.outcome}
              onGoOn={() => many.run(stage.outcome.left, work)}
              onClose={close}
            />
          ) : busy ? (
            <Running tried={stage.tried} count={stage.count} stopping={stage.stopping} onStop={many.stop} />
          ) : (
            <>
              {asking === 'edit' && (
                <ChooseValue
                  application={application}
                  collection={collection}
                  column={chosen.column}
                  value={chosen.value}
                  onChange={(column, value) => setChosen({ column, value })}
                />
              )}
              <Question {...props} many={many} column={chosen.column} value={chosen.value} work={work} close={close} />
            </>
          )}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

interface QuestionProps extends ManyDialogProps {
  readonly many: Many;
  readonly column: ColumnDefinition | undefined;
  readonly value: RawValue | undefined;
  readonly work: (target: Meant) => Promise<void>;
  readonly close: () => void;
}

function Question({ asking, application, collection, many, column, value, work, close }: QuestionProps) {
  const t = useTranslations('many');
  const cancel = useTranslations('common')('cancel');
  const sentence = useSentence();
  const { stage } = many;
  const meant = stage.name === 'asking' ? stage.meant : [];
  const count = meant.length;
  const where = { application, collection: collection.id, in: 'page' } as const;
  const ready = count > 0 && (asking === 'delete' || column !== undefined);

  function said() {
    if (stage.name === 'collecting') return t('collecting', { count: stage.count });
    if (stage.name === 'failed') return sentence(stage.error);
    if (count === 0) return t('none');
    if (asking === 'delete') return t('willDelete', { count, name: collection.name });
    if (column === undefined) return undefined;
    const words = { count, name: collection.name, column: column.name };
    if (value === undefined) return t('willClear', words);
    return t.rich('willSet', {
      ...words,
      value: () => (
        <strong>
          <ShownValue value={value} where={whereIn(column, where)} />
        </strong>
      ),
    });
  }

  return (
    <>
      <p role="status" className={`message ${stage.name === 'failed' ? 'wrong' : ''}`}>
        {said()}
      </p>
      {count === MEANT_MAX && <p className="hint">{t('tooMany', { count })}</p>}
      {ready && <p className="hint">{t('unchanged')}</p>}
      <div className="dialog-actions">
        <Button
          className={`button ${asking === 'delete' ? 'danger' : 'primary'}`}
          isDisabled={!ready}
          onPress={() => many.run(meant, work)}
        >
          {t(asking === 'delete' ? 'remove' : 'change', { count })}
        </Button>
        <Button className="button" onPress={close} autoFocus={asking === 'delete'}>
          {cancel}
        </Button>
      </div>
    </>
  );
}

interface RunningProps {
  readonly tried: number;
  readonly count: number;
  readonly stopping: boolean;
  readonly onStop: () => void;
}

function Running({ tried, count, stopping, onStop }: RunningProps) {
  const t = useTranslations('many');
  return (
    <>
      <ProgressBar className="many-progress" value={tried} maxValue={count}>
        {({ percentage }) => (
          <>
            <Label>{t('progress', { done: tried, count })}</Label>
            <div className="many-track">
              <div className="many-reached" style={{ width: `${percentage ?? 0}%` }} />
            </div>
          </>
        )}
      </ProgressBar>
      <div className="dialog-actions">
        <Button className="button" onPress={onStop} isDisabled={stopping} autoFocus>
          {t(stopping ? 'stopping' : 'stop')}
        </Button>
      </div>
    </>
  );
}
