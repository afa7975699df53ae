// Golden cases: what a search is compiled into, and what it finds among a few records (golden-records.ts). The files in
// golden/ are meant to be read; CARTULARY_TEST_WRITE_GOLDEN=1 writes them anew.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { PreparedApplication } from '../../src/domain/definition/application.ts';
import { readSearch } from '../../src/domain/search/check.ts';
import { sectionMark } from '../../src/domain/search/search-text.ts';
import { Params } from '../../src/store/database/params.ts';
import { compileSearch } from '../../src/store/records/search.ts';
import { callerOf, preparedApplication } from '../support/prepared.ts';
import { closeScene, done, refused } from '../support/records.ts';
import { ROOT } from '../tidy/tree.ts';
import { expectation, type GoldenCase, readGolden, refusal, writeGolden } from './golden-files.ts';
import { DOCUMENT, type Golden, openGolden } from './golden-records.ts';

const FOLDER = join(ROOT, 'test/search/golden');
const WRITE = process.env.CARTULARY_TEST_WRITE_GOLDEN === '1';
/** For the SQL of `today` and `now`; what the server finds goes by its own clock. */
const NOW = Date.UTC(2026, 2, 31, 3, 4, 5, 678);

describe('golden cases of the search language', () => {
  let golden: Golden;
  let application: PreparedApplication;

  before(async () => {
    golden = await openGolden();
    application = await preparedApplication(golden.scene.server.database, golden.scene.app.id);
  });
  after(() => closeScene(golden.scene));

  /** What differs from run to run, and how it stands in the files. */
  const names = (): [string, string][] => [
    ...Object.entries(golden.people).map(([name, { id }]) => [id, `{${name}}`] satisfies [string, string]),
    ...[...golden.notes].map(([title, id]) => [id, `{${title}}`] satisfies [string, string]),
    [`app_${golden.scene.app.id}`, 'app'],
    ...sections(),
  ];
  const sections = (): [string, string][] =>
    DOCUMENT.collections.flatMap(({ columns }) =>
      columns.flatMap(({ id, name, ...column }) => {
        const scheme: { keys?: { name: string }[]; element?: { scheme?: { keys: { name: string }[] } } } =
          'scheme' in column ? (column.scheme as object) : {};
        const keys = scheme.keys ?? scheme.element?.scheme?.keys ?? [];
        return [
          [sectionMark(id), `{section of ${name}}`] satisfies [string, string],
          ...keys.map(
            (key) => [sectionMark(id, key.name), `{section of ${name}.${key.name}}`] satisfies [string, string],
          ),
        ];
      }),
    );
  const toFile = (text: string) => names().reduce((named, [id, name]) => named.replaceAll(id, name), text);
  const fromFile = (text: string) => names().reduce((named, [id, name]) => named.replaceAll(name, id), text);

  const compiled = (search: string, { as = 'Admin', zone = 'UTC' }: GoldenCase) => {
    const collection = application.collections.get('tnotes00')!;
    const caller = callerOf(golden.people[as]!, as === 'Admin');
    const setting = { columns: collection.definition.columns, zone, now: NOW, callerId: caller.id };
    const params = new Params();
    const schema = `app_${application.id}`;
    const condition = readSearch(search, setting);
    const sql = compileSearch(condition, { collection, alias: 't' }, { schema, application, caller, params });
    const values = params.values.map((value) => (typeof value === 'string' ? toFile(value) : value));
    return { sql: toFile(sql), params: values };
  };

  const outcomeOf = async (one: GoldenCase): Promise<string> => {
    const { as = 'Admin', zone } = one;
    const search = fromFile(one.search);
    const { app } = golden.scene;
    const parameters = {
      sortKey: 'createdAt',
      sortOrder: 'ascending',
      search,
      ...(zone === undefined ? {} : { timezone: zone }),
    };
    const path = `${app.records('Notes')}?${new URLSearchParams(parameters)}`;
    const reply = await app.send('GET', path, { token: golden.people[as]!.token });
    if (reply.status !== 200) {
      const { message, position } = refused(reply, 400, 'INVALID_SEARCH');
      return refusal(toFile(message), position);
    }
    const titles = (done(reply) as { values: { ctitle00: { value: string } } }[]).map(({ values }) =>
      values.ctitle00.value.normalize('NFC'),
    );
    return expectation({ ...compiled(search, one), titles }, one);
  };

  for (const name of readdirSync(FOLDER).sort()) {
    const file = readGolden(readFileSync(join(FOLDER, name), 'utf8'));
    describe(name, () => {
      for (const one of WRITE ? [] : file.cases) {
        it(`${one.search}${one.as === undefined ? '' : ` as ${one.as}`}`, async () => {
          assert.equal(await outcomeOf(one), one.expected);
        });
      }
      if (!WRITE) return;
      it('is written anew', async () => {
        const cases: GoldenCase[] = [];
        for (const one of file.cases) cases.push({ ...one, expected: await outcomeOf(one) });
        writeFileSync(join(FOLDER, name), writeGolden({ cases }));
      });
    });
  }

  it('are many', () => {
    const count = readdirSync(FOLDER).flatMap(
      (name) => readGolden(readFileSync(join(FOLDER, name), 'utf8')).cases,
    ).length;
    assert.ok(count >= 80, `${count}`);
  });
});
