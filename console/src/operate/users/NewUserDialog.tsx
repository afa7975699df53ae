// Creates a user, by default one who can manage the others: an application begins with that.

import { type FormEvent, useState } from 'react';
import { Button, Checkbox, Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { PublishedDocument } from '../../api/operated-shapes.ts';
import { type CreatedUser, createOperatedUser } from '../../api/operated-users.ts';
import { useRefuse } from '../../messages/problem.ts';
import { type PeopleProblem, usePeopleProblem } from '../../people/people-problem.ts';
import { NamedField } from '../../people/UserFields.tsx';
import { Choice } from '../../values/edit/Choice.tsx';
import '../../people/people.css';

interface NewUserDialogProps {
  readonly document: PublishedDocument;
  readonly isFirst?: boolean;
  readonly onCreated: (user: CreatedUser) => void;
}

export function NewUserDialog({ document, isFirst = false, onCreated }: NewUserDialogProps) {
  const t = useTranslations('operate.users');
  const people = useTranslations('people');
  const cancel = useTranslations('common')('cancel');
  const action = t(isFirst ? 'createFirst' : 'create');
  const problemOf = usePeopleProblem();
  const { sharedUsersModeEnabled: isShared, teamsModeEnabled, teams, organization } = document;
  const empty = { name: '', email: '', password: '', isAdmin: true, team: teams[0] };
  const [isOpen, setOpen] = useState(false);
  const [values, setValues] = useState(empty);
  const [problem, setProblem] = useState<PeopleProblem>();
  const refuse = useRefuse<PeopleProblem | undefined>(setProblem, (text) => ({ field: undefined, text }));
  const [busy, setBusy] = useState(false);
  const problemAt = (field: PeopleProblem['field']) => (problem?.field === field ? problem?.text : undefined);
  const change = (changes: Partial<typeof empty>) => setValues({ ...values, ...changes });

  async function create(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      const created = await createOperatedUser(document, values);
      setOpen(false);
      onCreated(created);
    } catch (error) {
      refuse(error, problemOf(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <DialogTrigger
      isOpen={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        setValues(empty);
        setProblem(undefined);
      }}
    >
      <Button className="button primary">{action}</Button>
      <ModalOverlay className="shade">
        <Modal>
          <Dialog className="dialog">
            <form className="dialog-form" noValidate onSubmit={create}>
              <Heading slot="title">{action}</Heading>
              <p role="alert" className="message wrong">
                {problemAt(undefined)}
              </p>
              <NamedField
                label={isShared ? t('sharedName', { organization }) : t('name')}
                type="text"
                value={values.name}
                problem={problemAt('name')}
                autoFocus
                onChange={(name) => change({ name })}
              />
              {!isShared && (
                <>
                  <NamedField
                    label={t('email')}
                    type="email"
                    value={values.email}
                    problem={problemAt('email')}
                    onChange={(email) => change({ email })}
                  />
                  <NamedField
                    label={people('password')}
                    type="password"
                    autoComplete="new-password"
                    value={values.password}
                    hint={people('passwordRule')}
                    problem={problemAt('password')}
                    onChange={(password) => change({ password })}
                  />
                </>
              )}
              {teamsModeEnabled && (
                <Choice
                  isInline
                  label={t('team')}
                  value={values.team ?? ''}
                  options={teams.map((name) => ({ id: name, name }))}
                  onChange={(team) => change({ team })}
                />
              )}
              <Checkbox className="check" isSelected={values.isAdmin} onChange={(isAdmin) => change({ isAdmin })}>
                {t('createAdmin')}
              </Checkbox>
              <p className="hint">{t('createHint')}</p>
              <div className="dialog-actions">
                <Button type="submit" className="button primary" isPending={busy}>
                  {action}
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
