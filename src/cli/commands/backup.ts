// `cartulary backup` and `cartulary restore`: the file is written and read here; the rest is done by the server.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RestoreReply } from '../../wire/backup.ts';
import {
  backupFileName,
  type CheckedBackup,
  checkBackup,
  openArchive,
  removeOldBackups,
  writeBackup,
} from '../backup-file.ts';
import { CommandFailure, usageFailure } from '../failure.ts';
import { FORCE_OPTION, refuseTaken } from '../files/save.ts';
import type { AddressOptions } from '../operator-address.ts';
import { connectOperator, type TransferClient } from '../operator-client.ts';
import { isCut } from '../operator-connection.ts';
import { print } from '../output.ts';
import { countOf } from './columns.ts';
import { OPERATOR_OPTIONS } from './connection-options.ts';
import { chooseApplication, findApplicationId } from './names.ts';
import { type CommandRow, JSON_OPTION, localCommand, type Printing, printJson } from './row.ts';
import { type StatusLine, statusLine } from './status-line.ts';

const LINE_MS = 10_000;
const MEGABYTE = 1_000_000;

interface BackupOptions extends AddressOptions, Printing {
  readonly application?: string;
  readonly check: boolean;
  readonly keep?: string;
  readonly force?: true;
}

const STANDARD = '-';

async function backUp(place: string, options: BackupOptions, environment: NodeJS.ProcessEnv): Promise<void> {
  if (place === STANDARD) {
    await backUpToOutput(options, environment);
    return;
  }
  if (options.check) {
    if (options.keep !== undefined || options.application !== undefined) {
      throw usageFailure('--check verifies a file; it goes with neither --keep nor --application.');
    }
    await check(place, options);
    return;
  }
  const folder = await isFolder(place);
  if (options.keep !== undefined && !folder) {
    throw usageFailure(`--keep needs a folder, and ${place} is none. Create it first, or leave --keep out.`);
  }
  if (!folder && !options.force) await refuseTaken(place);
  const { client, applicationId } = await findBackedUp(options, environment);
  const path = folder ? join(place, backupFileName(new Date(), applicationId)) : place;
  const written = await write({ client, applicationId }, path);
  const removed = options.keep === undefined ? [] : await removeOldBackups(path, Number(options.keep));
  if (options.json) printJson({ file: path, ...summaryOf(written), bytes: written.bytes, removed });
  else {
    console.log(`${path}: ${described(written)}, ${megabytes(written.bytes)}, verified.`);
    if (removed.length > 0) console.log(`Removed ${countOf(removed.length, 'older backup')}.`);
  }
  warnOfMissing(written);
}

interface BackedUp {
  readonly client: TransferClient;
  readonly applicationId: string | undefined;
}

async function findBackedUp(options: BackupOptions, environment: NodeJS.ProcessEnv): Promise<BackedUp> {
  const client = await connectOperator(environment, options);
  const { application } = options;
  return {
    client,
    applicationId: application === undefined ? undefined : await findApplicationId(client, application),
  };
}

/** For a container, whose files are out of reach. */
async function backUpToOutput(options: BackupOptions, environment: NodeJS.ProcessEnv): Promise<void> {
  if (options.check || options.keep !== undefined || options.json || options.force) {
    throw usageFailure('--check, --keep, --force and --json go with a file, not with standard output.');
  }
  if (process.stdout.isTTY) {
    throw usageFailure('A backup is no text for a terminal: name a file, or redirect standard output.');
  }
  const { client, applicationId } = await findBackedUp(options, environment);
  const written = await receive({ client, applicationId }, 'What was written is of no use.', async (bytes) => {
    let sum = 0;
    for await (const chunk of bytes) {
      await print(chunk);
      sum += chunk.length;
    }
    return sum;
  });
  console.error(`${megabytes(written)} written to standard output, not verified: \`backup --check <file>\` does that.`);
}

function write(of: BackedUp, path: string) {
  return receive(of, 'Nothing of it was kept.', (bytes, shown) =>
    writeBackup(path, bytes, (read) => shown.show(`Verifying: ${megabytes(read)}`)),
  );
}

/** `left`: a sentence on what became of the first part if the rest does not come. */
async function receive<T>(
  { client, applicationId }: BackedUp,
  left: string,
  work: (bytes: AsyncIterable<Buffer>, shown: StatusLine) => Promise<T>,
): Promise<T> {
  const shown = statusLine({ everyMs: LINE_MS, firstMs: LINE_MS });
  const query = applicationId === undefined ? '' : `?application=${applicationId}`;
  try {
    const bytes = counted(client.bytes(`/backup${query}`), (read) => shown.show(`Backing up: ${megabytes(read)}`));
    return await work(bytes, shown);
  } catch (error) {
    const cut = [error, (error as Error).cause].some(isCut);
    if (!cut) throw error;
    throw new CommandFailure(
      `The server at ${client.root} ended the backup before it was complete; its log has the reason. ${left}`,
      { cause: error, exit: 'unavailable' },
    );
  } finally {
    shown.clear();
  }
}

async function* counted(bytes: AsyncIterable<Buffer>, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  let read = 0;
  for await (const chunk of bytes) {
    read += chunk.length;
    onBytes(read);
    yield chunk;
  }
}

async function check(path: string, options: Printing): Promise<void> {
  const checked = await verify(path);
  if (options.json) printJson({ file: path, ...summaryOf(checked) });
  else console.log(`${path} is whole: ${described(checked)}.`);
  warnOfMissing(checked);
}

async function verify(path: string): Promise<CheckedBackup> {
  const shown = statusLine({ everyMs: LINE_MS, firstMs: LINE_MS });
  try {
    return await checkBackup(path, (read) => shown.show(`Verifying: ${megabytes(read)}`));
  } finally {
    shown.clear();
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

const isPipe = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => !found.isFile() && !found.isDirectory(),
    () => false,
  );

const megabytes = (bytes: number): string =>
  `${(bytes / MEGABYTE).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;

const summaryOf = ({ manifest, totals }: CheckedBackup) => ({
  takenAt: manifest.takenAt,
  version: manifest.program,
  applications: totals.applications,
  attachments: totals.attachments,
  missing: totals.missing,
});

const described = ({ manifest, totals }: CheckedBackup): string =>
  `${countOf(totals.applications, 'application')} and ${countOf(totals.attachments, 'attachment')} as of ${manifest.takenAt}`;

/** On standard error: a script that reads the result is not disturbed, and cron sends it by mail. */
function warnOfMissing({ totals: { missing } }: CheckedBackup): void {
  if (missing === 0) return;
  console.error(
    `${countOf(missing, 'attachment has', 'attachments have')} no file, or another one than stored; the backup says so. Run \`doctor --hashes\` to see which.`,
  );
}

interface RestoreOptions extends AddressOptions, Printing {
  readonly application?: string;
  readonly as?: string;
}

async function restore(path: string, options: RestoreOptions, environment: NodeJS.ProcessEnv): Promise<void> {
  if (path === STANDARD || (await isPipe(path))) {
    throw usageFailure('A backup is verified before it is restored, so it has to be a file: write it to one first.');
  }
  const client = await connectOperator(environment, options);
  const checked = await verify(path);
  const query = new URLSearchParams();
  if (options.application !== undefined) {
    query.set('application', chooseApplication(checked.applications, options.application));
  }
  if (options.as !== undefined) query.set('as', options.as);
  const shown: StatusLine = statusLine({ everyMs: LINE_MS, firstMs: LINE_MS });
  try {
    const archive = await openArchive(path, (read) => shown.show(`Restoring: ${megabytes(read)}`));
    const restored = (await client.upload(`/restore?${query}`, archive)) as RestoreReply;
    shown.clear();
    if (options.json) printJson(restored);
    else printRestored(restored, checked);
  } finally {
    shown.clear();
  }
}

function printRestored(restored: RestoreReply, { manifest }: CheckedBackup): void {
  const { applications, application, attachments, missing } = restored;
  const what =
    application === undefined ? countOf(applications, 'application') : `${application.name} (${application.id})`;
  const files = attachments === 0 ? '' : ` with ${countOf(attachments, 'attachment')}`;
  console.log(`Restored ${what}${files} as of ${manifest.takenAt}.`);
  if (missing > 0) console.log(`${countOf(missing, 'attachment')} had no file when the backup was made.`);
  if (application === undefined) {
    console.log('Restart the servers: they read the key of push notifications when they start.');
  }
}

function readKeep(value: string): string {
  if (/^[1-9]\d{0,5}$/.test(value)) return value;
  throw usageFailure('--keep must be a whole number from 1.');
}

export const BACKUP_COMMANDS: readonly CommandRow[] = [
  localCommand<BackupOptions>({
    usage: 'backup <place>',
    summary: 'write a backup of the database and all attachments to a file or into a folder, while the server runs',
    options: [
      { flags: '--application <application>', text: 'back up one application alone' },
      {
        flags: '--keep <number>',
        text: 'keep so many of the newest backups in the folder, and remove older ones',
        read: readKeep,
      },
      { flags: '--check', text: 'verify an existing backup instead, without a server', default: false },
      FORCE_OPTION,
      JSON_OPTION,
      ...OPERATOR_OPTIONS,
    ],
    details: `In a folder the file is named by the time: cartulary-20261116T093000Z.tar.gz. A file whose name ends in .gz is
compressed. The file holds password hashes and keys, and can be read by its owner only. - is standard output, where the
backup is neither compressed nor verified.`,
    examples: ['backup /var/backups/cartulary --keep 7', 'backup - > cartulary.tar', 'backup --check cartulary.tar.gz'],
    run: ({ args: [place = ''], options, environment }) => backUp(place, options, environment),
  }),
  localCommand<RestoreOptions>({
    usage: 'restore <file>',
    summary: 'restore a backup into an empty server, or one application of it beside others',
    options: [
      { flags: '--application <application>', text: 'restore only this application of the backup' },
      { flags: '--as <name>', text: 'restore it as another application with this name and a new identifier' },
      JSON_OPTION,
      ...OPERATOR_OPTIONS,
    ],
    examples: [
      'restore cartulary.tar.gz',
      "restore cartulary.tar.gz --application 'Field inspections' --as 'Inspections in May'",
    ],
    run: ({ args: [file = ''], options, environment }) => restore(file, options, environment),
  }),
];
