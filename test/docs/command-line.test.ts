// docs/command-line.md lists the commands of users and the exit codes that there are.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMANDS } from '../../src/cli/commands/table.ts';
import { EXIT_CODES } from '../../src/cli/failure.ts';
import { codeIn, PAGES, readPage, readSource, tableOf } from '../support/markdown.ts';

describe('docs/command-line.md', () => {
  it('has every command of users', () => {
    const page = readSource('docs/command-line.md');
    const missing = COMMANDS.filter(({ runs, usage }) => runs === 'as a user' && !page.includes(`| \`${usage}\` |`));
    assert.deepEqual(
      missing.map(({ usage }) => usage),
      [],
    );
  });

  it('or another page names the first word of every command', () => {
    const page = PAGES.map(readPage).join('\n');
    const words = new Set(COMMANDS.map(({ usage }) => usage.split(' ')[0] ?? ''));
    assert.deepEqual(
      [...words].filter((word) => !new RegExp(`[\`\\s]${word}[\`\\s]`).test(page)),
      [],
    );
  });

  it('has exactly the exit codes', () => {
    const codes = tableOf('command-line', 'Code', 'Meaning').map(([code]) => Number(codeIn(code)));
    assert.deepEqual(codes, [0, ...Object.values(EXIT_CODES)]);
  });
});
