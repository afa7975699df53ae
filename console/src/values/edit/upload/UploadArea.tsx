// Where files are dropped, pasted, chosen or taken with the camera, and how far they are.

import type { ReactNode } from 'react';
import { Button, type DropItem, DropZone, FileTrigger, ProgressBar } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { AttachmentMetadata } from '../../../api/client.ts';
import { FileSize } from '../../show/attachment.tsx';
import type { Where } from '../../where.ts';
import { useReportedUploads } from './under-way.ts';
import { type Upload, useUploads } from './use-uploads.ts';

interface UploadAreaProps {
  readonly label: string;
  readonly column: string;
  readonly where: Where;
  readonly problem: string | undefined;
  /** One file, which replaces the one before, or many. */
  readonly many: boolean;
  readonly chooseLabel: string;
  readonly onStored: (metadata: AttachmentMetadata) => void;
  /** What is there already. */
  readonly children: ReactNode;
  /** Further buttons. */
  readonly actions?: ReactNode;
}

const filesOf = async (items: readonly DropItem[]): Promise<File[]> =>
  Promise.all(items.flatMap((item) => (item.kind === 'file' ? [item.getFile()] : [])));

export function UploadArea(props: UploadAreaProps) {
  const { label, column, where, problem, many, chooseLabel, onStored, children, actions } = props;
  const t = useTranslations('values');
  const { uploads, interrupted, start, cancel, retry } = useUploads(where, column, onStored);
  useReportedUploads(uploads.length);
  const busy = !many && uploads.length > 0;
  const take = (files: readonly File[]) => {
    if (!busy) start(many ? files : files.slice(0, 1));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a field
    <div role="group" className="field" aria-label={label}>
      <span className="label" aria-hidden="true">
        {label}
      </span>
      <DropZone
        className="drop"
        aria-label={t('dropHere', { name: label })}
        onDrop={({ items }) => void filesOf(items).then(take)}
      >
        {children}
        {uploads.map((upload) => (
          <UploadLine key={upload.key} upload={upload} onCancel={() => cancel(upload)} onRetry={() => retry(upload)} />
        ))}
        {problem !== undefined && <span className="field-problem">{problem}</span>}
        {interrupted.map(({ attachmentId, name }) => (
          <span key={attachmentId} className="hint">
            {t('interrupted', { name })}
          </span>
        ))}
        <div className="drop-actions">
          <FileTrigger allowsMultiple={many} onSelect={(files) => take([...(files ?? [])])}>
            <Button className="button" isDisabled={busy}>
              {chooseLabel}
            </Button>
          </FileTrigger>
          <FileTrigger
            acceptedFileTypes={['image/*']}
            defaultCamera="environment"
            onSelect={(files) => take([...(files ?? [])])}
          >
            <Button className="button drop-camera" isDisabled={busy}>
              {t('takePhoto')}
            </Button>
          </FileTrigger>
          {actions}
        </div>
      </DropZone>
    </div>
  );
}

interface UploadLineProps {
  readonly upload: Upload;
  readonly onCancel: () => void;
  readonly onRetry: () => void;
}

function UploadLine({ upload: { file, percent, waiting, problem }, onCancel, onRetry }: UploadLineProps) {
  const t = useTranslations('values');
  const common = useTranslations('common');
  return (
    <div className="upload">
      <span className="upload-name">
        {file.name} <FileSize bytes={file.size} />
      </span>
      {problem === undefined ? (
        <ProgressBar
          className="upload-progress"
          aria-label={t('uploadOf', { name: file.name })}
          isIndeterminate={percent === undefined}
          value={percent ?? 0}
        >
          {({ percentage, valueText }) => (
            <>
              <span className={`upload-bar ${percentage === undefined ? 'unknown' : ''}`}>
                <span style={{ width: `${percentage ?? 30}%` }} />
              </span>
              <span className="hint" role="status">
                {waiting ? t('uploadWaiting') : (valueText ?? t('uploading'))}
              </span>
            </>
          )}
        </ProgressBar>
      ) : (
        <span className="field-problem" role="alert">
          {problem}
        </span>
      )}
      <span className="upload-actions">
        {problem !== undefined && (
          <Button className="button quiet" onPress={onRetry}>
            {common('retry')}
          </Button>
        )}
        <Button className="button quiet" aria-label={t('cancelUpload', { name: file.name })} onPress={onCancel}>
          {common('cancel')}
        </Button>
      </span>
    </div>
  );
}
