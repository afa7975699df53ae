// The reply to `POST /operator/v1/doctor`: JSON lines, streamed while the attachments are checked.

import type { Static } from 'typebox';
import { Type } from './type.ts';

export interface DoctorOptions {
  readonly mend: boolean;
  /** Reads every file and compares its hash. */
  readonly hashes: boolean;
  /** Repairs even if so much is wrong that the cause may lie elsewhere. */
  readonly force: boolean;
}

/** The kinds of findings, each with the result of a repair. */
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

const KINDS = Object.keys(FINDINGS) as FindingKind[];

const Finding = Type.Object({
  type: Type.Literal('finding'),
  kind: Type.Enum(KINDS),
  applicationId: Type.String(),
  attachmentId: Type.String(),
  /** Of a file other than the attachment's own. */
  part: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  /** Stored bytes; absent if there are none or the number is unknown. */
  size: Type.Optional(Type.Integer()),
  /** Expected bytes. */
  expectedSize: Type.Optional(Type.Integer()),
});
export type Finding = Readonly<Static<typeof Finding>>;

const Progress = Type.Object({
  type: Type.Literal('progress'),
  step: Type.Enum(['files', 'attachments', 'mending']),
  done: Type.Integer(),
  /** An estimate of the total, if known. */
  total: Type.Optional(Type.Integer()),
});
export type Progress = Readonly<Static<typeof Progress>>;

const DoctorTally = Type.Object({
  found: Type.Integer(),
  mended: Type.Integer(),
  /** Findings that were neither repaired nor resolved meanwhile. */
  left: Type.Integer(),
});
export type DoctorTally = Static<typeof DoctorTally>;

const Looked = Type.Object({
  /** The folder or bucket of the files. */
  place: Type.String(),
  applications: Type.Integer(),
  /** Complete attachments, including those marked as missing. */
  attachments: Type.Integer(),
  files: Type.Integer(),
  /** Marked as missing by an earlier repair and still without their file. */
  missing: Type.Integer(),
});
export type Looked = Static<typeof Looked>;

export const DoctorLine = Type.Union([
  Progress,
  Finding,
  /** Why nothing was repaired. */
  Type.Object({ type: Type.Literal('refused'), reason: Type.String() }),
  /** Why the check was aborted. The last line. */
  Type.Object({ type: Type.Literal('stopped'), reason: Type.String() }),
  Type.Object({
    type: Type.Literal('end'),
    looked: Looked,
    tallies: Type.Unsafe<Readonly<Record<FindingKind, DoctorTally>>>(
      Type.Object(Object.fromEntries(KINDS.map((kind) => [kind, DoctorTally]))),
    ),
  }),
]);
export type DoctorLine = Readonly<Static<typeof DoctorLine>>;
