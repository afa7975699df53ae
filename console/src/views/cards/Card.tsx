// One record as a card: its picture, its title and a few values.

import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition, ColumnDefinition, RawRecord } from '../../api/client.ts';
import { attachmentPath } from '../../api/records.ts';
import { titleOf } from '../../record/title.ts';
import { IMAGES } from '../../values/show/attachment.tsx';
import { RecordFacts } from '../RecordFacts.tsx';
import { type AttachmentValue, fileOf } from './picture.ts';

/** More do not fit into the height of a card. */
const FACTS = 3;

interface CardProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly record: RawRecord;
  readonly picture: ColumnDefinition | undefined;
  readonly tabIndex: number;
  readonly onFocus: () => void;
}

export function Card({ application, collection, record, picture, tabIndex, onFocus }: CardProps) {
  const untitled = useTranslations('record')('untitled');
  const file = picture && fileOf(record, picture);
  return (
    <article className="card">
      {picture !== undefined && (
        <div className="card-picture">
          {file !== undefined && <Picture application={application} collection={collection.id} file={file} />}
        </div>
      )}
      <Link
        to="/$application/$collection/$record"
        params={{ application, collection: collection.id, record: record.id }}
        className="card-title"
        tabIndex={tabIndex}
        onFocus={onFocus}
      >
        {titleOf(collection, record) ?? untitled}
      </Link>
      <RecordFacts application={application} collection={collection} record={record} max={FACTS} />
    </article>
  );
}

interface PictureProps {
  readonly application: string;
  readonly collection: string;
  readonly file: AttachmentValue;
}

function Picture({ application, collection, file }: PictureProps) {
  const [broken, setBroken] = useState(false);
  if (broken || !IMAGES.test(file.contentType)) return <span className="card-file">{file.name}</span>;
  const path = attachmentPath(application, collection, file.id);
  return <img src={`${path}?size=512`} alt="" loading="lazy" onError={() => setBroken(true)} />;
}
