// What a publishing changes, as sentences; what loses data stands first, in red and with the number of records.

import { useLocale, useTranslations } from 'use-intl';
import { type NamedChange, signOf } from './changes.ts';

export function ChangeList({ changes, label }: { readonly changes: readonly NamedChange[]; readonly label: string }) {
  const t = useTranslations('publish');
  // The sentences of the server are English; another language names the kind and the place, and shows them below.
  const isEnglish = useLocale().startsWith('en');
  return (
    <ul className="change-list" aria-label={label}>
      {changes.map((change) => {
        const { kind, text, losesData, records = 0, collection = '', column = '' } = change;
        const key = kind.replace('.', '_') as KindKey;
        return (
          <li key={`${kind} ${text}`} className={losesData === true ? 'change loses' : 'change'}>
            <span className="change-sign" aria-hidden="true">
              {losesData === true ? '!' : signOf(change)}
            </span>
            <span className="change-text">
              {isEnglish ? text : t(`kinds.${key}`, { collection, column })}
              {!isEnglish && (
                <span className="hint" lang="en">
                  {text}
                </span>
              )}
              {losesData === true && <strong>{t('loses', { records })}</strong>}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

type KindKey =
  | 'application_create'
  | 'application_rename'
  | 'collection_add'
  | 'collection_remove'
  | 'collection_rename'
  | 'collection_access'
  | 'column_add'
  | 'column_remove'
  | 'column_rename'
  | 'column_type'
  | 'column_scheme'
  | 'column_flags'
  | 'order'
  | 'settings';
