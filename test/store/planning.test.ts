// How statements that are prepared are planned: those that find rows by their identifiers once, and all others as their session
// says, whatever happened between.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { markPooled, newPooledName } from '../../src/store/database/pooler.ts';
import { PLANNED_ONCE, TOLD_MAX } from '../../src/store/database/prepared.ts';
import { forgetPrepared, SentStatement } from '../../src/store/database/sent-statement.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const ONCE = `select current_setting('plan_cache_mode'), $1::int${PLANNED_ONCE}`;
const OTHER = "select current_setting('plan_cache_mode'), $1::int";

describe('the plans of prepared statements', () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());
  beforeEach(async (t) => {
    client = await connected(t as never, {});
  });

  async function connected(t: { after(clean: () => Promise<void>): void }, settings: pg.ClientConfig) {
    const connecting = new pg.Client({ ...database.connection, ...settings });
    await connecting.connect();
    t.after(() => connecting.end());
    return connecting;
  }

  const run = (text: string, params: readonly unknown[] = [], on = client): Promise<SentStatement> =>
    new Promise((resolve, reject) => {
      on.query(
        new SentStatement(on, { text, params }, (error, sent) => (error ? reject(error) : resolve(sent))) as never,
      );
    });
  const modeOf = async (text: string, on = client) => {
    const { received, command } = await run(text, [1], on);
    assert.equal(command, 'SELECT');
    assert.equal(received.length, 1);
    return received[0]![0];
  };
  const expected = (text: string) => (text === ONCE ? 'force_generic_plan' : 'auto');
  /** A text is prepared when it is used for the second time. */
  const prepareBoth = async () => {
    for (const text of [ONCE, OTHER]) assert.equal(await modeOf(text), 'auto');
    assert.equal(await modeOf(ONCE), 'force_generic_plan');
    assert.equal(await modeOf(OTHER), 'auto');
  };

  it('follow the text, one after the other and together', async () => {
    await prepareBoth();
    const texts = [ONCE, ONCE, OTHER, ONCE, OTHER, OTHER];
    const modes = await Promise.all(texts.map((text) => modeOf(text)));
    assert.deepEqual(modes, texts.map(expected));
  });

  it('follow the text behind one that fails', async () => {
    await prepareBoth();
    for (const failing of [ONCE, OTHER]) {
      const failed = assert.rejects(run(failing, ['no number']), { code: '22P02' });
      const texts = [OTHER, OTHER, ONCE, OTHER];
      const modes = await Promise.all(texts.map((text) => modeOf(text)));
      await failed;
      assert.deepEqual(modes, texts.map(expected));
    }
  });

  it('follow the text after a rollback and a parameter that cannot be sent', async () => {
    await prepareBoth();
    for (const text of [ONCE, OTHER]) {
      await run('begin');
      assert.equal(await modeOf(text), expected(text));
      await run('rollback');
      assert.equal(await modeOf(text), expected(text), 'after a rollback');

      const circle: unknown[] = [];
      circle.push({ circle });
      await assert.rejects(run(text, [{ toPostgres: () => circle.at(2)!.toString() }]));
      assert.equal(await modeOf(text), expected(text), 'after a parameter that cannot be sent');
    }
  });

  it('follow the text after what was prepared is forgotten', async () => {
    await prepareBoth();
    await forgetPrepared(client);
    assert.equal(await modeOf(OTHER), 'auto');
    assert.equal(await modeOf(ONCE), 'auto');
    assert.equal(await modeOf(ONCE), 'force_generic_plan');
  });

  it('are left to the session after many uses', async () => {
    assert.equal(await modeOf(ONCE), 'auto');
    for (let use = 0; use < TOLD_MAX; use++) assert.equal(await modeOf(ONCE), 'force_generic_plan');
    assert.equal(await modeOf(ONCE), 'auto');
  });

  it('leave the session as the operator has set it', async (t) => {
    const mode = 'force_custom_plan';
    const own = await connected(t as never, { options: `-c plan_cache_mode=${mode}` });
    for (const text of [ONCE, ONCE, OTHER, OTHER]) await modeOf(text, own);
    assert.equal(await modeOf(ONCE, own), 'force_generic_plan');
    assert.equal(await modeOf(OTHER, own), mode);
    await assert.rejects(run(ONCE, ['no number'], own));
    assert.equal(await modeOf(OTHER, own), mode);
  });

  it('are left alone behind a pooler', async (t) => {
    const pooled = await connected(t as never, {});
    markPooled(pooled, newPooledName());
    for (let use = 0; use < 4; use++) assert.equal(await modeOf(ONCE, pooled), 'auto');
  });
});
