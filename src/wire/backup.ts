// The reply to `POST /operator/v1/restore`. Archives themselves are described in docs/architecture/backup.md.

import type { Static } from 'typebox';
import { identifier } from './identifiers.ts';
import { Type } from './type.ts';

export const RestoreReply = Type.Object({
  /** How many were restored. */
  applications: Type.Integer(),
  /** The one that was restored, unless it was the whole installation. */
  application: Type.Optional(Type.Object({ id: identifier('applicationId'), name: Type.String() })),
  rows: Type.Integer(),
  attachments: Type.Integer(),
  /** Attachments whose files were missing when the backup was made. */
  missing: Type.Integer(),
});
export type RestoreReply = Readonly<Static<typeof RestoreReply>>;
