// An export of the log in the browser: what the interface streams, narrowed down, as a file of the chosen format.

import type { ActivityEntry, ActivityFilter, Client, RawActivityEntry } from '../../../client/src/main.ts';
import { isWanted } from './activity-address.ts';
import { kindOf } from './kinds.ts';

export interface ExportPeriod {
  readonly start: Date;
  /** Not part of it. */
  readonly end: Date;
}

export interface ExportProgress {
  readonly count: number;
  /** The date of the last entry that was read. */
  readonly reached: Date;
}

/** A file of the log in one format. */
export interface ExportFormat {
  readonly type: string;
  readonly ending: string;
  readonly line: (entry: RawActivityEntry) => string;
  /** What is left to write after the last entry. */
  readonly end: () => string;
}

export const JSON_LINES: ExportFormat = {
  type: 'application/x-ndjson',
  ending: 'ndjson',
  line: (entry) => `${JSON.stringify(entry)}\n`,
  end: () => '',
};

export const COLUMNS = [
  'date',
  'kind',
  'person',
  'personId',
  'collection',
  'collectionId',
  'subject',
  'context',
  'ip',
  'version',
  'details',
] as const;
export type ExportColumn = (typeof COLUMNS)[number];

/** Identifiers of what was done something to; the rest of `extra` are details. */
const SUBJECTS = ['recordId', 'attachmentId', 'tokenId', 'sessionId', 'notificationId', 'sharedUserId', 'userId'];

export function cellsOf(entry: RawActivityEntry): Readonly<Record<ExportColumn, string | number | undefined>> {
  const { extra } = entry;
  const subject = SUBJECTS.find((member) => extra[member] !== undefined);
  const details = Object.entries(extra).filter(([member]) => member !== subject);
  return {
    date: entry.date,
    kind: kindOf(entry),
    person: entry.user.name,
    personId: entry.user.id,
    collection: entry.collection?.name,
    collectionId: entry.collection?.id,
    subject: subject === undefined ? undefined : extra[subject],
    context: entry.source.context,
    ip: entry.source.ip,
    version: entry.application.version,
    details: details.length === 0 ? undefined : details.map(([member, value]) => `${member}: ${value}`).join(', '),
  };
}

/** A string of every entry would be slow to join, so texts are put together into parts of about this length. */
const PART_CHARACTERS = 256 * 1024;
const TOLD_EACH = 500;

export interface ExportInput {
  readonly period: ExportPeriod;
  readonly filter: ActivityFilter;
  readonly format: ExportFormat;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ExportProgress) => void;
}

export async function exportLog(
  { management }: Pick<Client, 'management'>,
  { period: { start, end }, filter, format, signal, onProgress }: ExportInput,
): Promise<{ readonly file: Blob; readonly count: number }> {
  const parts: Blob[] = [];
  let text = '';
  let [count, read] = [0, 0];
  for await (const entry of management.activityLog({ from: start, to: end }, { signal })) {
    read += 1;
    const raw = rawOf(entry);
    if (isWanted(raw, filter)) {
      count += 1;
      text += format.line(raw);
    }
    if (text.length > PART_CHARACTERS) {
      parts.push(new Blob([text]));
      text = '';
    }
    if (read % TOLD_EACH === 0) onProgress({ count, reached: entry.date });
  }
  signal.throwIfAborted();
  return { file: new Blob([...parts, text, format.end()], { type: format.type }), count };
}

const rawOf = ({ date, ...rest }: ActivityEntry): RawActivityEntry => ({ date: date.toISOString(), ...rest });
