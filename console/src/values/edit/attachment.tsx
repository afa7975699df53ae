import { useState } from 'react';
import { Button, DropZone, FileTrigger, ProgressBar } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { uploadFile } from '../../../../client/src/uploads.ts';
import { clientOf } from '../../api/client.ts';
import { useSentence } from '../../messages/problem.ts';
import { ShowAttachment } from '../show/attachment.tsx';
import type { EditProps } from './edit-props.ts';

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
