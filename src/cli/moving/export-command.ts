// `cartulary export`: the records of a collection as a file, which appears whole or not at all.

import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve } from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import { rawOperations } from '../../../client/src/raw.ts';
import { Transport } from '../../../client/src/transport.ts';
import { type ExportJob, headerOf, runExport, USER_FORMS, type UserForm } from '../../moving/export/run-export.ts';
import { makePatience } from '../../moving/import/patience.ts';
import type { Application, Collection } from '../../wire/applications.ts';
import { countOf } from '../commands/columns.ts';
import {
  type CommandRow,
  JSON_OPTION,
  type OptionRow,
  type Printing,
  printJson,
  userCommand,
} from '../commands/row.ts';
import { CommandFailure, usageFailure } from '../failure.ts';
import { replaceable } from '../files/replaceable.ts';
import { FORCE_OPTION, refuseTaken } from '../files/save.ts';
import { writeProblem } from '../output.ts';
import { readOrder } from '../records/pages.ts';
import { type UserSession, userFailure } from '../user-session.ts';
import { type SavedFiles, savedFiles } from './export/saved-files.ts';
import { formatOf, tableWriter } from './formats/choose.ts';
import { columnNamed } from './import/mapping.ts';
import { makeProgress } from './import/progress.ts';
import { referencesBy } from './import-into.ts';
import { DELIMITER_OPTION, FORMAT_OPTION, readCount, TIME_ZONE_OPTION } from './reading-options.ts';

interface ExportOptions extends Printing {
  readonly columns?: string;
  readonly search?: string;
  readonly order?: string;
  readonly limit?: string;
  readonly format?: string;
  readonly delimiter?: string;
  readonly bom?: boolean;
  readonly timezone?: string;
  readonly metadata?: boolean;
  readonly users: string;
  readonly references?: string;
  readonly reference?: readonly string[];
  /** A folder, or false with --no-attachments. */
  readonly attachments?: string | boolean;
  readonly force?: true;
}

const OPTIONS: readonly OptionRow[] = [
  { flags: '--columns <names>', text: 'only these columns, separated by commas, in this order' },
  { flags: '--search <query>', text: 'only records that the query finds' },
  {
    flags: '--order <column>',
    text: 'a sortable column, createdAt (the default) or updatedAt; with - before it, descending',
  },
  { flags: '--limit <number>', text: 'at most so many records' },
  FORMAT_OPTION,
  DELIMITER_OPTION,
  { flags: '--bom', text: 'begin CSV with a byte order mark, without which Excel does not read UTF-8' },
  { ...TIME_ZONE_OPTION, text: `write and search times in this ${TIME_ZONE_OPTION.text}` },
  { flags: '--metadata', text: 'add $id, $createdAt, $createdBy, $updatedAt and $updatedBy' },
  { flags: '--users <form>', text: `write users by ${USER_FORMS.join(', ')}`, default: 'email' },
  {
    flags: '--references <form>',
    text: 'write referred records by their value or id; by default what finds them again',
  },
  {
    flags: '--reference <pair>',
    text: '"Column=Referred column": write that column of the referred records',
    repeated: true,
  },
  { flags: '--attachments <folder>', text: 'where to write attached files; by default beside the file' },
  { flags: '--no-attachments', text: 'write no files, only the IDs of attachments' },
  FORCE_OPTION,
  JSON_OPTION,
];

/** How long a server may be away. */
const PATIENCE_MS = 120_000;

async function exportCollection(session: UserSession, given: string, file: string | undefined, options: ExportOptions) {
  try {
    const application = (await session.definition()) as Application;
    const collection = (await session.collection(given)) as Collection;
    const toFile = file === undefined || file === '-' ? undefined : file;
    if (toFile !== undefined && !options.force) await refuseTaken(toFile);
    const format = formatOf(toFile ?? '', options.format ?? (toFile === undefined ? 'csv' : undefined));
    const job = jobOf(session, { application, collection, file: toFile }, options);
    const form = { format, delimiter: options.delimiter ?? ',', byteOrderMark: options.bom === true };
    const progress = makeProgress();
    const shown = { ...job, progress: (records: number) => progress.show(records, undefined) };
    const write = async (output: Writable) =>
      runExport(shown, await tableWriter(output, headerOf(job), form)).finally(() => progress.clear());
    const count = toFile === undefined ? await write(toStandardOutput()) : await wholeFile(toFile, write);
    if (toFile !== undefined) printDone(count, toFile, job.files, options);
    if (job.files !== undefined && job.files.missing.length > 0) {
      throw new CommandFailure(
        `${countOf(job.files.missing.length, 'attachment')} could not be fetched: ${job.files.missing.slice(0, 5).join(', ')}.`,
      );
    }
  } catch (error) {
    throw userFailure(error, session.login);
  }
}

/** An export to this machine. */
interface FileJob extends Omit<ExportJob, 'progress'> {
  readonly files: SavedFiles | undefined;
}

interface Place {
  readonly application: Application;
  readonly collection: Collection;
  readonly file: string | undefined;
}

function jobOf({ login }: UserSession, { application, collection, file }: Place, options: ExportOptions): FileJob {
  const { address: url, applicationId, token } = login;
  const raw = rawOperations(new Transport({ url, application: applicationId, token, retries: 0 }));
  const patience = makePatience(PATIENCE_MS, () => undefined);
  const columns = options.columns?.split(',').map((name) => columnNamed(collection, name.trim())) ?? collection.columns;
  const folder = folderOf(file, options.attachments);
  return {
    raw,
    application,
    columns,
    withMetadata: options.metadata === true,
    query: {
      collectionId: collection.id,
      search: options.search,
      timezone: options.timezone,
      ...readOrder(collection, options.order ?? 'createdAt'),
    },
    limit: options.limit === undefined ? undefined : readCount('--limit', options.limit, [1, 1_000_000_000]),
    timeZone: options.timezone,
    users: userForm(options.users),
    referencesBy: referencesBy(application.collections, collection, options.reference ?? []),
    references: referenceForm(options.references),
    files: folder === undefined ? undefined : savedFiles({ raw, collectionId: collection.id, ...folder, patience }),
    patience,
  };
}

function userForm(given: string): UserForm {
  const form = USER_FORMS.find((each) => each === given);
  if (form === undefined) throw usageFailure(`--users must be one of ${USER_FORMS.join(', ')}.`);
  return form;
}

function referenceForm(given: string | undefined): 'id' | 'value' | undefined {
  if (given === undefined || given === 'id' || given === 'value') return given;
  throw usageFailure('--references must be id or value.');
}

/** Paths in the file are relative to its folder. Undefined: no files are written. */
function folderOf(file: string | undefined, given: string | boolean | undefined) {
  if (given === false) return undefined;
  if (file === undefined) return typeof given === 'string' ? { folder: resolve(given), shownFolder: given } : undefined;
  const name = typeof given === 'string' ? given : `${parse(file).name}-files`;
  const folder = typeof given === 'string' ? resolve(given) : resolve(dirname(file), name);
  return { folder, shownFolder: name };
}

/** A reader that goes away (`| head`) ends the program quietly (cli/output). */
function toStandardOutput(): Writable {
  const output = new PassThrough();
  output.pipe(process.stdout, { end: false });
  return output;
}

async function wholeFile(file: string, write: (output: Writable) => Promise<number>): Promise<number> {
  const target = await replaceable(file);
  const unfinished = join(dirname(target), `.${basename(target)}.${randomBytes(4).toString('hex')}.part`);
  const output = createWriteStream(unfinished, { mode: 0o600, flags: 'wx' });
  // A disk can be full at any moment, also while the next page is awaited.
  const failed = new Promise<never>((_, reject) => {
    output.on('error', (error) => {
      reject(new CommandFailure(`Cannot write ${file}: ${writeProblem(error)}`, { cause: error }));
    });
  });
  try {
    const count = await Promise.race([failed, write(output)]);
    const handle = await open(unfinished, 'r');
    await handle.sync().finally(() => handle.close());
    await rename(unfinished, target);
    return count;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

function printDone(count: number, file: string, files: SavedFiles | undefined, { json }: ExportOptions): void {
  if (json) printJson({ records: count, files: files?.count ?? 0, file });
  else {
    const saved = files === undefined || files.count === 0 ? '' : ` and ${countOf(files.count, 'attached file')}`;
    console.log(`Exported ${countOf(count, 'record')}${saved} to ${file}.`);
  }
}

export const EXPORT_COMMANDS: readonly CommandRow[] = [
  userCommand<ExportOptions>({
    usage: 'export <collection> [file]',
    summary: 'export the records of a collection as CSV, JSON Lines or Excel; without a file, to standard output',
    options: OPTIONS,
    details: 'What is exported can be imported again. docs/import-export.md has more.',
    examples: [
      'export Bikes bikes.xlsx',
      "export Visits visits.csv --search 'Passed:false' --columns Site,Started --timezone Asia/Tokyo",
      'export Visits --format jsonl | head',
    ],
    run: (session, { args: [collection = '', file], options }) => exportCollection(session, collection, file, options),
  }),
];
