// Links to the records of a grid. The router makes one of them, as making each takes as long as drawing the row around it,
// and the grid hears the clicks on all.

import { useLinkProps, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { readViewAddress } from '../views/view-address.ts';

/** Stands where the record's ID goes. */
const RECORD = 'RECORD';

interface RecordLinks {
  readonly hrefOf: (record: string) => string;
  readonly open: (record: string) => void;
  /** Of the element around them. */
  readonly onClick: (event: React.MouseEvent) => void;
}

export function useRecordLinks(application: string, collection: string): RecordLinks {
  const navigate = useNavigate();
  const to = '/$application/$collection/$record';
  const search = readViewAddress;
  const { href = '' } = useLinkProps({ to, params: { application, collection, record: RECORD }, search });
  const hrefOf = useCallback((record: string) => href.replace(`/${RECORD}`, `/${record}`), [href]);
  const open = (record: string) => void navigate({ to, params: { application, collection, record }, search });
  return {
    hrefOf,
    open,
    onClick: (event) => {
      const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-record]') : null;
      const record = link?.dataset.record;
      // Otherwise the browser opens it, in a tab or a window.
      const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
      if (record === undefined || !isPlain || event.defaultPrevented) return;
      event.preventDefault();
      open(record);
    },
  };
}
