// The scheduled jobs of the server: how often they ran, how often they failed, and when they last succeeded.

import { useFormatter, useNow, useTranslations } from 'use-intl';
import type { Reading } from './metrics.ts';

export function Jobs({ reading }: { readonly reading: Reading }) {
  const t = useTranslations('health');
  const format = useFormatter();
  const now = useNow();
  const jobs = reading.all('cartulary_job_runs_total').map(({ labels, value }) => {
    const name = labels.name ?? '';
    const of = (metric: string) => reading.sum(metric, (each) => each.name === name);
    return {
      name,
      runs: value,
      failures: of('cartulary_job_failures_total') ?? 0,
      seconds: of('cartulary_job_seconds_total') ?? 0,
      last: of('cartulary_job_last_success_timestamp_seconds'),
    };
  });
  return (
    <section aria-labelledby="health-jobs">
      <h2 id="health-jobs">{t('jobs')}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by the keyboard */}
      <div className="operate-scroller" tabIndex={0}>
        <table className="operate-table">
          <thead>
            <tr>
              <th scope="col">{t('job')}</th>
              <th scope="col" className="number">
                {t('runs')}
              </th>
              <th scope="col" className="number">
                {t('failures')}
              </th>
              <th scope="col" className="number">
                {t('seconds')}
              </th>
              <th scope="col">{t('lastSuccess')}</th>
            </tr>
          </thead>
          <tbody>
            {jobs.map(({ name, runs, failures, seconds, last }) => (
              <tr key={name}>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td className="number">{format.number(runs)}</td>
                <td className={failures > 0 ? 'number wrong' : 'number'}>{format.number(failures)}</td>
                <td className="number">{format.number(seconds, { maximumFractionDigits: 1 })}</td>
                <td>{last === undefined || last === 0 ? '–' : format.relativeTime(new Date(1000 * last), now)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
