// Four servers race for a quota and one of them is killed: at most its lease is lost. In a
// process of its own, with one more that it kills.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { HOUR_MS, hourOf } from '../../src/domain/quota.ts';
import { publishApplication } from '../support/application.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type ServerProcess, spawnServer } from '../support/process.ts';
import { admittedBy, fire, limitedTo } from '../support/quotas.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const REQUESTS = 20_000;
const QUOTA = 5_000;
const SURVIVORS = 3;
/** The largest lease: a twentieth of the quota, since fewer requests wait. */
const LEASE_MAX = QUOTA / 20;
/** Requests that the killed server admitted without delivering their replies: as many as are sent at once on its connection. */
const UNANSWERED_MAX = 16;
/** The child uses the real clock, so the test does not begin when the hour is about to end. */
const NEEDED_MS = 60_000;

describe('a server that is killed in the middle of a race of four', () => {
  let database: TestDatabase;
  let survivors: TestServer[];
  let victim: ServerProcess;
  let folder: string;

  before(async () => {
    const left = hourOf(Date.now()) + HOUR_MS - Date.now();
    if (left < NEEDED_MS) await pause(left + 1_000);
    database = await createDatabase();
    survivors = [];
    for (let count = 0; count < SURVIVORS; count++) survivors.push(await startTestServer({ database }));
    folder = await mkdtemp(join(tmpdir(), 'ct-quotas-'));
    const { user, host, port, database: name } = database.connection as Record<string, string>;
    victim = await spawnServer({
      CARTULARY_DATA: folder,
      CARTULARY_OPERATOR_KEY: OPERATOR_KEY,
      DATABASE_URL: `postgres://${user}@/${name}?host=${encodeURIComponent(host!)}&port=${port}`,
    });
  });
  after(async () => {
    await victim?.end('SIGKILL');
    for (const survivor of survivors) await survivor.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('costs at most its lease', async () => {
    const app = await publishApplication(survivors[0]!, limitedTo({ 'records-read': QUOTA }));
    const share = REQUESTS / (SURVIVORS + 1);
    const ofVictim = fire(victim.address, app, share);
    const volleys = survivors.map(({ address }) => fire(address, app, share));
    await until('the race to be on', () => ofVictim.admitted() > 100);
    await victim.end('SIGKILL');
    await Promise.all([ofVictim, ...volleys].map(({ done }) => done));
    assert.ok(ofVictim.admitted() < QUOTA / 2, 'killed in the middle');
    // A lease that is returned at the very end, when the other servers know that nothing is left, is still available.
    const taken = async () => {
      const { body } = await survivors[0]!.operator('GET', `/applications/${app.id}/quotas`);
      return body.groups[0].taken;
    };
    await until('all that is left to be asked for', async () => {
      const more = survivors.map(({ address }) => fire(address, app, 10));
      await Promise.all(more.map(({ done }) => done));
      volleys.push(...more);
      return (await taken()) === QUOTA && more.every((volley) => volley.admitted() === 0);
    });
    const refused = volleys.reduce((sum, { statuses }) => sum + (statuses.get(429) ?? 0), 0);
    const answered = volleys.reduce((sum, { statuses }) => sum + [...statuses.values()].reduce((a, b) => a + b), 0);
    assert.equal(refused + admittedBy(volleys), answered, 'the survivors admitted or refused every request');
    const admitted = admittedBy([ofVictim, ...volleys]);
    assert.ok(admitted <= QUOTA, `${admitted} of ${QUOTA}`);
    assert.ok(admitted >= QUOTA - LEASE_MAX - UNANSWERED_MAX, `${admitted} of ${QUOTA}`);
  });
});
