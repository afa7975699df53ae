// The operations of the interface that took most time since the server was started, with their errors.

import { useFormatter, useTranslations } from 'use-intl';
import { busiest } from './busiest.ts';
import type { Reading } from './metrics.ts';

const SHOWN = 12;

export function Routes({ reading }: { readonly reading: Reading }) {
  const t = useTranslations('health');
  const format = useFormatter();
  return (
    <section aria-labelledby="health-routes">
      <h2 id="health-routes">{t('routes')}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by the keyboard */}
      <div className="operate-scroller" tabIndex={0}>
        <table className="operate-table">
          <thead>
            <tr>
              <th scope="col">{t('route')}</th>
              <th scope="col" className="number">
                {t('requests')}
              </th>
              <th scope="col" className="number">
                {t('clientErrors')}
              </th>
              <th scope="col" className="number">
                {t('serverErrors')}
              </th>
              <th scope="col" className="number">
                {t('average')}
              </th>
            </tr>
          </thead>
          <tbody>
            {busiest(reading, SHOWN).map(({ name, requests, clientErrors, serverErrors, seconds }) => (
              <tr key={name}>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td className="number">{format.number(requests)}</td>
                <td className="number">{format.number(clientErrors)}</td>
                <td className={serverErrors > 0 ? 'number wrong' : 'number'}>{format.number(serverErrors)}</td>
                <td className="number">
                  {t('milliseconds', {
                    value: format.number((1000 * seconds) / requests, { maximumFractionDigits: 1 }),
                  })}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
