// What is left of sessions, single sign-ons and resets whose time is over is taken away, and nothing else.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sweepSignIns } from '../../src/operations/upkeep/expired-sign-ins.ts';
import { Database } from '../../src/store/database/database.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { age, signedIn } from '../support/browser-sessions.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the sweep of sign-ins', () => {
  let server: TestServer;
  let database: Database;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    const { connection } = server.database;
    database = Database.open({ connection, connectionsMax: 2, onConnectionError: () => undefined });
    app = await publishApplication(server, { collections: [] });
  });
  after(async () => {
    await database.close();
    await server.close();
  });

  it('takes away what has expired', async () => {
    const sql = (text: string, params: unknown[] = []) =>
      server.database.sql(text.replaceAll('app.', `app_${app.id}.`), params);
    const [live, idle, old] = [
      await signedIn(server, app, app.admin),
      await signedIn(server, app, app.admin),
      await signedIn(server, app, app.admin),
    ];
    await age(server, app, idle.sessionId, 24 * 60 + 1);
    await sql('update app.sessions set expires_at = now() where id = $1', [old.sessionId]);
    for (const [mark, minutes] of [
      ['\\x01', 5],
      ['\\x02', -5],
    ]) {
      await sql(
        `insert into app.sign_ons (state_hash, browser_hash, nonce, verifier, return_to, expires_at)
         values ($1, $1, '', '', '', now() + make_interval(mins => $2))`,
        [mark, minutes],
      );
      await sql(
        `insert into app.password_resets (token_hash, user_id, epoch, address_hash, created_at, expires_at)
         values ($1, $3, '0', '', now(), now() + make_interval(mins => $2))`,
        [mark, minutes, app.admin.id],
      );
    }
    await sweepSignIns(
      { database, now: Date.now, observe: ({ event }) => assert.fail(event) },
      new AbortController().signal,
    );
    assert.deepEqual(await sql('select id from app.sessions'), [[live.sessionId]]);
    assert.equal(await live.status(), 200);
    assert.deepEqual(await sql('select encode(state_hash, $1) from app.sign_ons', ['hex']), [['01']]);
    assert.deepEqual(await sql('select encode(token_hash, $1) from app.password_resets', ['hex']), [['01']]);
  });
});
