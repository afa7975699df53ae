// Asks for the name of a view that is saved or renamed, and whether one shall really be deleted.

import { useState } from 'react';
import { Button, Checkbox, Dialog, Heading, Input, Label, Modal, ModalOverlay, TextField } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition, View } from '../api/client.ts';
import type { OpenView } from './use-view.ts';
import type { useViewChanges } from './view-changes.ts';

/** Of the interface. */
const NAME_MAX = 100;

interface ViewDialogProps {
  readonly asking: 'saveAs' | 'rename' | 'delete';
  readonly collection: CollectionDefinition;
  readonly view: OpenView;
  readonly changes: ReturnType<typeof useViewChanges>;
  readonly mayShare: boolean;
  readonly onClose: () => void;
  readonly onSaid: (said: string) => void;
}

export function ViewDialog(props: ViewDialogProps) {
  const { asking, view, changes, onClose, onSaid } = props;
  const t = useTranslations('views');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();

  async function attempt(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    try {
      await work();
      onClose();
    } catch (error) {
      setProblem(changes.sentence(error));
      setBusy(false);
    }
  }

  const save = (name: string, shared: boolean) => {
    if (name === '') return setProblem(t('nameMissing'));
    return void attempt(async () => {
      const { saved } = view;
      if (asking === 'rename' && saved !== undefined) await changes.update(saved, { name });
      else {
        const created = await changes.create({ name, shared, settings: { ...view.settings } });
        // What was changed is in the new view now; the one that it came from is as saved.
        if (saved !== undefined) view.forgetColumns();
        view.open(created.id);
      }
      onSaid(t('stored', { name }));
    });
  };
  const remove = (saved: View) =>
    void attempt(async () => {
      view.open(undefined);
      await changes.remove(saved);
    });

  return (
    <ModalOverlay className="shade" isDismissable isOpen onOpenChange={(open) => !open && onClose()}>
      <Modal>
        <Dialog className="dialog view-dialog" role={asking === 'delete' ? 'alertdialog' : 'dialog'}>
          {asking === 'delete' && view.saved !== undefined ? (
            <Deletion saved={view.saved} problem={problem} busy={busy} onDelete={remove} onClose={onClose} />
          ) : (
            <Naming {...props} problem={problem} busy={busy} onSave={save} />
          )}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

interface NamingProps extends ViewDialogProps {
  readonly problem: string | undefined;
  readonly busy: boolean;
  readonly onSave: (name: string, shared: boolean) => void;
}

function Naming({ asking, collection, view, mayShare, problem, busy, onSave, onClose }: NamingProps) {
  const t = useTranslations('views');
  const cancel = useTranslations('common')('cancel');
  const [name, setName] = useState(asking === 'rename' ? (view.saved?.name ?? '') : '');
  const [shared, setShared] = useState(false);
  return (
    <form
      className="view-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSave(name.trim(), shared);
      }}
    >
      <Heading slot="title">{t(asking === 'rename' ? 'renameTitle' : 'saveAsTitle')}</Heading>
      <p role="alert" className="message wrong">
        {problem}
      </p>
      <TextField className="field" value={name} onChange={setName} autoFocus maxLength={NAME_MAX}>
        <Label>{t('name')}</Label>
        <Input className="input" />
      </TextField>
      {asking === 'saveAs' && mayShare && (
        <Checkbox className="check" isSelected={shared} onChange={setShared}>
          {t('shareLabel', { name: collection.name })}
        </Checkbox>
      )}
      {asking === 'saveAs' && <p className="hint">{t('saveAsHint')}</p>}
      <div className="dialog-actions">
        <Button type="submit" className="button primary" isPending={busy}>
          {t('store')}
        </Button>
        <Button className="button" onPress={onClose}>
          {cancel}
        </Button>
      </div>
    </form>
  );
}

interface DeletionProps {
  readonly saved: View;
  readonly problem: string | undefined;
  readonly busy: boolean;
  readonly onDelete: (saved: View) => void;
  readonly onClose: () => void;
}

function Deletion({ saved, problem, busy, onDelete, onClose }: DeletionProps) {
  const t = useTranslations('views');
  const cancel = useTranslations('common')('cancel');
  return (
    <>
      <Heading slot="title">{t('deleteTitle', { name: saved.name })}</Heading>
      <p>{t(saved.shared ? 'deleteSharedHint' : 'deleteHint')}</p>
      <p role="alert" className="message wrong">
        {problem}
      </p>
      <div className="dialog-actions">
        <Button className="button danger" isPending={busy} onPress={() => onDelete(saved)}>
          {t('deleteConfirm')}
        </Button>
        <Button className="button" onPress={onClose} autoFocus>
          {cancel}
        </Button>
      </div>
    </>
  );
}
