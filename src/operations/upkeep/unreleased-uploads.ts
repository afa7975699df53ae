// Releases claims on announced uploads, and the Idempotency-Keys of uploads, whose release failed because the database was
// unavailable (operations/attachments/announced-uploads, operations/attachments/keyed-uploads).

import { releaseUpload } from '../../store/attachments/announced-uploads.ts';
import { StaleDefinition } from '../../store/database/database-errors.ts';
import { releaseKey } from '../../store/idempotency/keys.ts';
import type { UpkeepContext } from '../every-application.ts';

type ClaimsContext = Pick<UpkeepContext, 'database' | 'now'> & {
  readonly attachments: Pick<UpkeepContext['attachments'], 'node' | 'activeUploads'>;
};

/** Registers as the active upload meanwhile: a new request for the same upload claims it again. */
export async function releaseClaims({ database, now, attachments }: ClaimsContext): Promise<void> {
  const { node, activeUploads } = attachments;
  for (const [id, { applicationId, expiresAt }] of activeUploads.unreleased) {
    if (activeUploads.has(id)) continue;
    const active = await activeUploads.begin(id);
    try {
      if (now() < Date.parse(expiresAt)) await releaseUpload(database.application(applicationId), id, node);
      activeUploads.unreleased.delete(id);
    } catch {
      // Tried again in the next round.
    } finally {
      active.end();
    }
  }
}

/** Until then a repetition on another node is refused, because this node seems to be receiving the file. */
export async function releaseKeys({ database, attachments }: Omit<ClaimsContext, 'now'>): Promise<void> {
  const { node, activeUploads } = attachments;
  for (const [attachmentId, { applicationId, ...key }] of activeUploads.unreleasedKeys) {
    try {
      await releaseKey(database.application(applicationId), key, { attachmentId, node });
    } catch (error) {
      // The application was removed. After any other failure it is tried again in the next round.
      if (!(error instanceof StaleDefinition)) continue;
    }
    activeUploads.unreleasedKeys.delete(attachmentId);
  }
}
