// The part of `import` after the collection is known: the preview, the dry run, the import itself and what is said of it.

import { basename, dirname, join, resolve } from 'node:path';
import { ConnectionError } from '../../../client/src/errors.ts';
import type { RawOperations } from '../../../client/src/operation-types.ts';
import { listed, shown } from '../../domain/definition/problems.ts';
import type { FileFormat } from '../../moving/formats/format-names.ts';
import type { Cell, ReadOptions } from '../../moving/formats/table.ts';
import { type Checked, dryRun } from '../../moving/import/dry-run.ts';
import type { Journal, RejectedRow } from '../../moving/import/journal.ts';
import { isMetadata, type Mapping } from '../../moving/import/mapping.ts';
import { makePatience, type WaitReason } from '../../moving/import/patience.ts';
import { type ImportJob, runImport } from '../../moving/import/run-import.ts';
import type { Survey } from '../../moving/import/survey.ts';
import { problemSentences } from '../../moving/problems.ts';
import { isReference } from '../../moving/values/cell-values.ts';
import type { Application, Collection, Column } from '../../wire/applications.ts';
import { countOf, printTable } from '../commands/columns.ts';
import { type Printing, printJson } from '../commands/row.ts';
import { CommandFailure, usageFailure } from '../failure.ts';
import { formatOf, openTable } from './formats/choose.ts';
import { attachedFiles } from './import/attached-files.ts';
import { openJournal } from './import/journal.ts';
import { columnNamed, type MappingOptions, mapColumns, requireMatch } from './import/mapping.ts';
import { makeProgress } from './import/progress.ts';
import { writeRejected } from './import/rejected-file.ts';
import { contentHash, firstValues } from './import/survey.ts';
import { type FileOptions, readCount, readingOf, readOptionsOf, type ValueOptions } from './reading-options.ts';

export interface ImportOptions extends FileOptions, ValueOptions, MappingOptions, Printing {
  readonly upsert?: string;
  readonly clearEmpty?: boolean;
  readonly reference?: readonly string[];
  readonly attachments?: string;
  readonly dryRun?: boolean;
  readonly restart?: boolean;
  readonly parallel: string;
  readonly maxRejected: string;
  readonly wait: string;
}

interface Source {
  readonly file: string;
  readonly survey: Survey;
  /** By the name of the column: what another product's way of writing becomes first. */
  readonly rewrites?: ReadonlyMap<string, (cell: Cell) => Cell>;
}

/** Where the records go. */
interface Target extends Source {
  readonly application: Pick<Application, 'id' | 'collections'>;
  readonly collection: Collection;
  readonly raw: RawOperations;
  readonly address: string;
}

/** An import of a file on this machine. */
interface FileJob extends ImportJob {
  readonly file: string;
  readonly format: FileFormat;
  readonly readOptions: ReadOptions;
  readonly attachmentFolder: string | undefined;
  readonly patienceMs: number;
}

const EXAMPLES_MAX = 5;

export async function importInto(target: Target, options: ImportOptions): Promise<void> {
  const job = jobOf(target.application.collections, target, options);
  if (options.dryRun) printChecked(await check(job, target.raw), job, options);
  else await store(job, target, options);
}

/** A dry run for a collection that does not exist yet. */
export async function checkFile(
  source: Source & { readonly collection: Collection },
  options: ImportOptions,
): Promise<void> {
  const job = jobOf([source.collection], source, options);
  printChecked(await check(job, undefined), job, options);
}

const WAITING: Readonly<Record<WaitReason, string>> = {
  away: 'The server does not answer; waiting …',
  busy: 'The server is busy; waiting …',
};

/** `raw` is undefined if the collection does not exist yet. */
async function check(job: FileJob, raw: RawOperations | undefined): Promise<Checked> {
  const progress = makeProgress();
  try {
    return await dryRun(job, {
      connection: raw === undefined ? undefined : connectionOf(job, raw, '', (reason) => progress.say(WAITING[reason])),
      progress: (rows, _, share) => progress.show(rows, share),
    });
  } finally {
    progress.clear();
  }
}

function connectionOf(job: FileJob, raw: RawOperations, journalId: string, waiting: (reason: WaitReason) => void) {
  const { file, collection, attachmentFolder, patienceMs } = job;
  const patience = makePatience(patienceMs, waiting);
  const folder = resolve(attachmentFolder ?? dirname(file));
  return { raw, patience, files: attachedFiles({ raw, collectionId: collection.id, folder, journalId, patience }) };
}

async function store(job: FileJob, { application, address, raw }: Target, options: ImportOptions): Promise<void> {
  const { file, collection } = job;
  const journal = await openJournal({
    path: journalPath(file, collection.id),
    file: basename(file),
    content: await contentHash(file),
    target: JSON.stringify([address, application.id, collection.id, conversionOf(job)]),
    isUpsert: job.upsertKey !== undefined,
    restart: options.restart === true,
  });
  const earlier = journal.stored;
  if (earlier > 0 && !options.json)
    console.log(`Going on: ${countOf(earlier, 'record is', 'records are')} stored already.`);
  const startedAt = performance.now();
  const progress = makeProgress();
  try {
    await runImport(job, journal, {
      ...connectionOf(job, raw, journal.head.id, (reason) => progress.say(WAITING[reason])),
      progress: (rows, share) => progress.show(rows, share),
    });
  } catch (error) {
    throw interrupted(error, journal);
  } finally {
    progress.clear();
    journal.close();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await printStored(job, journal, { earlier, seconds }, options);
}

/** Beside the file, so that it is seen and found again. */
export const journalPath = (file: string, collectionId: string): string =>
  join(dirname(file), `${basename(file)}.${collectionId}.import`);

/** Everything that decides which values a row gives: another choice makes another import. */
const conversionOf = ({ preparation, upsertKey, referencesBy, format, readOptions, attachmentFolder }: FileJob) => ({
  columns: preparation.mapping.mapped.map(({ name, column }) => [name, column.id, column.type]),
  reading: preparation.reading,
  clearEmpty: preparation.clearEmpty,
  rewritten: [...(preparation.rewrites?.keys() ?? [])],
  upsertKey: upsertKey?.id,
  referencesBy: [...referencesBy].map(([id, column]) => [id, column.id]),
  format,
  readOptions,
  attachmentFolder,
});

function interrupted(error: unknown, { stored }: Journal): unknown {
  if (!(error instanceof ConnectionError)) return error;
  return new CommandFailure(
    `The server was away for too long. ${countOf(stored, 'record is', 'records are')} stored; run the same command again to go on, and --wait waits longer.`,
    { cause: error, exit: 'unavailable' },
  );
}

function jobOf(
  collections: readonly Collection[],
  { collection, file, survey, rewrites = new Map() }: Source & { readonly collection: Collection },
  options: ImportOptions,
): FileJob {
  const format = formatOf(file, options.format);
  const readOptions = readOptionsOf(options);
  const mapping = mapColumns(survey.header, collection, options);
  requireMatch(mapping, survey.header, collection);
  if (!options.json) printPreview(survey, mapping);
  return {
    file,
    format,
    readOptions,
    open: () => openTable(file, format, readOptions),
    application: { collections: [...collections] },
    collection,
    preparation: {
      mapping,
      reading: readingOf(options, survey),
      rewrites: new Map(
        collection.columns.flatMap(({ id, name }) => {
          const rewrite = rewrites.get(name);
          return rewrite === undefined ? [] : [[id, rewrite] as const];
        }),
      ),
      clearEmpty: options.clearEmpty === true,
    },
    upsertKey: options.upsert === undefined ? undefined : upsertColumn(collection, options.upsert, mapping),
    referencesBy: referencesBy(collections, collection, options.reference ?? []),
    attachmentFolder: options.attachments,
    parallel: readCount('--parallel', options.parallel, [1, 16]),
    rejectedMax: readCount('--max-rejected', options.maxRejected, [0, 1_000_000]),
    patienceMs: readCount('--wait', options.wait, [0, 86_400]) * 1000,
  };
}

function upsertColumn(collection: Collection, given: string, mapping: Mapping): Column {
  const column = columnNamed(collection, given);
  if (!column.unique || !column.searchable) {
    const lacks = [column.unique ? '' : 'unique', column.searchable ? '' : 'searchable'].filter(Boolean).join(' and ');
    throw new CommandFailure(`${shown(column.name)} cannot find records: it is not ${lacks}. Publish it so first.`);
  }
  if (mapping.mapped.some(({ column: { id } }) => id === column.id)) return column;
  throw new CommandFailure(`The file has no column for ${shown(column.name)}, by which records are found.`);
}

/** `Column=Referred column` */
export function referencesBy(
  collections: readonly Collection[],
  collection: Collection,
  pairs: readonly string[],
): Map<string, Column> {
  return new Map(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw usageFailure(`--reference ${pair} should look like --reference "Column=Referred column".`);
      const column = columnNamed(collection, pair.slice(0, at));
      if (!isReference(column)) throw usageFailure(`--reference ${pair}: ${shown(column.name)} is not a reference.`);
      const referred = collections.find(({ id }) => id === column.scheme.collectionId);
      if (referred === undefined) throw usageFailure(`--reference ${pair}: the referred collection is not there.`);
      return [column.id, columnNamed(referred, pair.slice(at + 1))];
    }),
  );
}

function printPreview(survey: Survey, mapping: Mapping): void {
  const rows = mapping.mapped.map(({ name, index, column }) => [
    name,
    column.name,
    column.type,
    firstValues(survey, index),
  ]);
  printTable([['In the file', 'Column', 'Type', 'First values'], ...rows]);
  const ignored = mapping.ignored.filter((name) => name !== '' && !isMetadata(name));
  if (ignored.length > 0) console.log(`Not imported: ${listed(ignored.map(shown))}.`);
  console.log('');
}

function printChecked(
  { rows, rejected, more }: Checked,
  { collection, upsertKey }: ImportJob,
  options: ImportOptions,
): void {
  const good = rows - rejected.length - more;
  if (options.json) {
    printJson({ rows, wouldStore: good, wouldReject: rejected.length + more, rejected: rejected.map(withReason) });
    return;
  }
  const verb = upsertKey === undefined ? 'created' : 'created or updated';
  console.log(`${countOf(good, 'record')} would be ${verb} in ${collection.name}.`);
  if (rejected.length === 0) return;
  console.log(`${countOf(rejected.length + more, 'row')} would be rejected:`);
  printExamples(rejected);
}

const withReason = ({ row, line, problems }: RejectedRow) => ({ row, line, reason: problemSentences(problems) });

function printExamples(rejected: readonly RejectedRow[]): void {
  for (const { line, problems } of rejected.slice(0, EXAMPLES_MAX)) {
    console.log(`  line ${line}: ${problemSentences(problems)}`);
  }
  if (rejected.length > EXAMPLES_MAX)
    console.log(`  and ${(rejected.length - EXAMPLES_MAX).toLocaleString('en')} more`);
}

async function printStored(
  { file, format, readOptions, collection }: FileJob,
  { stored, rejected }: Journal,
  { earlier, seconds }: { readonly earlier: number; readonly seconds: number },
  options: ImportOptions,
): Promise<void> {
  const path =
    rejected.length === 0 ? undefined : await writeRejected(file, { format, options: readOptions, rejected });
  if (options.json)
    printJson({ stored, rejected: rejected.length, ...(path === undefined ? {} : { rejectedFile: path }) });
  else {
    const rate = Math.round((stored - earlier) / Math.max(seconds, 0.001)).toLocaleString('en');
    console.log(
      `Stored ${countOf(stored, 'record')} in ${collection.name} (${seconds.toFixed(1)} s, ${rate} per second).`,
    );
  }
  if (path === undefined) return;
  if (!options.json) printExamples(rejected);
  throw new CommandFailure(
    `${countOf(rejected.length, 'row was', 'rows were')} rejected. They are in ${path} (UTF-8) with their reasons: repair them there and import that file.`,
  );
}
