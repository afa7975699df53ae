// The JSON of attachments: the reply to an upload, which is also the content of an Attachment value.

import type { Static } from 'typebox';
import { identifier } from './identifiers.ts';
import { Type } from './type.ts';

export const AttachmentMetadata = Type.Object({
  id: identifier('attachmentId'),
  name: Type.String(),
  contentType: Type.String(),
  size: Type.Integer(),
});
export type AttachmentMetadata = Static<typeof AttachmentMetadata>;
