import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Focusable, Tooltip, TooltipTrigger } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { RawReferenceValue } from '../../api/client.ts';
import type { ShowProps } from '../where.ts';
import { ShownValue } from './ShownValue.tsx';

const ReferenceCard = lazy(async () => ({ default: (await import('./ReferenceCard.tsx')).ReferenceCard }));

/** Long enough that a pointer on its way elsewhere opens nothing. */
const DELAY_MS = 500;
const CLOSE_DELAY_MS = 150;

export function ShowReference({ value, where }: ShowProps<RawReferenceValue>) {
  const t = useTranslations('values');
  const params = { application: where.application, collection: value.collectionId, record: value.recordId };
  // Inside of the link, which can hold no other.
  const within = { ...where, linked: true };
  const shown =
    value.value === undefined ? (
      <span className="hint">{t('gone')}</span>
    ) : (
      <ShownValue value={value.value} where={within} />
    );
  if (where.linked === true) return shown;
  return (
    <TooltipTrigger delay={DELAY_MS} closeDelay={CLOSE_DELAY_MS}>
      <Focusable>
        <Link
          to="/$application/$collection/$record"
          params={params}
          className="value-reference"
          preload="intent"
          tabIndex={where.in === 'cell' ? -1 : 0}
        >
          {shown}
        </Link>
      </Focusable>
      <Tooltip className="popover reference-card" placement="bottom start" offset={4}>
        <Suspense>
          <ReferenceCard application={where.application} reference={value} />
        </Suspense>
      </Tooltip>
    </TooltipTrigger>
  );
}
