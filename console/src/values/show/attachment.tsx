import { useState } from 'react';
import { useFormatter } from 'use-intl';
import type { RawSimpleValue } from '../../api/client.ts';
import { attachmentPath } from '../../api/records.ts';
import type { ShowProps } from '../where.ts';

type AttachmentValue = Extract<RawSimpleValue, { type: 'Attachment' }>;

/** What the server makes thumbnails of; it refuses the rest. */
const IMAGES = /^image\/(?:jpeg|png|webp|gif|avif|tiff)$/i;
const SIZES = { cell: 64, page: 512 } as const;

export function ShowAttachment({ value, where }: ShowProps<AttachmentValue>) {
  const path = attachmentPath(where.application, where.collection, value.id);
  const [broken, setBroken] = useState(false);
  const pictured = IMAGES.test(value.contentType) && !broken;
  return (
    <span className={`value-attachment in-${where.in}`}>
      {pictured && (
        <img src={`${path}?size=${SIZES[where.in]}`} alt="" loading="lazy" onError={() => setBroken(true)} />
      )}
      {where.linked === true ? (
        <span>{value.name}</span>
      ) : (
        <a href={path} download={value.name} tabIndex={where.in === 'cell' ? -1 : 0}>
          {value.name}
        </a>
      )}
      {where.in === 'page' && <FileSize bytes={value.size} />}
    </span>
  );
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

export function FileSize({ bytes }: { readonly bytes: number }) {
  const format = useFormatter();
  const power = Math.min(UNITS.length - 1, bytes === 0 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const shown = format.number(bytes / 1_000 ** power, {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  });
  return <span className="hint">{shown}</span>;
}
