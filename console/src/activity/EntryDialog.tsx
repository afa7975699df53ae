// Everything that an entry tells, and the ways on from it.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { CartularyError, type CollectionDefinition, type RawActivityEntry } from '../api/client.ts';
import { recordQuery } from '../api/records.ts';
import { Moment } from '../values/show/date-time.tsx';
import { PersonName } from '../values/show/user.tsx';
import { DeletedRecord } from './DeletedRecord.tsx';
import { kindOf } from './kinds.ts';
import type { Sentences } from './sentence.ts';

interface EntryDialogProps {
  readonly application: string;
  readonly collections: readonly CollectionDefinition[];
  readonly entry: RawActivityEntry;
  readonly sentences: Sentences;
  readonly onClose: () => void;
  readonly onNarrow: (changes: Readonly<Record<string, string | undefined>>) => void;
}

export function EntryDialog({ application, collections, entry, sentences, onClose, onNarrow }: EntryDialogProps) {
  const t = useTranslations('activity');
  const close = useTranslations('common')('close');
  const { date, user, collection, source, extra } = entry;
  const { recordId } = extra;
  const known = collections.some(({ id }) => id === collection?.id) && entry.subType !== 'delete';
  const record = useQuery({
    ...recordQuery(application, collection?.id ?? '', recordId ?? ''),
    enabled: known && recordId !== undefined,
  });
  const gone = entry.subType === 'delete' || (record.error instanceof CartularyError && record.error.status === 404);
  return (
    <ModalOverlay className="shade" isDismissable isOpen onOpenChange={onClose}>
      <Modal>
        <Dialog className="dialog activity-entry">
          <Heading slot="title">{sentences.entry(entry)}</Heading>
          <dl className="activity-details">
            <dt>{t('when')}</dt>
            <dd>
              <Moment at={date} />
            </dd>
            <dt>{t('who')}</dt>
            <dd>
              <PersonName person={{ id: user.id, name: sentences.person(user) }} />
            </dd>
            <dt>{t('what')}</dt>
            <dd>{sentences.kind(kindOf(entry))}</dd>
            {collection !== undefined && (
              <>
                <dt>{t('where')}</dt>
                <dd>{collection.name}</dd>
              </>
            )}
            <dt>{t('context')}</dt>
            <dd>{t(`contexts.${source.context}`)}</dd>
            <dt>{t('from_ip')}</dt>
            <dd className="mono">{source.ip}</dd>
            {Object.entries(extra).map(([member, value]) => (
              <Extra key={member} member={member} value={value} />
            ))}
            <dt>{t('version')}</dt>
            <dd>{entry.application.version}</dd>
          </dl>
          {recordId !== undefined && gone && <DeletedRecord application={application} record={recordId} />}
          <div className="activity-ways">
            {recordId !== undefined && collection !== undefined && record.data !== undefined && !gone && (
              <Link
                className="button primary"
                to="/$application/$collection/$record"
                params={{ application, collection: collection.id, record: recordId }}
              >
                {t('openRecord')}
              </Link>
            )}
            {recordId !== undefined && (
              <Button className="button" onPress={() => onNarrow({ record: recordId })}>
                {t('onlyRecord')}
              </Button>
            )}
            <Button className="button" onPress={() => onNarrow({ person: user.id })}>
              {t('onlyPerson')}
            </Button>
            <Button className="button quiet" onPress={onClose}>
              {close}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Extra({ member, value }: { readonly member: string; readonly value: string }) {
  const t = useTranslations('activity');
  const label = t.has(`extra.${member}` as 'extra.userId') ? t(`extra.${member}` as 'extra.userId') : member;
  const isReason = member === 'reason' && (value === 'former secret' || value === 'too many');
  const isDate = member === 'startDate' || member === 'endDate';
  return (
    <>
      <dt>{label}</dt>
      <dd>
        {isReason && t(`reasons.${value}`)}
        {isDate && <Moment at={value} />}
        {!isReason && !isDate && <code>{value}</code>}
      </dd>
    </>
  );
}
