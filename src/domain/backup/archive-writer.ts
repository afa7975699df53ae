// Makes the bytes of a backup's archive, file by file.

import { createHash } from 'node:crypto';
import {
  type ArchivedApplication,
  type ArchiveTotals,
  applicationName,
  attachmentName,
  END,
  MANIFEST,
  type Manifest,
  missingName,
  systemPartName,
  tablePartName,
} from './archive.ts';
import { paddingOf, TAR_END, tarHeader } from './tar.ts';

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export class ArchiveWriter {
  readonly #headers = createHash('sha256');
  readonly #seconds: number;
  readonly #counts = { applications: 0, files: 0, attachments: 0, missing: 0 };

  constructor(takenAt: Date) {
    this.#seconds = Math.floor(takenAt.getTime() / 1000);
  }

  get totals(): Omit<ArchiveTotals, 'sha256'> {
    return this.#counts;
  }

  manifest(manifest: Manifest): Buffer {
    const bytes = Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
    const file = this.#file(MANIFEST, bytes);
    this.#headers.update(bytes);
    return file;
  }

  systemPart(table: string, number: number, bytes: Buffer): Buffer {
    return this.#file(systemPartName(table, number, sha256(bytes)), bytes);
  }

  application(application: ArchivedApplication): Buffer {
    this.#counts.applications += 1;
    const bytes = Buffer.from(`${JSON.stringify(application, undefined, 2)}\n`);
    return this.#file(applicationName(application.id, sha256(bytes)), bytes);
  }

  tablePart(at: { readonly applicationId: string; readonly table: string }, number: number, bytes: Buffer): Buffer {
    return this.#file(tablePartName(at, number, sha256(bytes)), bytes);
  }

  /** The bytes follow, and then the padding of their size. */
  attachmentHeader(applicationId: string, { id, size, hash }: { id: string; size: number; hash: string }): Buffer {
    this.#counts.attachments += 1;
    return this.#header(attachmentName(applicationId, id, hash), size);
  }

  missing(applicationId: string, attachmentId: string): Buffer {
    this.#counts.missing += 1;
    return this.#file(missingName(applicationId, attachmentId), Buffer.alloc(0));
  }

  end(): Buffer {
    const totals: ArchiveTotals = { ...this.#counts, sha256: this.#headers.digest('hex') };
    const bytes = Buffer.from(`${JSON.stringify(totals, undefined, 2)}\n`);
    const header = tarHeader({ name: END, size: bytes.length }, this.#seconds);
    return Buffer.concat([header, bytes, paddingFor(bytes.length), TAR_END]);
  }

  #header(name: string, size: number): Buffer {
    const header = tarHeader({ name, size }, this.#seconds);
    this.#headers.update(header);
    this.#counts.files += 1;
    return header;
  }

  #file(name: string, bytes: Buffer): Buffer {
    return Buffer.concat([this.#header(name, bytes.length), bytes, paddingFor(bytes.length)]);
  }
}

export const paddingFor = (size: number): Buffer => Buffer.alloc(paddingOf(size));
