// What `POST /operator/v1/doctor` answers: lines of JSON, one after the other as the attachments are looked through.

import type { Static } from 'typebox';
import { Type } from './type.ts';

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

const KINDS = Object.keys(FINDINGS) as FindingKind[];

const Finding = Type.Object({
  type: Type.Literal('finding'),
  kind: Type.Enum(KINDS),
  applicationId: Type.String(),
  attachmentId: Type.String(),
  /** Of a file beside the attachment's own. */
  part: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  /** Bytes that are stored; absent where none are, or where it is not known. */
  size: Type.Optional(Type.Integer()),
  /** Bytes that there should be. */
  expectedSize: Type.Optional(Type.Integer()),
});
export type Finding = Readonly<Static<typeof Finding>>;

const Progress = Type.Object({
  type: Type.Literal('progress'),
  step: Type.Enum(['files', 'attachments', 'mending']),
  done: Type.Integer(),
  /** About as many as there will be, where that is known. */
  total: Type.Optional(Type.Integer()),
});
export type Progress = Readonly<Static<typeof Progress>>;

const Tally = Type.Object({
  found: Type.Integer(),
  mended: Type.Integer(),
  /** Found, and neither mended nor gone by itself meanwhile. */
  left: Type.Integer(),
});
export type Tally = Static<typeof Tally>;

const Looked = Type.Object({
  /** Where the files are: a folder, or a bucket. */
  place: Type.String(),
  applications: Type.Integer(),
  /** Complete ones, also those marked as missing. */
  attachments: Type.Integer(),
  files: Type.Integer(),
  /** Marked as missing by an earlier mending, and still without their file. */
  missing: Type.Integer(),
});
export type Looked = Static<typeof Looked>;

export const DoctorLine = Type.Union([
  Progress,
  Finding,
  /** Nothing was mended, and why. */
  Type.Object({ type: Type.Literal('refused'), reason: Type.String() }),
  /** It could not go on, and why. Nothing follows. */
  Type.Object({ type: Type.Literal('stopped'), reason: Type.String() }),
  Type.Object({
    type: Type.Literal('end'),
    looked: Looked,
    tallies: Type.Unsafe<Readonly<Record<FindingKind, Tally>>>(
      Type.Object(Object.fromEntries(KINDS.map((kind) => [kind, Tally]))),
    ),
  }),
]);
export type DoctorLine = Readonly<Static<typeof DoctorLine>>;
