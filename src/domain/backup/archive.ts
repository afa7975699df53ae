// The files of a backup's archive, in their order (docs/architecture/backup.md). Each name holds the SHA-256 of its bytes, and
// the last file holds that of all headers, so that an archive which was cut or changed is noticed wherever it happened.

import { PATTERNS } from '../../wire/identifiers.ts';

/** Raised when an older program could not read what a newer one writes. */
export const ARCHIVE_FORMAT = 1;
/** Rows are collected up to about this size. Hashing it takes less than a millisecond. */
export const TABLE_PART_BYTES = 256 * 1024;
/** More than any row can have. */
export const TABLE_PART_BYTES_MAX = 64 * 1024 * 1024;

export const MANIFEST = 'manifest.json';
export const END = 'end.json';

export interface ArchivedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The first file. */
export interface Manifest {
  readonly cartularyBackup: number;
  /** The version of the program that made it. */
  readonly program: string;
  /** The moment of which everything is. */
  readonly takenAt: string;
  /** Absent: of the whole installation. */
  readonly applicationId?: string;
  /** The last migrations applied to the system schema. */
  readonly migration: number;
  readonly system: readonly ArchivedTable[];
}

/** The first file of an application. */
export interface ArchivedApplication {
  readonly id: string;
  readonly name: string;
  readonly organization: string;
  readonly version: number;
  readonly generation: number;
  readonly publishedAt: string;
  /** The text that is stored. */
  readonly definition: string;
  /** The other definition of which tables may hold something, if a publishing was under way. */
  readonly publishing?: { readonly other: string; readonly switched: boolean; readonly startedAt: string };
  /** The last migration applied to its schema. */
  readonly migration: number;
  /** The partitions of its activity log. */
  readonly months: readonly string[];
  readonly tables: readonly ArchivedTable[];
}

/** The last file. */
export interface ArchiveTotals {
  readonly applications: number;
  readonly files: number;
  readonly attachments: number;
  /** Attachments whose bytes were not in the store, or were others. */
  readonly missing: number;
  /** Of the headers of all files before this one, and of the manifest, whose name holds no hash. */
  readonly sha256: string;
}

/** `hash`: SHA-256 in hex. */
export type ArchiveName =
  | { readonly kind: 'manifest' | 'end' }
  | { readonly kind: 'system'; readonly table: string; readonly hash: string }
  | { readonly kind: 'application'; readonly applicationId: string; readonly hash: string }
  | { readonly kind: 'table'; readonly applicationId: string; readonly table: string; readonly hash: string }
  | Readonly<Record<'applicationId' | 'attachmentId' | 'hash', string> & { kind: 'attachment' }>
  | { readonly kind: 'missing'; readonly applicationId: string; readonly attachmentId: string };

const part = (number: number): string => String(number).padStart(6, '0');

export const systemPartName = (table: string, number: number, hash: string): string =>
  `system/${table}/${part(number)}.${hash}.copy`;
export const applicationName = (applicationId: string, hash: string): string =>
  `applications/${applicationId}/application.${hash}.json`;
export const tablePartName = (at: { applicationId: string; table: string }, number: number, hash: string): string =>
  `applications/${at.applicationId}/${at.table}/${part(number)}.${hash}.copy`;
export const attachmentName = (applicationId: string, attachmentId: string, hash: string): string =>
  `attachments/${applicationId}/${attachmentId}.${hash}`;
/** Says that the bytes of the attachment are not in the archive, or that those before it are not its own. */
export const missingName = (applicationId: string, attachmentId: string): string =>
  `missing/${applicationId}/${attachmentId}`;

const bare = (pattern: string): string => pattern.slice(1, -1);
const APPLICATION = `(?<applicationId>${bare(PATTERNS.applicationId)})`;
const ATTACHMENT = `(?<attachmentId>${bare(PATTERNS.attachmentId)})`;
const HASH = '(?<hash>[0-9a-f]{64})';
const TABLE = '(?<table>[a-z][a-z0-9_]{0,62})';

const FORMS = [
  ['manifest', /^manifest\.json$/],
  ['end', /^end\.json$/],
  ['system', new RegExp(`^system/${TABLE}/\\d+\\.${HASH}\\.copy$`)],
  ['application', new RegExp(`^applications/${APPLICATION}/application\\.${HASH}\\.json$`)],
  ['table', new RegExp(`^applications/${APPLICATION}/${TABLE}/\\d+\\.${HASH}\\.copy$`)],
  ['attachment', new RegExp(`^attachments/${APPLICATION}/${ATTACHMENT}\\.${HASH}$`)],
  ['missing', new RegExp(`^missing/${APPLICATION}/${ATTACHMENT}$`)],
] as const;

/** undefined: no file of a backup. */
export function parseArchiveName(name: string): ArchiveName | undefined {
  for (const [kind, form] of FORMS) {
    const found = form.exec(name);
    if (found !== null) return { kind, ...found.groups } as ArchiveName;
  }
  return undefined;
}
