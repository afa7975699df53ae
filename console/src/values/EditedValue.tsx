// The editor of a value, by the type of its column. Types without an editor yet are shown as they are.

import { useTranslations } from 'use-intl';
import { EditBoolean } from './boolean.tsx';
import { EditDate } from './date.tsx';
import { EditDateTime } from './date-time.tsx';
import type { EditProps } from './edit.ts';
import { EditNumber } from './number.tsx';
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
