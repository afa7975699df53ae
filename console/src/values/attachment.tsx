import { useState } from 'react';
import { Button, DropZone, FileTrigger, ProgressBar } from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import { uploadFile } from '../../../client/src/uploads.ts';
import { clientOf, type RawSimpleValue } from '../api/client.ts';
import { attachmentPath } from '../api/records.ts';
import { useSentence } from '../messages/problem.ts';
import type { EditProps } from './edit.ts';
import type { ShowProps } from './where.ts';

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

/** A file from the disk, by dropping it, or on a phone from the camera. It is stored with the record. */
export function EditAttachment({ column, value, onChange, problem, where }: EditProps) {
  const t = useTranslations('values');
  const sentence = useSentence();
  const [progress, setProgress] = useState<number>();
  const [failed, setFailed] = useState<string>();
  const stored = value?.type === 'Attachment' ? value : undefined;

  async function upload(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    setFailed(undefined);
    setProgress(0);
    try {
      const metadata = await uploadFile(clientOf(where.application).raw, where.collection, file, {
        onProgress: (sent, all) => setProgress((100 * sent) / all),
      });
      onChange({ type: 'Attachment', ...metadata });
    } catch (error) {
      setFailed(sentence(error));
    } finally {
      setProgress(undefined);
    }
  }

  const said = failed ?? problem;
  return (
    <DropZone
      className="field drop"
      aria-label={column.name}
      onDrop={(event) => {
        const file = event.items.find((item) => item.kind === 'file');
        if (file !== undefined) void file.getFile().then(upload);
      }}
    >
      <span className="label">{column.name}</span>
      {stored !== undefined && <ShowAttachment value={stored} where={where} />}
      {progress !== undefined && (
        <ProgressBar aria-label={t('uploading')} value={progress}>
          {({ valueText }) => <span className="hint">{`${t('uploading')} ${valueText ?? ''}`}</span>}
        </ProgressBar>
      )}
      {said !== undefined && <span className="field-problem">{said}</span>}
      <div className="choices">
        <FileTrigger onSelect={(files) => void upload(files?.[0])}>
          <Button className="button" isDisabled={progress !== undefined}>
            {t(stored === undefined ? 'chooseFile' : 'replaceFile')}
          </Button>
        </FileTrigger>
        {stored !== undefined && (
          <Button className="button quiet" onPress={() => onChange(undefined)}>
            {t('removeFile')}
          </Button>
        )}
      </div>
    </DropZone>
  );
}
