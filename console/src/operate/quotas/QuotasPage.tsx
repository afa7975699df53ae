// The limits of all applications, the most used first.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useFormatter, useTranslations } from 'use-intl';
import { quotasOverviewQuery } from '../../api/operated.ts';
import { ProblemPage } from '../../frame/ProblemPage.tsx';
import { Use } from './Use.tsx';
import { type GroupKey, useGroupName } from './use-group-name.ts';
import './quotas.css';

export function QuotasPage() {
  const t = useTranslations('quotas');
  const format = useFormatter();
  const groupName = useGroupName();
  const quotas = useQuery(quotasOverviewQuery);
  if (quotas.data === undefined) {
    if (quotas.isPending) return <main aria-busy="true" className="operate-page" />;
    return <ProblemPage error={quotas.error} reset={() => void quotas.refetch()} />;
  }
  // A server of an earlier version counts none as unavailable.
  const { total, unavailable = 0, groups, resetsAt } = quotas.data;
  const leftOut = unavailable > 0 && <p className="hint">{t('unavailable', { count: unavailable })}</p>;
  return (
    <main className="operate-page">
      <title>{`${t('title')} – Cartulary`}</title>
      <div className="operate-head">
        <h1>{t('title')}</h1>
        <span className="hint">
          {t('resets', { time: format.dateTime(new Date(resetsAt), { timeStyle: 'short' }) })}
        </span>
      </div>
      {total === 0 && unavailable === 0 ? (
        <div className="empty">
          <p>{t('noneLimited')}</p>
          <p>{t('noneLimitedHint')}</p>
        </div>
      ) : (
        <div className="operate-scroller">
          <table className="operate-table">
            <thead>
              <tr>
                <th scope="col">{t('application')}</th>
                <th scope="col">{t('group')}</th>
                <th scope="col">{t('used')}</th>
                <th scope="col">{t('from')}</th>
              </tr>
            </thead>
            <tbody>
              {groups.map((each) => (
                <tr key={`${each.applicationId} ${each.group}`}>
                  <th scope="row">
                    <Link
                      to="/operate/applications/$application"
                      params={{ application: each.applicationId }}
                      search={{ tab: 'quotas' }}
                    >
                      {each.name}
                    </Link>
                  </th>
                  <td>{groupName(each.group as GroupKey)}</td>
                  <td>
                    <Use {...each} />
                  </td>
                  <td className="hint">{t(each.source === 'set' ? 'fromSet' : 'fromPlan')}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {groups.length < total && <p className="hint">{t('first', { shown: groups.length, total })}</p>}
          {leftOut}
        </div>
      )}
    </main>
  );
}
