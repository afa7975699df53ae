// What an application has, how it is used, its document to download, and the way to remove it.

import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { removeApplication } from '../api/operated.ts';
import type { PublishedDocument } from '../api/operated-shapes.ts';
import { operatedUsersQuery } from '../api/operated-users.ts';
import { useSentence } from '../messages/problem.ts';
import { saveBlob } from '../moving/save-blob.ts';
import { ApplicationLink } from '../people/ApplicationLink.tsx';
import { ConfirmByName } from '../people/ConfirmByName.tsx';
import { documentFile } from './document-file.ts';
import '../people/people.css';

interface OverviewProps {
  readonly document: PublishedDocument;
  /** Not known yet, or gone meanwhile. */
  readonly version: number | undefined;
}

/** It brings the charts. */
const ApplicationUse = lazy(async () => ({ default: (await import('./use/ApplicationUse.tsx')).ApplicationUse }));

export function Overview({ document, version }: OverviewProps) {
  const t = useTranslations('operate');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const sentence = useSentence();
  const [problem, setProblem] = useState<string>();
  const nobody = useInfiniteQuery(operatedUsersQuery(document.id, '')).data?.pages[0]?.length === 0;
  const { id, name, organization, timeZone, plan, collections, sharedUsersModeEnabled, teamsModeEnabled } = document;
  const modes = [
    ...(sharedUsersModeEnabled ? [t('sharedUsersMode')] : []),
    ...(teamsModeEnabled ? [t('teamsMode')] : []),
  ];

  async function remove(): Promise<void> {
    await removeApplication(id);
    queries.removeQueries({ queryKey: ['operator', 'published', id] });
    await queries.invalidateQueries({ queryKey: ['operator', 'applications'] });
    await navigate({ to: '/operate' });
  }

  async function changeDesign(): Promise<void> {
    if (version === undefined) return;
    setProblem(undefined);
    try {
      const { beginFromPublished } = await import('../design/published-draft.ts');
      const draft = await beginFromPublished({ id, version });
      await navigate({ to: '/design/$draft', params: { draft }, search: {} });
    } catch (error) {
      setProblem(sentence(error));
    }
  }

  return (
    <div className="operate-part">
      {nobody && (
        <p className="message">
          {t('users.nobody')}{' '}
          <Link to="/operate/applications/$application" params={{ application: id }} search={{ tab: 'users' }}>
            {t('users.createFirst')}
          </Link>
        </p>
      )}
      <dl className="operate-facts">
        <dt>{t('link')}</dt>
        <dd>
          <ApplicationLink application={id} />
        </dd>
        <dt>{t('id')}</dt>
        <dd>
          <code>{id}</code>
        </dd>
        <dt>{t('organization')}</dt>
        <dd>{organization}</dd>
        <dt>{t('plan')}</dt>
        <dd>{plan}</dd>
        <dt>{t('timeZone')}</dt>
        <dd>{timeZone}</dd>
        {modes.length > 0 && (
          <>
            <dt>{t('modes')}</dt>
            <dd>{modes.join(', ')}</dd>
          </>
        )}
      </dl>
      <Suspense fallback={<div aria-busy="true" />}>
        <ApplicationUse application={id} />
      </Suspense>
      <div className="operate-scroller">
        <table className="operate-table">
          <thead>
            <tr>
              <th scope="col">{t('collection')}</th>
              <th scope="col" className="number">
                {t('columns')}
              </th>
              <th scope="col">{t('id')}</th>
            </tr>
          </thead>
          <tbody>
            {collections.map((collection) => (
              <tr key={collection.id}>
                <th scope="row">{collection.name}</th>
                <td className="number">{collection.columns.length}</td>
                <td>
                  <code>{collection.id}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p role="alert" className="message wrong">
        {problem}
      </p>
      <div className="dialog-actions">
        <Button className="button" isDisabled={version === undefined} onPress={() => void changeDesign()}>
          {t('changeDesign')}
        </Button>
        <Button className="button" onPress={() => saveBlob(documentFile(document), `${id}.json`)}>
          {t('download')}
        </Button>
        <ConfirmByName
          action={t('remove')}
          title={t('removeAsk', { name })}
          consequences={[t('removeHint'), t('removeBackup')]}
          name={name}
          isDisabled={false}
          onConfirm={remove}
        />
      </div>
    </div>
  );
}
