import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { RawSimpleValue } from '../../api/client.ts';
import { attachmentPath } from '../../api/records.ts';
import { useBytes } from '../bytes.ts';
import type { ShowProps } from '../where.ts';
import { FileIcon } from './FileIcon.tsx';

type AttachmentValue = Extract<RawSimpleValue, { type: 'Attachment' }>;

/** What the server makes thumbnails of; it refuses the rest. */
export const IMAGES = /^image\/(?:jpeg|png|webp|gif|avif|tiff)$/i;
const SIZES = { cell: 64, page: 512 } as const;

export function ShowAttachment({ value, where }: ShowProps<AttachmentValue>) {
  const t = useTranslations('values');
  const path = attachmentPath(where.application, where.collection, value.id);
  const [broken, setBroken] = useState(false);
  const pictured = IMAGES.test(value.contentType) && !broken;
  const name =
    where.linked === true ? (
      <span className="value-file-name">{value.name}</span>
    ) : (
      <a href={path} download={value.name} tabIndex={where.in === 'cell' ? -1 : 0} className="value-file-name">
        {value.name}
      </a>
    );
  return (
    <span className={`value-attachment in-${where.in}`}>
      {pictured ? (
        <img
          src={`${path}?size=${SIZES[where.in]}`}
          alt={where.in === 'page' ? t('pictureOf', { name: value.name }) : ''}
          loading="lazy"
          onError={() => setBroken(true)}
        />
      ) : (
        where.in === 'page' && <FileIcon name={value.name} />
      )}
      {where.in === 'cell' ? (
        name
      ) : (
        <span className="value-file">
          {name}
          <span className="hint">
            <FileSize bytes={value.size} /> · {value.contentType}
          </span>
        </span>
      )}
    </span>
  );
}

export function FileSize({ bytes }: { readonly bytes: number }) {
  return <span className="hint">{useBytes()(bytes)}</span>;
}
