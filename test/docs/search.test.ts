// docs/search.md, asked: its records are put into a server, and every search on it finds the records that it says, or is
// refused with the message and at the position that it says.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { QUERY_CODE_POINTS_MAX } from '../../src/domain/search/lex.ts';
import { CRITERIA_MAX, SEARCH_LEVELS_MAX } from '../../src/domain/search/parse.ts';
import { SIMPLE_TYPES } from '../../src/wire/values.ts';
import { allTablesOf, blocksOf, codeIn, type Table, tableOf } from '../support/markdown.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Example, loadExample, type Row, rowsOf } from './search-example.ts';

/** The identifiers that the page has made up. */
const DOCUMENTED = { user: 'u4m9xq2a', record: 'r068t1q8s5nvdrb4v1m3g7k9e50', recordNo: '101' };

const SEARCHES = allTablesOf('search').filter(({ head }) => head[0] === 'Search' && head.includes('Finds'));
const REFUSALS = allTablesOf('search').filter(({ head }) => head[0] === 'Search' && head.includes('`position`'));

/** `(empty)` stands for the empty query, which cannot be shown as code. */
const queryOf = (row: Row): string => (row.Search === '(empty)' ? '' : (codeIn(row.Search) ?? ''));

describe('docs/search.md', () => {
  let server: TestServer;
  let example: Example;

  before(async () => {
    server = await startTestServer();
    example = await loadExample(server);
  });
  after(async () => {
    await server.close();
  });

  async function ask(search: string, timezone?: string) {
    const { app, caller, jobs } = example;
    const real = search
      .replaceAll(DOCUMENTED.user, caller.id)
      .replaceAll(DOCUMENTED.record, jobs.get(DOCUMENTED.recordNo) ?? '');
    const query = new URLSearchParams({ search: real, ...(timezone === undefined ? {} : { timezone }) });
    return app.send('GET', `${app.records('Jobs')}?${query}`, { token: caller.token });
  }

  /** The numbers of the jobs that are found, in order. */
  async function find(search: string, timezone?: string): Promise<string[]> {
    const reply = await ask(search, timezone);
    assert.equal(reply.status, 200, `${search} → ${reply.text}`);
    const column = example.app.ids.Jobs!.No!;
    return (reply.body as { values: Record<string, { value: number }> }[])
      .map(({ values }) => String(values[column]?.value))
      .sort();
  }

  /** `all`, `nothing`, `101, 102` or `all but 101, 102`. */
  function told(cell: string): string[] {
    const all = [...example.jobs.keys()];
    if (cell === 'nothing') return [];
    assert.match(cell, /^(?:all$|(?:all but )?\d+(?:, \d+)*$)/);
    const numbers: readonly string[] = cell.match(/\d+/g) ?? [];
    for (const number of numbers) assert.ok(all.includes(number), `there is no job ${number}`);
    return cell.startsWith('all') ? all.filter((number) => !numbers.includes(number)) : [...numbers];
  }

  /** In the state of things that the mark of the table tells. */
  async function inItsState(table: Table, work: () => Promise<void>): Promise<void> {
    const [, customer = '', name = ''] = /^while: (.*) is called (.*)$/.exec(table.mark) ?? [];
    if (name !== '') await example.rename(customer, name);
    try {
      await work();
    } finally {
      if (name !== '') await example.rename(customer, customer);
    }
  }

  for (const table of SEARCHES) {
    it(`finds what it says at ${table.place}`, () =>
      inItsState(table, async () => {
        for (const row of rowsOf(table)) {
          const query = queryOf(row);
          assert.ok(query !== '' || row.Search === '(empty)', `${table.place}: ${row.Search} is no query`);
          const timezone = codeIn(row.timezone);
          assert.deepEqual(await find(query, timezone), told(row.Finds ?? '?'), `${query} ${timezone ?? ''}`);
        }
      }));
  }

  it('has enough of them', () => {
    assert.ok(SEARCHES.flatMap(rowsOf).length > 150);
    assert.ok(REFUSALS.flatMap(rowsOf).length > 15);
  });

  it('refuses what it says, with the message and at the position that it says', async () => {
    for (const row of REFUSALS.flatMap(rowsOf)) {
      const reply = await ask(queryOf(row));
      const expected = { message: codeIn(row.message), position: Number(row.position) };
      assert.deepEqual(reply.body, { code: 'INVALID_SEARCH', params: expected }, queryOf(row));
    }
  });

  it('hints at what was meant where nothing is found, in the words that it shows', async () => {
    const rows = tableOf('search', 'Search', '`Cartulary-Hint`');
    assert.ok(rows.length > 3);
    for (const [search, hint] of rows) {
      const reply = await ask(codeIn(search) ?? '');
      assert.deepEqual(reply.body, [], search);
      assert.equal(decodeURIComponent(reply.headers.get('cartulary-hint') ?? ''), codeIn(hint));
    }
    const { app, caller } = example;
    for (const query of ['search=nothing', 'search=Title:roof*&skip=1', 'search=Title:roof', '']) {
      const reply = await app.send('GET', `${app.records('Jobs')}?${query}`, { token: caller.token });
      assert.ok(!reply.headers.has('cartulary-hint'), query);
    }
  });

  it('shows an answer to a wrong query as it is', async () => {
    const shown = blocksOf('search').filter(({ mark }) => mark.startsWith('answer to: '));
    assert.ok(shown.length > 0);
    for (const { mark, text } of shown) {
      const reply = await ask(mark.slice('answer to: '.length));
      assert.equal(reply.status, 400);
      assert.deepEqual(reply.body, JSON.parse(text));
    }
  });

  it('tells which operators each type takes', async () => {
    const rows = tableOf('search', 'Type', '`:`');
    assert.deepEqual(
      rows.map(([type]) => type),
      [...SIMPLE_TYPES.slice(0, 6), 'User', 'Attachment', 'Location', 'Object', 'Array', 'Reference'],
    );
    for (const [type = '', contains, equals, compared, behind = ''] of rows) {
      const column = example.columns.find((one) => one.type.startsWith(type) && one.name !== 'Internal');
      const [, term = ''] = /`([^`]*)`/.exec(behind) ?? [];
      const groups = [
        [contains, [':']],
        [equals, ['=', '!=']],
        [compared, ['<', '<=', '>', '>=']],
      ] as const;
      for (const [cell, operators] of groups) {
        for (const operator of operators) {
          const { status, text } = await ask(`"${column?.name}"${operator}${term}`);
          assert.equal(status, cell === '–' ? 400 : 200, `${type} ${operator} ${term}: ${text}`);
        }
      }
    }
  });

  it('tells the limits that hold', () => {
    assert.deepEqual(
      tableOf('search', 'What', 'Limit').map(([, limit]) => limit),
      [QUERY_CODE_POINTS_MAX, CRITERIA_MAX, SEARCH_LEVELS_MAX].map((limit) => limit.toLocaleString('en-US')),
    );
  });

  it('has no mark that no test reads', () => {
    const marks = [...allTablesOf('search'), ...blocksOf('search')].map(({ mark }) => mark);
    for (const mark of marks)
      assert.match(mark, /^(?:|publish document: jobs\.json|run: [\d ]+|while: .*|answer to: .*)$/);
  });
});
