// Attachment: names an uploaded file by its identifier. A later lookup checks that the caller may use it and fills in the
// other members.

import { isIdentifier, PATTERNS } from '../../wire/identifiers.ts';
import type { AttachmentValue } from '../../wire/values.ts';
import { readMembers, required, ValueProblem, type ValueType } from './value-type.ts';

export const attachmentType: ValueType<AttachmentValue> = {
  name: 'Attachment',
  members: ['id', 'name', 'contentType', 'size'],
  required: ['id'],
  sortable: true,
  read(input, { columnId, path, targets }) {
    const id = required(readMembers(attachmentType, input, path), 'id', path);
    if (!isIdentifier('attachmentId', id)) {
      throw new ValueProblem(
        `"id" must be the identifier of an attachment, of the form ${PATTERNS.attachmentId}`,
        `${path}/id`,
      );
    }
    const value: AttachmentValue = { type: 'Attachment', id, name: '', contentType: '', size: 0 };
    targets.push({ kind: 'attachment', columnId, path: `${path}/id`, id, value });
    return value;
  },
};
