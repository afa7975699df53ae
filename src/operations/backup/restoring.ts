// A backup that is being restored.

import type { OperatorContext } from '../../context.ts';
import type { Manifest } from '../../domain/backup/archive.ts';
import type { CopyConnection } from '../../store/database/copy-connections.ts';
import type { ArchiveCursor } from './archive-cursor.ts';

export interface RestoreOptions {
  /** The only one of the archive to be restored. */
  readonly applicationId?: string | undefined;
  /** Restores it as another application with this name. */
  readonly as?: string | undefined;
}

export interface Restoring {
  readonly context: Pick<OperatorContext, 'database' | 'attachments' | 'ids' | 'now' | 'observe' | 'invalidate'>;
  readonly cursor: ArchiveCursor;
  readonly manifest: Manifest;
  readonly options: RestoreOptions;
  /** Has the lock, and the rows of the system schema until they may be seen. */
  readonly holder: CopyConnection;
  readonly copier: CopyConnection;
  /** The new identifiers of the restored applications, by those in the archive. */
  readonly restored: Map<string, string>;
  readonly counts: { applications: number; rows: number; attachments: number; missing: number };
}
