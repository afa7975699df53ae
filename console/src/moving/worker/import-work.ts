// Looks at a file, shows what would be stored, checks all of it, and imports it.

import { guessDelimiter } from '../../../../src/moving/formats/csv-read.ts';
import { formatNamed } from '../../../../src/moving/formats/format-names.ts';
import { checkText, guessEncoding, headOf } from '../../../../src/moving/formats/text.ts';
import { sheetNames } from '../../../../src/moving/formats/xlsx-read.ts';
import { type Checked, dryRun } from '../../../../src/moving/import/dry-run.ts';
import { isFinished, judgeJournal } from '../../../../src/moving/import/journal.ts';
import { mappingOf } from '../../../../src/moving/import/mapping.ts';
import { type PreparedRow, prepareRow } from '../../../../src/moving/import/prepared-rows.ts';
import { checkNamed, completionOf, type ImportJob, runImport } from '../../../../src/moving/import/run-import.ts';
import { type Survey, surveyTable } from '../../../../src/moving/import/survey.ts';
import { orderOf } from '../../../../src/moving/values/cell-dates.ts';
import { type GuessedColumn, guessColumns } from '../../design/guess.ts';
import type { FileForm, Look } from '../choices.ts';
import type { ImportOutcome, ImportPlan, PreviewCell, PreviewRow, Works } from '../work.ts';
import { connectionOf } from './connection.ts';
import { contentHash } from './content-hash.ts';
import { bytesOf } from './file-bytes.ts';
import { beginJournal, forgetJournal, goOnWith, type Kept, keptJournals, placeOf, rememberedOf } from './journals.ts';
import { openTable } from './open-table.ts';
import type { Run } from './run.ts';
import { openZipFile } from './zip-file.ts';

const PREVIEWED_ROWS = 20;
const EXAMPLES = 3;
/** An import stops when more rows are rejected: the mapping is wrong. */
const REJECTED_MAX = 10_000;
const PARALLEL = 4;

/** The last look, so that a preview after each choice reads nothing again. */
let seen: { readonly file: File; readonly form: string; readonly survey: Survey } | undefined;

async function surveyOf(file: File, form: FileForm): Promise<Survey> {
  const key = JSON.stringify(form);
  if (seen?.file !== file || seen.form !== key) {
    seen = { file, form: key, survey: await surveyTable(file.name, () => openTable(file, form)) };
  }
  return seen.survey;
}

export async function look({ file, form: given }: Works['look']['given']): Promise<Look> {
  const form = await wholeForm(file, given);
  const sheets = form.format === 'xlsx' ? await sheetNames(await openZipFile(file)) : [];
  const survey = await surveyOf(file, form);
  const { header, rows } = survey;
  const texts = rows.flatMap(({ cells }) => cells.filter((cell): cell is string => typeof cell === 'string'));
  return {
    form,
    sheets,
    header: [...header],
    examples: header.map((_, index) => examplesOf(survey, index)),
    order: orderOf(texts),
    hasRows: rows.length > 0,
  };
}

export async function guess({ file, form }: Works['guess']['given']): Promise<readonly GuessedColumn[]> {
  const { header, rows } = await surveyOf(file, await wholeForm(file, form));
  return guessColumns(header, rows);
}

async function wholeForm(file: File, given: Partial<FileForm>): Promise<FileForm> {
  const format = given.format ?? formatNamed(file.name) ?? 'csv';
  if (format === 'xlsx') return { format, ...(given.sheet === undefined ? {} : { sheet: given.sheet }) };
  const encoding = given.encoding ?? (await guessEncoding(bytesOf(file)));
  if (format === 'jsonl') return { format, encoding };
  const delimiter = given.delimiter ?? guessDelimiter(await headOf(bytesOf(file), encoding));
  return { format, encoding, delimiter };
}

function examplesOf({ rows }: Survey, index: number): string {
  const found = new Set<string>();
  for (const { cells } of rows) {
    const cell = cells[index];
    if (cell !== undefined) found.add(typeof cell === 'string' ? cell : JSON.stringify(cell));
    if (found.size === EXAMPLES) break;
  }
  return [...found].join(', ').slice(0, 200);
}

async function jobOf(plan: ImportPlan): Promise<ImportJob> {
  const { application, file, choices } = plan;
  const collection = application.collections.find(({ id }) => id === plan.collection);
  if (collection === undefined) throw new Error('the collection is gone');
  const columnOf = (id: string | undefined) => collection.columns.find((column) => column.id === id);
  const chosen = new Map(
    Object.entries(choices.columns).flatMap(([name, id]) => {
      const column = columnOf(id);
      return column === undefined ? [] : [[name, column] as const];
    }),
  );
  const { header } = await surveyOf(file, choices.form);
  return {
    open: () => openTable(file, choices.form),
    application,
    collection,
    preparation: {
      mapping: mappingOf(header, collection, { chosen, isLeft: (name) => !chosen.has(name) }),
      reading: choices.reading,
      clearEmpty: choices.clearEmpty,
    },
    upsertKey: columnOf(choices.upsertKey),
    referencesBy: new Map(),
    parallel: PARALLEL,
    rejectedMax: REJECTED_MAX,
  };
}

export async function preview(plan: ImportPlan, run: Run): Promise<readonly PreviewRow[]> {
  const job = await jobOf(plan);
  const { rows } = await surveyOf(plan.file, plan.choices.form);
  const prepared = rows.slice(0, PREVIEWED_ROWS).map((row, number) => prepareRow(row, number, job.preparation));
  await checkNamed(prepared, completionOf(job, connectionOf(plan.application.id, run)));
  const columns = job.preparation.mapping.mapped.map(({ column }) => column.id);
  return prepared.map((row) => ({
    line: row.line,
    cells: columns.map((id) => previewCell(row, id)),
    problems: row.problems.filter(({ at }) => at === undefined),
  }));
}

function previewCell({ values, open, problems }: PreparedRow, id: string): PreviewCell {
  const value = values[id] ?? undefined;
  const named = open.find(({ column }) => column.id === id);
  return {
    ...(value === undefined ? {} : { value }),
    ...(named === undefined ? {} : { text: named.text }),
    problems: problems.filter(({ at }) => at?.id === id),
  };
}

export async function check(plan: ImportPlan, run: Run): Promise<Checked | undefined> {
  const job = await jobOf(plan);
  return await run.unlessStopped(() =>
    dryRun(job, {
      connection: connectionOf(plan.application.id, run),
      progress: (rows, rejected, share) => run.progress({ rows, rejected, share, earlier: 0 }),
      beforeBatch: run.beforeBatch,
    }),
  );
}

const hashOf = async (file: File): Promise<string> => await contentHash(bytesOf(file));

async function keptOf(plan: Works['recall']['given'], content: string): Promise<Kept | undefined> {
  const kept = await keptJournals(placeOf(plan));
  const same = kept.filter(({ head }) => head.content === content);
  return same.find(({ lines }) => !isFinished(lines)) ?? same[0];
}

export async function recall(given: Works['recall']['given']): Promise<Works['recall']['result']> {
  const kept = await keptOf(given, await hashOf(given.file));
  return kept === undefined ? undefined : rememberedOf(kept);
}

export async function unfinished(place: Works['unfinished']['given']): Promise<Works['unfinished']['result']> {
  const kept = await keptJournals(placeOf(place));
  return kept.filter(({ lines }) => !isFinished(lines)).map(rememberedOf);
}

/** Another choice makes another import. */
const targetOf = ({ application, collection, choices }: ImportPlan): string =>
  JSON.stringify([application.id, collection, choices]);

export async function importFile(
  { restart, ...plan }: Works['import']['given'],
  run: Run,
): Promise<Works['import']['result']> {
  const job = await jobOf(plan);
  const { file, choices } = plan;
  const survey = await surveyOf(file, choices.form);
  // A file of which only the end is in another encoding is not half stored.
  if (!survey.isWhole && choices.form.format !== 'xlsx') await checkText(bytesOf(file), choices.form.encoding);
  const content = await hashOf(file);
  const target = targetOf(plan);
  const found = await keptOf(plan, content);
  if (restart && found !== undefined) await forgetJournal(found.head.id);
  const kept = restart ? undefined : found;
  const verdict = judgeJournal(kept, { content, target, isUpsert: choices.upsertKey !== undefined });
  if (verdict.kind !== 'fresh' && verdict.kind !== 'goOn') return { refused: verdict };
  const head = { place: placeOf(plan), file: file.name, content, target, choices };
  const journal = verdict.kind === 'goOn' && kept !== undefined ? goOnWith(kept) : await beginJournal(head);
  const earlier = journal.stored + journal.rejected.length;
  const tell = (share: number, rows = journal.stored + journal.rejected.length) =>
    run.progress({ rows, rejected: journal.rejected.length, share, earlier });
  const whole = await run.unlessStopped(async () => {
    await runImport(job, journal, {
      ...connectionOf(plan.application.id, run),
      progress: (rows, share) => tell(share, rows),
      beforeBatch: run.beforeBatch,
    });
    return true;
  });
  const outcome: ImportOutcome = {
    stored: journal.stored,
    rejected: journal.rejected,
    startedAt: journal.head.startedAt,
    isStopped: whole === undefined,
  };
  return outcome;
}
