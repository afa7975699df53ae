// What all that looks after applications by the clock has in common: its means, and the walk through all applications.

import type { AttachmentDependencies, OperatorContext } from '../context.ts';
import { getApplication, pageOfApplications } from '../store/applications/applications.ts';
import { StaleDefinition } from '../store/database/sqlstate.ts';

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
  readonly tell: (applicationId: string, error: unknown) => void;
}

/** What fails in one application is told of and stops nothing else. */
export async function forEveryApplication(
  context: Pick<UpkeepContext, 'database'>,
  signal: AbortSignal,
  { work, tell }: Upkeep,
): Promise<void> {
  for await (const applicationId of everyApplication(context)) {
    if (signal.aborted) return;
    try {
      await work(applicationId);
    } catch (error) {
      // It was published anew, or removed, meanwhile: the next walk knows the new definition.
      if (!(error instanceof StaleDefinition)) tell(applicationId, error);
    }
  }
}

/**
 * Asked whenever a StaleDefinition seems to say that there is none: a statement that fails for a moment looks the same
 * (store/database/sqlstate), and what is stored of an application that exists must not be taken for nobody's.
 */
export async function applicationExists(
  { database }: Pick<UpkeepContext, 'database'>,
  applicationId: string,
): Promise<boolean> {
  return (await getApplication(database.system, applicationId)) !== undefined;
}
