// How much of a limit is taken in this hour, as a bar and in numbers.

import { Meter } from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import type { QuotaUse } from '../../api/operated-shapes.ts';
import { type GroupKey, useGroupName } from './use-group-name.ts';

/** From here on it is worth a look. */
const NEARLY = 0.9;

export function Use({ group, limit, taken }: QuotaUse) {
  const t = useTranslations('quotas');
  const format = useFormatter();
  const groupName = useGroupName();
  if (limit === null) return <span className="hint">{t('taken', { taken })}</span>;
  const part = limit === 0 ? 1 : Math.min(1, taken / limit);
  return (
    <Meter
      className="quota-use"
      aria-label={t('usedOf', { group: groupName(group as GroupKey) })}
      value={100 * part}
      valueLabel={t('takenOf', { taken, limit })}
    >
      <span className={part >= NEARLY ? 'operate-track nearly' : 'operate-track'}>
        <span style={{ width: `${100 * part}%` }} />
      </span>
      <span className="quota-numbers">
        {t('takenOf', { taken, limit })} · {format.number(part, { style: 'percent' })}
      </span>
    </Meter>
  );
}
