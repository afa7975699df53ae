// The line above a record: back to the list, and on to its neighbours there.

import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition } from '../api/client.ts';
import type { ViewAddress } from '../views/view-address.ts';
import type { Neighbours } from './neighbours.ts';

interface BackLinkProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  /** The list that the record was opened from. */
  readonly list: ViewAddress;
}

export function BackLink({ application, collection, list }: BackLinkProps) {
  const t = useTranslations('record');
  return (
    <Link to="/$application/$collection" params={{ application, collection: collection.id }} search={list}>
      ← {t('back', { name: collection.name })}
    </Link>
  );
}

export function RecordBar({ neighbours, ...back }: BackLinkProps & { readonly neighbours: Neighbours }) {
  const t = useTranslations('record');
  const { application, collection, list } = back;
  return (
    <nav className="record-bar" aria-label={t('place')}>
      <BackLink {...back} />
      <span className="record-neighbours">
        {(['previous', 'next'] as const).map((side) => {
          const record = neighbours[side];
          const sign = side === 'previous' ? '‹' : '›';
          const hint = `${t(side)} (${side === 'previous' ? 'K' : 'J'})`;
          if (record === undefined) {
            return (
              <span key={side} className="button icon" aria-hidden="true" data-disabled>
                {sign}
              </span>
            );
          }
          return (
            <Link
              key={side}
              to="/$application/$collection/$record"
              params={{ application, collection: collection.id, record }}
              search={list}
              className="button icon"
              aria-label={t(side)}
              title={hint}
            >
              {sign}
            </Link>
          );
        })}
      </span>
    </nav>
  );
}
