// All applications of the server, with what they hold, how they are used, and the way into each.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Input, SearchField, useFilter } from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import { allUseQuery } from '../api/operated.ts';
import type { ApplicationUse } from '../api/operated-shapes.ts';
import { applicationsQuery } from '../api/operator.ts';
import { ProblemPage } from '../frame/ProblemPage.tsx';
import { useBytes } from '../values/bytes.ts';
import { useRecords } from './use/use-records.ts';

const USE_COLUMNS = ['records', 'stored', 'requestsOfDay', 'failedOfDay'] as const;

export function ApplicationsPage() {
  const t = useTranslations('operate');
  const design = useTranslations('design')('entry');
  const applications = useQuery(applicationsQuery);
  const uses = useQuery(allUseQuery).data;
  const [text, setText] = useState('');
  const { contains } = useFilter({ sensitivity: 'base' });
  if (applications.isPending) return <main aria-busy="true" className="operate-page" />;
  if (applications.data === undefined) {
    return <ProblemPage error={applications.error} reset={() => void applications.refetch()} />;
  }
  const all = applications.data;
  const shown = all.filter(({ id, name, organization }) =>
    [id, name, organization].some((each) => contains(each, text.trim())),
  );
  return (
    <main className="operate-page">
      <title>{`${t('applications')} – Cartulary`}</title>
      <div className="operate-head">
        <h1>{t('applications')}</h1>
        <span className="grid-count" role="status">
          {t('count', { count: shown.length })}
        </span>
        <SearchField aria-label={t('find')} className="operate-find" value={text} onChange={setText}>
          <Input className="input" placeholder={t('find')} />
        </SearchField>
      </div>
      {all.length === 0 ? (
        <div className="empty">
          <p>{t('none')}</p>
          <p>{t('noneHint')}</p>
          <div className="dialog-actions">
            <Link className="button primary" to="/design">
              {design}
            </Link>
            <Link className="button" to="/operate/publish">
              {t('publishDocument')}
            </Link>
          </div>
        </div>
      ) : (
        <div className="operate-scroller">
          <table className="operate-table">
            <thead>
              <tr>
                <th scope="col">{t('name')}</th>
                <th scope="col">{t('organization')}</th>
                <th scope="col">{t('plan')}</th>
                <th scope="col" className="number">
                  {t('version')}
                </th>
                {USE_COLUMNS.map((column) => (
                  <th key={column} scope="col" className="number">
                    {t(`use.${column}`)}
                  </th>
                ))}
                <th scope="col">{t('id')}</th>
                <th scope="col">
                  <span className="unseen">{t('openData')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map(({ id, name, version, organization, plan }) => (
                <tr key={id}>
                  <th scope="row">
                    <Link to="/operate/applications/$application" params={{ application: id }}>
                      {name}
                    </Link>
                  </th>
                  <td>{organization}</td>
                  <td>{plan}</td>
                  <td className="number">{version}</td>
                  <UseCells use={uses?.get(id)} />
                  <td>
                    <code>{id}</code>
                  </td>
                  <td>
                    <Link to="/$application" params={{ application: id }} aria-label={t('openDataOf', { name })}>
                      {t('openData')}
                    </Link>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {shown.length === 0 && <p className="empty">{t('noMatch')}</p>}
        </div>
      )}
    </main>
  );
}

/** Empty until they are known. */
function UseCells({ use }: { readonly use: ApplicationUse | undefined }) {
  const format = useFormatter();
  const bytes = useBytes();
  const records = useRecords();
  const size = use?.size ?? undefined;
  const stored = size && (size.databaseBytes ?? 0) + size.attachmentBytes;
  return (
    <>
      <td className="number">{size === undefined ? '–' : records(size)}</td>
      <td className="number">{bytes(stored)}</td>
      <td className="number">{use === undefined ? '–' : format.number(use.requests)}</td>
      <td className={use !== undefined && use.failed > 0 ? 'number wrong' : 'number'}>
        {use === undefined ? '–' : format.number(use.failed)}
      </td>
    </>
  );
}
