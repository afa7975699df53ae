// Cleans up after publishes whose process ended.

import { listUnfinishedPublishes } from '../../store/applications/publish-state.ts';
import { cleanUpAbandoned, reportUnsettled } from '../applications/cleanup.ts';
import type { PublishingContext } from '../applications/filling.ts';

export async function cleanUpInterruptedPublishes(context: PublishingContext): Promise<void> {
  for (const applicationId of await listUnfinishedPublishes(context.database.system)) {
    if (context.database.isPublishing(applicationId)) continue;
    await cleanUpAbandoned(context, applicationId).catch((error: unknown) =>
      reportUnsettled(context, applicationId, error),
    );
  }
}
