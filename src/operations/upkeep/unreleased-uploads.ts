// Releases claims on announced uploads whose release failed because the database was unavailable
// (operations/attachments/announced-uploads).

import { releaseUpload } from '../../store/attachments/announced-uploads.ts';
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
