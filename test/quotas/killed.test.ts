// A server that is killed takes with it what it had leased, and nothing else. In a process of its own, with one more that
// it kills.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { HOUR_MS, hourOf } from '../../src/domain/quota.ts';
import { until } from '../gate/waiting.ts';
import { publishApplication } from '../support/application.ts';
import { type ServerProcess, spawnServer } from '../support/process.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';
import { admittedBy, fire, limitedTo } from './scene.ts';

const QUOTA = 2_000;
/** The largest part that a server takes at once: a twentieth of all, the requests that wait being fewer. */
const LEASE_MAX = QUOTA / 20;
/** Admitted by the server that is killed, their answers lost on the way. */
const UNANSWERED_MAX = 16;
/** The child follows the real clock: the test does not begin when the hour is about to end. */
const NEEDED_MS = 40_000;

describe('a server that is killed in the middle of a race', () => {
  let survivor: TestServer;
  let victim: ServerProcess;
  let folder: string;

  before(async () => {
    const left = hourOf(Date.now()) + HOUR_MS - Date.now();
    if (left < NEEDED_MS) await pause(left + 1_000);
    survivor = await startTestServer();
    folder = await mkdtemp(join(tmpdir(), 'ct-quotas-'));
    const { user, host, port, database } = survivor.database.connection as Record<string, string>;
    victim = await spawnServer({
      CARTULARY_DATA: folder,
      CARTULARY_OPERATOR_KEY: OPERATOR_KEY,
      DATABASE_URL: `postgres://${user}@/${database}?host=${encodeURIComponent(host!)}&port=${port}`,
    });
  });
  after(async () => {
    await victim?.end('SIGKILL');
    await survivor?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('costs what it had leased at the most', async () => {
    const app = await publishApplication(survivor, limitedTo({ 'records-read': QUOTA }));
    const ofVictim = fire(victim.address, app, QUOTA);
    const ofSurvivor = fire(survivor.address, app, 2 * QUOTA);
    await until('the race to be on', () => ofVictim.admitted() > 100);
    await victim.end('SIGKILL');
    await Promise.all([ofVictim.done, ofSurvivor.done]);
    const admitted = admittedBy([ofVictim, ofSurvivor]);
    assert.ok(ofVictim.admitted() > 100, 'the victim had its part');
    assert.ok((ofSurvivor.statuses.get(429) ?? 0) > 0, 'the survivor has gone to the end');
    assert.ok(admitted <= QUOTA, `${admitted} of ${QUOTA}`);
    assert.ok(admitted >= QUOTA - LEASE_MAX - UNANSWERED_MAX, `${admitted} of ${QUOTA}`);
    const { body } = await survivor.operator('GET', `/applications/${app.id}/quotas`);
    assert.deepEqual([body.groups[0].taken, body.groups[0].left], [QUOTA, 0], 'what is missing counts as taken');
    assert.deepEqual(survivor.failures, []);
  });
});
