// What the sweep, the erasure and the doctor have in common: their means, and the walk through all applications.

import type { AttachmentMeans, OperatorContext } from '../context.ts';
import { getApplication } from '../store/applications.ts';
import { pageOfApplications } from '../store/attachment-sweeps.ts';

export interface UpkeepContext extends Pick<OperatorContext, 'database' | 'now' | 'observe'> {
  readonly attachments: Pick<AttachmentMeans, 'blobs' | 'node' | 'receiving' | 'looksApartMs'>;
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

/**
 * Asked whenever a StaleDefinition seems to say that there is none: a statement that fails for a moment looks the same
 * (store/sqlstate), and what is stored of an application that exists must not be taken for nobody's.
 */
export async function applicationExists(
  { database }: Pick<UpkeepContext, 'database'>,
  applicationId: string,
): Promise<boolean> {
  return (await getApplication(database.system, applicationId)) !== undefined;
}
