// One version: what it changed in a line, and opened in full, with its document and what going back to it would change.

import { useQuery } from '@tanstack/react-query';
import { Button, Disclosure, DisclosurePanel, Heading } from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import { versionQuery } from '../../api/operated.ts';
import type { PublishedVersion } from '../../api/operated-shapes.ts';
import { useSentence } from '../../messages/problem.ts';
import { saveBlob } from '../../moving/save-blob.ts';
import { documentFile } from '../document-file.ts';
import { ChangeList } from '../publish/ChangeList.tsx';
import { losesData, namedChanges } from '../publish/changes.ts';
import { PublishPanel } from '../publish/PublishPanel.tsx';

interface VersionProps {
  readonly application: string;
  readonly version: PublishedVersion;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

export function Version({ application, version, isCurrent, isOpen, onOpen }: VersionProps) {
  const t = useTranslations('history');
  const format = useFormatter();
  const { changes, publishedAt } = version;
  return (
    <li>
      <Disclosure isExpanded={isOpen} onExpandedChange={onOpen}>
        <Heading level={2} className="history-head">
          <Button slot="trigger" className="history-button">
            <span aria-hidden="true" className="history-arrow">
              {isOpen ? '▾' : '▸'}
            </span>
            <strong>{t('version', { version: version.version })}</strong>
            <span className="history-time">
              {format.dateTime(new Date(publishedAt), { dateStyle: 'medium', timeStyle: 'short' })}
            </span>
            <span className="history-what">
              {changes === null ? t('unknown') : t('count', { count: changes.length })}
              {changes !== null && losesData(changes) && <span className="history-loss"> · {t('lost')}</span>}
            </span>
            {isCurrent && <span className="history-current">{t('current')}</span>}
          </Button>
        </Heading>
        <DisclosurePanel>
          {isOpen && <Opened application={application} version={version} isCurrent={isCurrent} />}
        </DisclosurePanel>
      </Disclosure>
    </li>
  );
}

type OpenedProps = Pick<VersionProps, 'application' | 'version' | 'isCurrent'>;

function Opened({ application, version: { version, changes }, isCurrent }: OpenedProps) {
  const t = useTranslations('history');
  const sentence = useSentence();
  const document = useQuery(versionQuery(application, version));
  const hasBefore = version > 1 && changes !== null;
  // For the names of what was removed. The oldest version that is kept has none before it.
  const before = useQuery({ ...versionQuery(application, version - 1), enabled: hasBefore, retry: false }).data;
  return (
    <div className="history-opened">
      {changes !== null && (
        <ChangeList
          changes={namedChanges(changes, before?.collections ?? [], document.data?.collections ?? [])}
          label={t('changed')}
        />
      )}
      {document.isError && (
        <p role="alert" className="message wrong">
          {sentence(document.error)}
        </p>
      )}
      {document.data !== undefined && (
        <>
          <div>
            <Button
              className="button"
              onPress={() => saveBlob(documentFile(document.data), `${application}-${version}.json`)}
            >
              {t('download')}
            </Button>
          </div>
          {!isCurrent && (
            <section className="operate-part" aria-label={t('back', { version })}>
              <h3>{t('back', { version })}</h3>
              <p className="hint">{t('backHint')}</p>
              <PublishPanel application={application} document={{ ...document.data }} />
            </section>
          )}
        </>
      )}
    </div>
  );
}
