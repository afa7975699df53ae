// The part of `import` after the collection is known: the preview, the dry run, the import itself and what is said of it.

import { basename, dirname, join } from 'node:path';
import { ConnectionError } from '../../../client/src/errors.ts';
import type { RawOperations } from '../../../client/src/operation-types.ts';
import { listed, shown } from '../../domain/definition/problems.ts';
import type { Application, Collection, Column } from '../../wire/applications.ts';
import { countOf, printTable } from '../commands/columns.ts';
import { type Printing, printJson } from '../commands/row.ts';
import { CommandFailure, usageFailure } from '../failure.ts';
import { formatOf } from './formats/choose.ts';
import type { Cell } from './formats/table.ts';
import { type Checked, dryRun } from './import/dry-run.ts';
import { type Journal, openJournal, type RejectedRow } from './import/journal.ts';
import {
  columnNamed,
  isMetadata,
  type Mapping,
  type MappingOptions,
  mapColumns,
  requireMatch,
} from './import/mapping.ts';
import { writeRejected } from './import/rejected-file.ts';
import { type ImportJob, runImport } from './import/run-import.ts';
import { contentHash, firstValues, type Survey } from './import/survey.ts';
import { type FileOptions, readCount, readingOf, readOptionsOf, type ValueOptions } from './reading-options.ts';
import { isReference } from './values/cell-values.ts';

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

const EXAMPLES_MAX = 5;

export async function importInto(target: Target, options: ImportOptions): Promise<void> {
  const job = jobOf(target.application.collections, target, options);
  if (options.dryRun) printChecked(await dryRun(job, target.raw), job, options);
  else await store(job, target, options);
}

/** A dry run for a collection that does not exist yet. */
export async function checkFile(
  source: Source & { readonly collection: Collection },
  options: ImportOptions,
): Promise<void> {
  const job = jobOf([source.collection], source, options);
  printChecked(await dryRun(job, undefined), job, options);
}

async function store(job: ImportJob, { application, address, raw }: Target, options: ImportOptions): Promise<void> {
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
  try {
    await runImport(job, raw, journal);
  } catch (error) {
    throw interrupted(error, journal);
  } finally {
    journal.close();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await printStored(job, journal, { earlier, seconds }, options);
}

/** Beside the file, so that it is seen and found again. */
export const journalPath = (file: string, collectionId: string): string =>
  join(dirname(file), `${basename(file)}.${collectionId}.import`);

/** Everything that decides which values a row gives: another choice makes another import. */
const conversionOf = ({ preparation, upsertKey, referencesBy, format, readOptions, attachmentFolder }: ImportJob) => ({
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
): ImportJob {
  const mapping = mapColumns(survey.header, collection, options);
  requireMatch(mapping, survey.header, collection);
  if (!options.json) printPreview(survey, mapping);
  return {
    file,
    format: formatOf(file, options.format),
    readOptions: readOptionsOf(options),
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
    printJson({ rows, wouldStore: good, wouldReject: rejected.length + more, rejected });
    return;
  }
  const verb = upsertKey === undefined ? 'created' : 'created or updated';
  console.log(`${countOf(good, 'record')} would be ${verb} in ${collection.name}.`);
  if (rejected.length === 0) return;
  console.log(`${countOf(rejected.length + more, 'row')} would be rejected:`);
  printExamples(rejected);
}

function printExamples(rejected: readonly RejectedRow[]): void {
  for (const { line, reason } of rejected.slice(0, EXAMPLES_MAX)) console.log(`  line ${line}: ${reason}`);
  if (rejected.length > EXAMPLES_MAX)
    console.log(`  and ${(rejected.length - EXAMPLES_MAX).toLocaleString('en')} more`);
}

async function printStored(
  { file, format, readOptions, collection }: ImportJob,
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
