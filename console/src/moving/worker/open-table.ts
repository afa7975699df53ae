// Opens a chosen file as a table.

import { MovingFailure } from '../../../../src/moving/failure.ts';
import { openCsv } from '../../../../src/moving/formats/csv-read.ts';
import { openJsonLines } from '../../../../src/moving/formats/json-lines.ts';
import type { FileTable } from '../../../../src/moving/formats/table.ts';
import { openXlsx, type TextStore } from '../../../../src/moving/formats/xlsx-read.ts';
import type { FileForm } from '../choices.ts';
import { bytesOf } from './file-bytes.ts';
import { openZipFile } from './zip-file.ts';

export async function openTable(file: File, { format, ...options }: FileForm): Promise<FileTable> {
  if (format === 'csv') return await openCsv(bytesOf(file), options);
  if (format === 'jsonl') return await openJsonLines(bytesOf(file), options);
  return await openXlsx(await openZipFile(file), textsInMemory(file.name), options);
}

/** About 200 MB. The command line moves more of them to the disk. */
const CHARACTERS_MAX = 100_000_000;

function textsInMemory(file: string): TextStore {
  let texts: string[] = [];
  let characters = 0;
  return {
    add(text) {
      characters += text.length;
      if (characters > CHARACTERS_MAX) throw new MovingFailure('manyTexts', { file });
      texts.push(text);
    },
    get: (index) => texts[index],
    close: () => {
      texts = [];
    },
  };
}
