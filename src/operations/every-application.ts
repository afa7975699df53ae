// The context of upkeep, and walks through all applications.

import type { AttachmentDependencies, OperatorContext } from '../context.ts';
import { getApplication, pageOfApplications } from '../store/applications/applications.ts';
import { StaleDefinition } from '../store/database/database-errors.ts';

export interface UpkeepContext extends Pick<OperatorContext, 'database' | 'now' | 'observe'> {
  readonly attachments: Pick<AttachmentDependencies, 'blobs' | 'node' | 'activeUploads' | 'goneCheckPauseMs'>;
}

export async function* everyApplication({ database }: Pick<UpkeepContext, 'database'>): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const page = await pageOfApplications(database.system, after);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

interface Upkeep {
  readonly work: (applicationId: string) => Promise<void>;
  readonly report: (applicationId: string, error: unknown) => void;
}

/** Errors of one application are reported and do not end the walk. */
export async function forEveryApplication(
  context: Pick<UpkeepContext, 'database'>,
  signal: AbortSignal,
  { work, report }: Upkeep,
): Promise<void> {
  for await (const applicationId of everyApplication(context)) {
    if (signal.aborted) return;
    try {
      await work(applicationId);
    } catch (error) {
      // The application was published again or removed meanwhile; the next walk reads the current definition.
      if (!(error instanceof StaleDefinition)) report(applicationId, error);
    }
  }
}

/**
 * Confirms that an application is gone before its data is treated as orphaned: a StaleDefinition alone may also come from
 * a transient failure (store/database/database-errors).
 */
export async function applicationExists(
  { database }: Pick<UpkeepContext, 'database'>,
  applicationId: string,
): Promise<boolean> {
  return (await getApplication(database.system, applicationId)) !== undefined;
}
