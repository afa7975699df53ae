// The activity log and the data agree whatever happens in between: done ⇒ one entry, not done ⇒ none. A server is killed
// at random moments, and with the form of statements that a cluster gets connections are cut.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { databaseUrl } from '../support/command.ts';
import { type ServerProcess, spawnServer } from '../support/process.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';
import { assertAgreement, publishScene, type Scene, untilQuiet, writeMixed } from './mixed-writing.ts';

const ROUNDS = 3;
const CUTS = 25;

/** So that a round that changed nothing is not taken for one that agreed. */
function assertBusy(totals: Record<string, number>): void {
  const kinds = ['record.create', 'record.update', 'record.delete', 'attachment.create', 'user.create', 'user.update'];
  for (const kind of [...kinds, 'token.create', 'token.revoke', 'notification.send', 'sharedUser.create']) {
    assert.ok((totals[kind] ?? 0) > 0, `${kind} happened: ${JSON.stringify(totals)}`);
  }
}

describe('the activity log agrees with the data', () => {
  let server: TestServer;
  let scene: Scene;
  let folder: string;

  before(async () => {
    server = await startTestServer({ engine: 'citus' });
    scene = await publishScene(server);
    folder = await mkdtemp(join(tmpdir(), 'ct-activity-kill-'));
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('when the server is killed at random moments', async (t) => {
    const spawn = (): Promise<ServerProcess> =>
      spawnServer({
        CARTULARY_DATA: folder,
        CARTULARY_OPERATOR_KEY: OPERATOR_KEY,
        DATABASE_URL: databaseUrl(server.database),
      });
    let totals: Record<string, number> = {};
    for (let round = 0; round < ROUNDS; round++) {
      const child = await spawn();
      const writing = writeMixed(child.address, scene);
      // A server that has just started is slow at first.
      for (let tries = 0; writing.answered() < 40 && tries < 500; tries++) await pause(10);
      await pause(300 * Math.random());
      await child.end('SIGKILL');
      assert.deepEqual(await writing.stop(), []);
      await untilQuiet(server.database);
      totals = await assertAgreement(scene);
    }
    t.diagnostic(JSON.stringify(totals));
    assertBusy(totals);
  });

  it('when connections are cut, with the statements of a cluster', async (t) => {
    const writing = writeMixed(server.address, scene);
    for (let cut = 0; cut < CUTS; cut++) {
      await pause(20 + 60 * Math.random());
      await server.database.sql(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
         and application_name = 'cartulary' and state <> 'idle' limit 2`,
      );
    }
    assert.deepEqual(await writing.stop(), []);
    await untilQuiet(server.database);
    const totals = await assertAgreement(scene);
    t.diagnostic(JSON.stringify(totals));
    assertBusy(totals);
  });
});
