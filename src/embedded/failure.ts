// Failures of the bundled PostgreSQL as sentences for the operator: error classes and the translation of operating system
// codes. Nothing here touches a disk or a process.

/** A failure whose message is a sentence for the operator, printed without a stack. */
export class EmbeddedFailure extends Error {
  override readonly name: string = 'EmbeddedFailure';
}

/** Another running server uses the same data folder. */
export class DataFolderInUse extends EmbeddedFailure {
  override readonly name = 'DataFolderInUse';
  readonly pid: number;

  constructor(folder: string, pid: number) {
    super(`The data folder ${folder} is in use by another server (process ${pid}).`);
    this.pid = pid;
  }
}

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

export function noRoom(folder: string): EmbeddedFailure {
  return new EmbeddedFailure(
    `There is no space left on the disk that holds ${folder}; free some space and start again.`,
  );
}

/** Turns a file system error into a sentence; an unexpected error is returned unchanged, with its stack. */
export function folderFailure(folder: string, error: unknown): unknown {
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM':
      return new EmbeddedFailure(
        `This account cannot write to the folder ${folder}; change its owner or its mode, or choose another data folder.`,
      );
    case 'EROFS':
      return new EmbeddedFailure(`The folder ${folder} is on a read-only disk; choose another data folder.`);
    case 'ENOTDIR':
    case 'EEXIST':
      return new EmbeddedFailure(`The path ${folder} is not a folder; choose another data folder.`);
    case 'ENOSPC':
    case 'EDQUOT':
      return noRoom(folder);
    default:
      return error;
  }
}
