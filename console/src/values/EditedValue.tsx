// The editor of a value, by the type of its column. Objects and arrays have none yet and are shown as they are.

import { useTranslations } from 'use-intl';
import { EditAttachment } from './attachment.tsx';
import { EditBoolean } from './boolean.tsx';
import { EditDate } from './date.tsx';
import { EditDateTime } from './date-time.tsx';
import type { EditProps } from './edit.ts';
import { EditLocation } from './location.tsx';
import { EditNumber } from './number.tsx';
import { EditReference } from './reference.tsx';
import { ShownValue } from './ShownValue.tsx';
import { EditString } from './string.tsx';
import { EditTime } from './time.tsx';
import { EditUser } from './user.tsx';

export function EditedValue(props: EditProps) {
  switch (props.column.type) {
    case 'String':
      return <EditString {...props} />;
    case 'Number':
      return <EditNumber {...props} />;
    case 'Boolean':
      return <EditBoolean {...props} />;
    case 'Date':
      return <EditDate {...props} />;
    case 'Time':
      return <EditTime {...props} />;
    case 'DateTime':
      return <EditDateTime {...props} />;
    case 'User':
      return <EditUser {...props} />;
    case 'Location':
      return <EditLocation {...props} />;
    case 'Attachment':
      return <EditAttachment {...props} />;
    case 'ReferenceString':
    case 'ReferenceNumber':
    case 'ReferenceUser':
      return <EditReference {...props} />;
    default:
      return <Unedited {...props} />;
  }
}

function Unedited({ column, value, where }: EditProps) {
  const t = useTranslations('values');
  return (
    <div className="field">
      <span className="label">{column.name}</span>
      {value !== undefined && <ShownValue value={value} where={where} />}
      <span className="hint">{t('notEditable')}</span>
    </div>
  );
}
