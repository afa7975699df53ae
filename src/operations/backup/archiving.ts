// A backup that is being made.

import type { OperatorContext } from '../../context.ts';
import type { ArchiveWriter } from '../../domain/backup/archive-writer.ts';
import type { Snapshot } from '../../store/backup/snapshot.ts';
import type { FileList } from './file-list.ts';

export interface Archiving {
  readonly context: Pick<OperatorContext, 'attachments' | 'version'>;
  readonly snapshot: Snapshot;
  readonly writer: ArchiveWriter;
  /** To be copied when the snapshot has ended. */
  readonly files: FileList;
  /** Of this application alone. */
  readonly applicationId: string | undefined;
}
