// The versions of an application that the server keeps: when each was published, what it changed, and the way back to it.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { versionsQuery } from '../../api/operated.ts';
import { ProblemPage } from '../../frame/ProblemPage.tsx';
import { Version } from './Version.tsx';
import './history.css';

export function HistoryPanel({ application }: { readonly application: string }) {
  const t = useTranslations('history');
  const versions = useQuery(versionsQuery(application));
  const [opened, setOpened] = useState<number>();
  if (versions.data === undefined) {
    if (versions.isPending) return <div aria-busy="true" />;
    return <ProblemPage error={versions.error} reset={() => void versions.refetch()} />;
  }
  const current = versions.data[0]?.version;
  return (
    <div className="operate-part">
      <p className="hint">{t('hint')}</p>
      <ol className="history" aria-label={t('versions')}>
        {versions.data.map((version) => (
          <Version
            key={version.version}
            application={application}
            version={version}
            isCurrent={version.version === current}
            isOpen={opened === version.version}
            onOpen={(isOpen) => setOpened(isOpen ? version.version : undefined)}
          />
        ))}
      </ol>
    </div>
  );
}
