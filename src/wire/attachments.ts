// Attachments as they travel: what an upload answers, and what an Attachment value is made of.

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
