// Deletes a record, after asking.

import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { CartularyError, clientOf, type RawRecord } from '../api/client.ts';
import { forgetLists } from '../api/records.ts';
import { useSentence } from '../messages/problem.ts';
import type { ViewAddress } from '../views/view-address.ts';

interface DeleteButtonProps {
  readonly application: string;
  readonly collection: string;
  readonly record: RawRecord;
  /** What people call the record. */
  readonly title: string | undefined;
  /** Where the record was in, and where the person goes on. */
  readonly list: ViewAddress;
}

export function DeleteButton({ application, collection, record, title, list }: DeleteButtonProps) {
  const t = useTranslations('record');
  const cancel = useTranslations('common')('cancel');
  const sentence = useSentence();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [problem, setProblem] = useState<string>();

  async function remove(): Promise<void> {
    // Only what the person has seen is deleted.
    const place = { collectionId: collection, recordId: record.id, ifMatch: `"${record.hash}"` };
    try {
      await clientOf(application).raw.deleteRecord(place);
    } catch (error) {
      const changed = error instanceof CartularyError && error.status === 412;
      setProblem(changed ? t('changed') : sentence(error));
      return;
    }
    forgetLists(queries, application, collection);
    await navigate({ to: '/$application/$collection', params: { application, collection }, search: list });
  }

  return (
    <DialogTrigger onOpenChange={() => setProblem(undefined)}>
      <Button className="button quiet">{t('delete')}</Button>
      <ModalOverlay className="shade" isDismissable>
        <Modal>
          <Dialog className="dialog" role="alertdialog">
            {({ close }) => (
              <>
                <Heading slot="title">{title === undefined ? t('deleteAsk') : t('deleteNamed', { title })}</Heading>
                <p role="alert" className="message wrong">
                  {problem}
                </p>
                <div className="record-actions">
                  <Button className="button danger" onPress={() => void remove()}>
                    {t('delete')}
                  </Button>
                  <Button className="button" onPress={close} autoFocus>
                    {cancel}
                  </Button>
                </div>
              </>
            )}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  );
}
