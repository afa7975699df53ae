import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { ShowAttachment } from '../show/attachment.tsx';
import type { EditProps } from './edit-props.ts';
import { UploadArea } from './upload/UploadArea.tsx';

/** A file from the disk, the clipboard, by dropping it, or on a phone from the camera. It is stored with the record. */
export function EditAttachment({ column, value, onChange, problem, where }: EditProps) {
  const t = useTranslations('values');
  const stored = value?.type === 'Attachment' ? value : undefined;
  return (
    <UploadArea
      label={column.name}
      column={column.id}
      where={where}
      problem={problem}
      many={false}
      chooseLabel={t(stored === undefined ? 'chooseFile' : 'replaceFile')}
      onStored={(metadata) => onChange({ type: 'Attachment', ...metadata })}
      actions={
        stored !== undefined && (
          <Button className="button quiet" onPress={() => onChange(undefined)}>
            {t('removeFile')}
          </Button>
        )
      }
    >
      {stored !== undefined && <ShowAttachment value={stored} where={where} />}
    </UploadArea>
  );
}
