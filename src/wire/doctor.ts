// What `POST /operator/v1/doctor` answers: lines of JSON, one after the other as the attachments are looked through.

export interface DoctorOptions {
  readonly mend: boolean;
  /** Whether every file is read, and its hash compared. */
  readonly hashes: boolean;
  /** Mends also where so much is wrong that something else may be. */
  readonly force: boolean;
}

/** Each kind of finding, with what mending does about it. */
export const FINDINGS = {
  /** Removed. */
  bytesWithoutAttachment: 'Files that belong to no attachment',
  /** Removed. */
  bytesWithoutApplication: 'Files of applications that do not exist',
  /** Removed. */
  leftovers: 'Pieces of uploads beside attachments that are complete',
  /** Marked as missing. */
  withoutBytes: 'Attachments without their file',
  /** Marked as missing. */
  otherSize: 'Attachments whose file has another size',
  /** Marked as missing. */
  otherContent: 'Attachments whose file has other contents',
  /** Available again. */
  bytesBack: 'Attachments marked as missing whose file is back',
  /** Removed. */
  interrupted: 'Uploads whose server has gone, or that have expired',
  /** Finished. */
  halfRemoved: 'Removals that were not finished',
} as const;

export type FindingKind = keyof typeof FINDINGS;

export interface Finding {
  readonly type: 'finding';
  readonly kind: FindingKind;
  readonly applicationId: string;
  readonly attachmentId: string;
  /** Of a file beside the attachment's own. */
  readonly part?: string;
  readonly name?: string;
  /** Bytes that are stored; absent where none are, or where it is not known. */
  readonly size?: number;
  /** Bytes that there should be. */
  readonly expectedSize?: number;
}

export interface Progress {
  readonly type: 'progress';
  readonly step: 'files' | 'attachments' | 'mending';
  readonly done: number;
  /** About as many as there will be, where that is known. */
  readonly total?: number;
}

export interface Tally {
  found: number;
  mended: number;
  /** Found, and neither mended nor gone by itself meanwhile. */
  left: number;
}

export interface Looked {
  /** Where the files are: a folder, or a bucket. */
  readonly place: string;
  applications: number;
  /** Complete ones, also those marked as missing. */
  attachments: number;
  files: number;
  /** Marked as missing by an earlier mending, and still without their file. */
  missing: number;
}

export type DoctorLine =
  | Progress
  | Finding
  /** Nothing was mended, and why. */
  | { readonly type: 'refused'; readonly reason: string }
  /** It could not go on, and why. Nothing follows. */
  | { readonly type: 'stopped'; readonly reason: string }
  | { readonly type: 'end'; readonly looked: Looked; readonly tallies: Readonly<Record<FindingKind, Tally>> };
