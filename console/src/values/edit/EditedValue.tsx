// The editor of a value, by the type of its column. Each type has a file beside this one.

import { EditArray } from './array.tsx';
import { EditAttachment } from './attachment.tsx';
import { EditBoolean } from './boolean.tsx';
import { EditDate } from './date.tsx';
import { EditDateTime } from './date-time.tsx';
import type { EditProps } from './edit-props.ts';
import { EditLocation } from './location.tsx';
import { EditNumber } from './number.tsx';
import { EditObject } from './object.tsx';
import { EditReference } from './reference.tsx';
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
    case 'Object':
      return <EditObject {...props} />;
    case 'Array':
      return <EditArray {...props} />;
    default:
      return props.column satisfies never;
  }
}
