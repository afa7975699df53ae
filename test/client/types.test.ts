// `cartulary types` writes the types that test/client/typed-use.ts is compiled with.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { typeText } from '../../src/cli/type-text.ts';
import type { Column } from '../../src/wire/applications.ts';
import { assertPlain, run, withFolder } from '../support/command.ts';
import { readSource } from '../support/markdown.ts';
import { OPERATOR_KEY } from '../support/server.ts';
import { openScene, type Scene } from './scene.ts';

describe('the command types', () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene();
  });
  after(() => scene?.close());

  const env = () => ({ CARTULARY_OPERATOR_KEY: OPERATOR_KEY });
  /** What the tests are compiled with, but for the place of the client and the application's ID. */
  const expected = () =>
    readSource('test/client/typed-application.ts')
      .replace('../../client/src/typed.ts', 'cartulary-client')
      .replace(`p${'0'.repeat(26)}`, scene.app.id);

  it('writes the types of an application, to the terminal or a file', async () => {
    await withFolder(async (cwd) => {
      const args = ['types', 'Test', '--url', scene.server.address];
      const printed = await run(args, { cwd, env: env() });
      assert.equal(printed.code, 0, printed.stderr);
      assert.equal(printed.stdout, expected());
      const written = await run([...args, '--out', 'types.ts'], { cwd, env: env() });
      assert.equal(written.code, 0, written.stderr);
      assert.equal(await readFile(join(cwd, 'types.ts'), 'utf8'), expected());
      const nowhere = await run([...args, '--out', 'no/such/folder.ts'], { cwd, env: env() });
      assertPlain(nowhere, /^Cannot write no\/such\/folder.ts/);
    });
  });

  it('writes names of any kind so that they compile and are the client’s', () => {
    const column = (name: string, id: string): Column => ({
      id,
      name,
      type: 'String',
      unique: false,
      sortable: false,
      searchable: false,
    });
    const collection = (id: string, name: string, columns: Column[]) => ({
      id,
      name,
      readAccessType: 'everyone' as const,
      writeAccessType: 'everyone' as const,
      columns,
    });
    const text = typeText({
      id: 'p',
      name: '2 "odd" names',
      collections: [
        collection('tone', "Bob's", [
          column('twice', 'c1'),
          column('twice', 'c2'),
          column('$id', 'c3'),
          column('名前', 'c4'),
        ]),
        collection('ttwo', 'same', []),
        collection('tthree', 'same', []),
      ],
    });
    assert.match(text, /^\/\/ The types of "2 \\"odd\\" names"/);
    assert.match(text, /export interface Application2OddNames \{/);
    assert.match(text, /'Bob\\'s': \{\n {4}\$c1: .*\n {4}\$c2: .*\n {4}\$c3: .*\n {4}名前: Column<'String'>;\n {2}\};/);
    assert.match(text, /ttwo: \{\n {2}\};\n {2}tthree: \{/);
  });
});
