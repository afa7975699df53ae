// Formulas in exports: a text that a spreadsheet would compute is written so that it shows it.

import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { tableWriter } from '../../src/cli/moving/formats/choose.ts';
import { withGuard, withoutGuard } from '../../src/moving/formats/csv-guard.ts';
import { withFolder } from '../support/command.ts';

describe('formulas', () => {
  it('are made harmless in CSV, and every text comes back', () => {
    for (const text of ['=1', '+1', '-1', '@a', '\t=1', '\r=1', "'=1", "''", '', '＝1']) {
      assert.match(withGuard(text), /^'/, text);
      assert.equal(withoutGuard(withGuard(text)), text);
    }
    for (const text of ['a', "'a", '1', "it's"]) assert.equal(withGuard(text), text);
    for (const text of ['a', "'a", "it's", '1']) assert.equal(withoutGuard(text), text);
  });

  it('begin no cell where a program separates by more than the comma of the file', async () => {
    await withFolder(async (folder) => {
      const file = join(folder, 'file.csv');
      const form = { format: 'csv', delimiter: ',', byteOrderMark: false } as const;
      const writer = await tableWriter(createWriteStream(file), ['=Name', 'a|=1'], form);
      for (const text of ['a;=1', 'a\t=1', 'a|=1', '=1;b']) await writer.write([text, undefined]);
      await writer.end();
      const lines = (await readFile(file, 'utf8')).split('\r\n');
      assert.deepEqual(lines, [`'=Name,"a|=1"`, '"a;=1",', '"a\t=1",', '"a|=1",', `"'=1;b",`, '']);
    });
  });
});
