// A first look at a file: whether it can be read to its end, what it contains, and its first rows.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { FileFormat } from '../../../moving/formats/format-names.ts';
import type { Cell, ReadOptions } from '../../../moving/formats/table.ts';
import { checkText } from '../../../moving/formats/text.ts';
import { type Survey, surveyTable } from '../../../moving/import/survey.ts';
import { CommandFailure } from '../../failure.ts';
import { fileSource } from '../formats/byte-source.ts';
import { openTable } from '../formats/choose.ts';

export async function surveyFile(file: string, format: FileFormat, options: ReadOptions): Promise<Survey> {
  const survey = await surveyTable(file, () => openTable(file, format, options));
  if (!survey.isWhole && format !== 'xlsx') await checkText(await fileSource(file), options.encoding);
  return survey;
}

/** Tells one content from another, whatever the file is called and when it was touched. */
export async function contentHash(file: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), hash);
  } catch (error) {
    throw new CommandFailure(`Cannot read ${file}: ${(error as Error).message}`);
  }
  return hash.digest('hex');
}

const SHOWN_VALUES = 3;
const SHOWN_CHARACTERS = 40;

/** The first different values of a column, for the preview. */
export function firstValues({ rows }: Pick<Survey, 'rows'>, index: number): string {
  const found = new Set<string>();
  for (const { cells } of rows) {
    const cell: Cell = cells[index];
    if (cell === undefined) continue;
    found.add(typeof cell === 'string' ? cell : JSON.stringify(cell));
    if (found.size === SHOWN_VALUES) break;
  }
  const text = [...found].join(', ').replaceAll(/\s+/g, ' ');
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
