// The journal of an import as a file beside the imported one, so that the same command goes on after the importer, the
// server or the machine was killed.

import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import {
  isFinished,
  Journal,
  type JournalHead,
  type JournalLine,
  judgeJournal,
  type KeptJournal,
  type Wanted,
} from '../../../moving/import/journal.ts';
import { CommandFailure } from '../../failure.ts';
import { writeProblem } from '../../output.ts';

export class FileJournal extends Journal {
  readonly #file: number;

  constructor(path: string, head: JournalHead, lines: readonly JournalLine[]) {
    const file = openFile(path);
    super(head, lines, (line) => append(path, file, line));
    this.#file = file;
    if (lines.length === 0) append(path, file, head);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Not flushed to the disk: after a power failure the batches that are missing here are sent again. */
function append(path: string, file: number, line: JournalLine | JournalHead): void {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  try {
    // A disk that becomes full takes a part of the line, and refuses only the rest.
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
  } catch (error) {
    throw cannotWrite(path, error, ' Afterwards run the same command again: it goes on where it was.');
  }
}

export interface WantedFile extends Wanted {
  readonly path: string;
  readonly file: string;
  readonly restart: boolean;
}

/** Goes on with a journal that fits, or begins one. */
export async function openJournal(wanted: WantedFile): Promise<FileJournal> {
  const { path, file, restart } = wanted;
  const kept = restart ? undefined : await readJournal(path);
  const verdict = judgeJournal(kept, wanted);
  if (verdict.kind === 'goOn' && kept !== undefined) return new FileJournal(path, kept.head, kept.lines);
  switch (verdict.kind) {
    case 'imported':
      throw new CommandFailure(
        `${file} has been imported there already (${path} tells when). Importing it again would store every record a second time; if that is meant, add --restart.`,
      );
    case 'otherFile':
      throw new CommandFailure(
        `${file} has changed since its import was interrupted, so that nobody knows which of its rows are stored (${path}). Import the former file to its end, or begin anew with --restart, which does not delete what was stored.`,
      );
    case 'otherOptions':
      throw new CommandFailure(
        `An import of ${file} with other options has not come to its end. Run it with the same options, or begin anew with --restart, which does not delete what was stored.`,
      );
    case 'forgotten':
      throw new CommandFailure(
        `The import of ${file} was interrupted more than a day ago while rows were on their way (the hundred from row ${verdict.rows.join(', and from row ')}). Look whether they are stored, and import the rest from a file of its own; --restart begins anew.`,
      );
    default:
      return begin(wanted);
  }
}

/** Whether an import with this journal has begun and not come to its end. */
export async function hasUnfinishedImport(path: string): Promise<boolean> {
  const kept = await readJournal(path);
  return kept !== undefined && !isFinished(kept.lines);
}

async function begin({ path, file, content, target }: WantedFile): Promise<FileJournal> {
  await rm(path, { force: true });
  const id = randomBytes(12).toString('hex');
  return new FileJournal(path, { id, file, content, target, startedAt: new Date().toISOString() }, []);
}

/** Without what a full disk or a kill left of a last line: the next one would be written onto its end. */
function openFile(path: string): number {
  try {
    const file = openSync(path, 'a', 0o600);
    const bytes = readFileSync(path);
    const whole = bytes.lastIndexOf(10) + 1;
    if (whole < bytes.length) truncateSync(path, whole);
    return file;
  } catch (error) {
    throw cannotWrite(path, error, '');
  }
}

/** The journal is beside the imported file, and nothing is sent that it cannot note. */
const cannotWrite = (path: string, error: unknown, more: string): CommandFailure =>
  new CommandFailure(
    `Cannot write ${path}, which notes how far the import is: ${writeProblem(error as NodeJS.ErrnoException)}${more}`,
    { cause: error },
  );

async function readJournal(path: string): Promise<KeptJournal | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw new CommandFailure(`Cannot read ${path}: ${error.message}`);
  });
  // A line that was being written when the importer was killed is cut off.
  const lines = (text ?? '').split('\n').slice(0, -1);
  const [head, ...rest] = lines.map((line) => JSON.parse(line));
  return head === undefined ? undefined : { head, lines: rest };
}
