// A value of any type, as people read it. Each type has a file beside this one.

import type { RawValue } from '../../api/client.ts';
import type { ShowProps } from '../where.ts';
import { ShowArray } from './array.tsx';
import { ShowAttachment } from './attachment.tsx';
import { ShowBoolean } from './boolean.tsx';
import { ShowDate } from './date.tsx';
import { ShowDateTime } from './date-time.tsx';
import { ShowLocation } from './location.tsx';
import { ShowNumber } from './number.tsx';
import { ShowObject } from './object.tsx';
import { ShowReference } from './reference.tsx';
import { ShowString } from './string.tsx';
import { ShowTime } from './time.tsx';
import { ShowUser } from './user.tsx';
import '../values.css';

export function ShownValue({ value, where }: ShowProps<RawValue>) {
  switch (value.type) {
    case 'String':
      return <ShowString value={value} where={where} />;
    case 'Number':
      return <ShowNumber value={value} where={where} />;
    case 'Boolean':
      return <ShowBoolean value={value} where={where} />;
    case 'DateTime':
      return <ShowDateTime value={value} where={where} />;
    case 'Date':
      return <ShowDate value={value} where={where} />;
    case 'Time':
      return <ShowTime value={value} where={where} />;
    case 'Location':
      return <ShowLocation value={value} where={where} />;
    case 'User':
      return <ShowUser value={value} where={where} />;
    case 'Attachment':
      return <ShowAttachment value={value} where={where} />;
    case 'Object':
      return <ShowObject value={value} where={where} />;
    case 'Array':
      return <ShowArray value={value} where={where} />;
    case 'ReferenceString':
    case 'ReferenceNumber':
    case 'ReferenceUser':
      return <ShowReference value={value} where={where} />;
    default:
      return value satisfies never;
  }
}
