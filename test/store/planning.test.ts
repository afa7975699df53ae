// How statements that are prepared are planned: those that find rows by their identifiers once, and all others for their
// parameters, whatever happened between.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { PLANNED_ONCE } from '../../src/store/database/prepared.ts';
import { forgetPrepared, SentStatement } from '../../src/store/database/sent-statement.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const ONCE = `select current_setting('plan_cache_mode'), $1::int${PLANNED_ONCE}`;
const ANEW = "select current_setting('plan_cache_mode'), $1::int";

describe('the plans of prepared statements', () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());
  beforeEach(async (t) => {
    client = new pg.Client(database.connection);
    await client.connect();
    (t as { after(clean: () => Promise<void>): void }).after(() => client.end());
  });

  const run = (text: string, params: readonly unknown[] = []): Promise<SentStatement> =>
    new Promise((resolve, reject) => {
      client.query(
        new SentStatement(client, { text, params }, (error, sent) => (error ? reject(error) : resolve(sent))) as never,
      );
    });
  const modeOf = async (text: string) => {
    const { received, command } = await run(text, [1]);
    assert.equal(command, 'SELECT');
    assert.equal(received.length, 1);
    return received[0]![0];
  };
  const expected = (text: string) => (text === ONCE ? 'force_generic_plan' : 'auto');
  /** A text is prepared when it is used for the second time. */
  const prepareBoth = async () => {
    for (const text of [ONCE, ANEW]) assert.equal(await modeOf(text), 'auto');
    assert.equal(await modeOf(ONCE), 'force_generic_plan');
    assert.equal(await modeOf(ANEW), 'auto');
  };

  it('follow the text, one after the other and together', async () => {
    await prepareBoth();
    const texts = [ONCE, ONCE, ANEW, ONCE, ANEW, ANEW];
    const modes = await Promise.all(texts.map(modeOf));
    assert.deepEqual(modes, texts.map(expected));
  });

  it('are not those of a statement that is used once, nor changed by one without parameters', async () => {
    await prepareBoth();
    assert.equal(await modeOf(ONCE), 'force_generic_plan');
    assert.equal((await run('select 1')).command, 'SELECT');
    assert.equal(await modeOf(`${ANEW}, 2`), 'auto');
  });

  it('follow the text after an error, a rollback and a parameter that cannot be sent', async () => {
    await prepareBoth();
    for (const text of [ONCE, ANEW]) {
      const other = text === ONCE ? ANEW : ONCE;
      await run('begin');
      assert.equal(await modeOf(other), expected(other));
      assert.equal(await modeOf(text), expected(text));
      await run('rollback');
      assert.equal(await modeOf(text), expected(text), 'after a rollback');

      await assert.rejects(run(other, ['no number']), { code: '22P02' });
      assert.equal(await modeOf(other), expected(other), 'after an error');
      assert.equal(await modeOf(text), expected(text), 'after an error');

      const circle: unknown[] = [];
      circle.push({ circle });
      await assert.rejects(run(other, [{ toPostgres: () => circle.at(2)!.toString() }]));
      assert.equal(await modeOf(other), expected(other), 'after a parameter that cannot be sent');
    }
  });

  it('follow the text after what was prepared is forgotten', async () => {
    await prepareBoth();
    assert.equal(await modeOf(ONCE), 'force_generic_plan');
    await forgetPrepared(client);
    assert.equal(await modeOf(ANEW), 'auto');
    assert.equal(await modeOf(ONCE), 'auto');
    assert.equal(await modeOf(ONCE), 'force_generic_plan');
  });
});
