// The editor of a value, by the type of its column. Each type has a file beside this one.

import { EditArray } from './array.tsx';
import { EditAttachment } from './attachment.tsx';
import { EditBoolean } from './boolean.tsx';
import { EditedLine, isLine } from './EditedLine.tsx';
import type { EditProps } from './edit-props.ts';
import { EditLocation } from './location.tsx';
import { EditObject } from './object.tsx';
import { EditReference } from './reference.tsx';
import { EditUser } from './user.tsx';

export function EditedValue(props: EditProps) {
  const { type } = props.column;
  if (isLine(type)) return <EditedLine type={type} {...props} />;
  switch (type) {
    case 'Boolean':
      return <EditBoolean {...props} />;
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
      return type satisfies never;
  }
}
